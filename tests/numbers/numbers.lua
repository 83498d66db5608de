-- numbers.lua: holds what out/test/numbers measures against the table of docs/numbers.md: check (a sample of all
-- floats), check-all (every float), update (every float, and the table is written anew). Measures nothing itself.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local DOCUMENT = "docs/numbers.md"
local FIRST, LAST = "<!-- Written by ninja numbers-update. -->\n", "<!-- The end of what is written. -->\n"
-- The widest first; what the build or the CPU lacks keeps its figures.
local COLUMNS = { "avx512", "avx2", "scalar", "generic" }
-- A figure above what is measured by more than this has had its day.
local STALE = 1.1

-- Each row: what the program calls it, its words and unit, what it may be at most, and whether the quick form sees all
-- of it. generic: what a plain loop in float, or the C library's float function, has; it is shown, and not judged.
local ROWS = {
  { "exp2", "2^y, y up to 100", "ulp", 2, sampled = true },
  { "exp2_small_ulps", "2^y, results below 1/4, subnormals and 0 among them", "ulp", 2, sampled = true },
  { "exp2_unordered", "neighbours y < y' <= 0 with 2^y > 2^y'", "pairs", 1e5, all_only = true },
  { "exp2_differ", "2^y, other bits than portable C's", "results", 0, sampled = true },
  { "gelu", "gelu (by erf)", "ulp", 4, sampled = true },
  { "gelu_small", "gelu, results below 1/4", "absolute", 1e-7, sampled = true },
  { "gelu_small_ulps", "gelu, results from 1e-35 to 1/4", "ulp", 8, sampled = true },
  { "gelu_differ", "gelu (by erf), other bits than portable C's", "results", 0, sampled = true },
  { "gelu_tanh", "gelu by tanh", "ulp", 4, sampled = true },
  { "gelu_tanh_small", "gelu by tanh, results below 1/4", "absolute", 1e-7, sampled = true },
  { "gelu_tanh_small_ulps", "gelu by tanh, results from 1e-35 to 1/4", "ulp", 4, sampled = true },
  { "gelu_tanh_differ", "gelu by tanh, other bits than portable C's", "results", 0, sampled = true },
  { "silu", "silu", "ulp", 4, sampled = true },
  { "silu_small", "silu, results below 1/4", "absolute", 1e-7, sampled = true },
  { "silu_small_ulps", "silu, results from 1e-35 to 1/4", "ulp", 4, sampled = true },
  { "silu_differ", "silu, other bits than portable C's", "results", 0, sampled = true },
  { "tanh", "tanh", "ulp", 4, sampled = true },
  { "tanh_small", "tanh, results below 1/4", "absolute", 1e-7, sampled = true },
  { "tanh_small_ulps", "tanh, results below 1/4, subnormals among them", "ulp", 4, sampled = true },
  { "tanh_differ", "tanh, other bits than portable C's", "results", 0, sampled = true },
  { "softmax_weight", "softmax, a weight 2^-d of the largest, over its row's sum", "eps (1 + d) of it", 2 },
  { "softmax_sum", "softmax, the sum of a row of n, less 1", "eps sqrt(n)", 4 },
  { "layer_norm", "LayerNorm", "of what is allowed", 1 },
  { "rms_norm", "RMSNorm", "of what is allowed", 1 },
  { "rope", "rotary table", "absolute", 2e-7 },
  { "positions", "table of sines and cosines", "absolute", 2e-7 },
  { "product", "projection of 120 terms", "eps of their sizes' sum", 2 },
  { "layer_d_head_15_120_8", "layer 120/8, 70 rows", "of the outputs", 1e-6, layer = true },
  { "layer_odd_33_3", "layer 33/3, 70 rows", "of the outputs", 1e-6, layer = true },
  { "layer_rotary_57_6", "rotary layer with activations 57/6, 40 rows", "of the outputs", 1e-6, layer = true },
  { "layer_bert_48_4", "encoder of two layers 48/4/80, 70 rows", "of the outputs", 1e-6, layer = true },
  { "layer_llama_45_3", "causal stack of two layers 45/3/37, 40 rows", "of the outputs", 1e-6, layer = true },
}

-- -- What is measured -----------------------------------------------------------------------------------------------

-- { [row] = { [column] = value } }
local function measure(program, all, only)
  local output, code = compat.capture(program .. (all and " all " or "") .. (only or ""))
  if code ~= 0 then error(("%s ended with %d:\n%s"):format(program, code, output), 0) end
  local measured = {}
  for line in output:gmatch("[^\n]+") do
    local row, column, value = line:match("^(%S+) (%S+) (%S+)$")
    if line:find("^skipped") then
      print(line)
    else
      measured[row] = measured[row] or {}
      measured[row][column] = tonumber(value) or math.huge -- "inf" or "nan": no number
    end
  end
  return measured
end

-- The number of two digits, or whole number, that is not below x.
local function rounded_up(x)
  if x == math.huge then return "none" end
  if x == math.floor(x) then return ("%d"):format(x) end
  local unit = 10 ^ (math.floor(math.log(x) / math.log(10)) - 1)
  return ("%.2g"):format(math.ceil(x / unit - 1e-9) * unit)
end

-- -- The table ------------------------------------------------------------------------------------------------------

local function cells(line)
  local list = {}
  for cell in line:gmatch("|%s*([^|]-)%s*%f[|]") do list[#list + 1] = cell end
  return list
end

-- { [words of a row] = { [column] = text } }
local function read_table(text)
  local committed = {}
  for line in text:gmatch("[^\n]+") do
    local list = cells(line)
    local row = {}
    for i, column in ipairs(COLUMNS) do row[column] = list[i + 3] end
    committed[list[1] or ""] = row
  end
  return committed
end

local function table_text(measured, committed)
  local lines = { "| Error of | in | at most | AVX-512 | AVX2 | portable C | plain float |",
    "|---|---|---|---|---|---|---|" }
  for _, row in ipairs(ROWS) do
    local list = { row[2], row[3], ("%g"):format(row[4]) }
    for _, column in ipairs(COLUMNS) do
      local value = measured[row[1]] and measured[row[1]][column]
      list[#list + 1] = value and rounded_up(value) or (committed[row[2]] or {})[column] or ""
    end
    lines[#lines + 1] = "| " .. table.concat(list, " | ") .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

-- The document before the table, the table, what is after it.
local function read_document()
  local text = assert(fs.read(DOCUMENT))
  local _, from = text:find(FIRST, 1, true)
  local to = text:find(LAST, 1, true)
  if not from or not to then error(DOCUMENT .. " has no table between its two marks", 0) end
  return text:sub(1, from), text:sub(from + 1, to - 1), text:sub(to)
end

-- -- Checks ---------------------------------------------------------------------------------------------------------

local passed, failed = 0, 0

local function check(ok, message, ...)
  passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
  if not ok then print("FAIL " .. message:format(...)) end
end

-- One figure: within its limit, not above the table's, and the table's not far above it.
local function check_figure(row, column, value, written, all)
  local figure = tonumber(written)
  check(value <= row[4], "%s, %s: %.3g, which may be %g at most", row[2], column, value, row[4])
  check(figure and value <= figure, "%s, %s: %.3g, where %s has %s", row[2], column, value, DOCUMENT, written)
  if all or not row.sampled then
    check(figure and figure <= STALE * tonumber(rounded_up(value)),
      "%s, %s: %.3g, for which %s still has %s; ninja numbers-update", row[2], column, value, DOCUMENT, written)
  end
end

local function check_row(row, values, written, all)
  if row.all_only and not all then return end
  if not values then return check(false, "%s was not measured", row[2]) end
  for _, column in ipairs(COLUMNS) do
    local value = values[column]
    if value and column ~= "generic" then
      check_figure(row, column, value, written and written[column] or "nothing", all)
      check(not row.layer or value <= values.generic, "%s, %s: %.3g, and a plain loop has %.3g", row[2],
        column, value, values.generic)
    end
  end
end

local actions = {}

local function check_all_rows(program, all)
  local measured = measure(program, all)
  local _, text = read_document()
  local committed = read_table(text)
  for _, row in ipairs(ROWS) do check_row(row, measured[row[1]], committed[row[2]], all) end
  print(table_text(measured, {}))
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0
end

function actions.check(program)
  return check_all_rows(program, false)
end

actions["check-all"] = function(program)
  return check_all_rows(program, true)
end

-- only: the one function to measure, where the other figures stay.
function actions.update(program, only)
  local before, text, after = read_document()
  local measured = measure(program, true, only)
  assert(fs.write_if_changed(DOCUMENT, before .. table_text(measured, read_table(text)) .. after) ~= nil)
  return only or actions.check(program)
end

local action = actions[arg[1]]
if not action or not arg[2] then
  io.stderr:write("usage: lua tests/numbers/numbers.lua check|check-all|update PROGRAM [FUNCTION]\n")
  os.exit(2)
end
os.exit(action(arg[2], arg[3]) and 0 or 1)
