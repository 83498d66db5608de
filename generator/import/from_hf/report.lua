-- from_hf/report.lua: the mapping table that configure prints of a model folder: each config field with the spec's,
-- what is left aside and why, and the tensors. Says nothing of the order of the world: all lists come in order.
local compat = require "base.compat"
local json = require "import.from_hf.json"
local spec = require "spec"
local text = require "base.text"

local report = {}

local WIDTH, MOST_NAMES = 116, 3
local FLOATS = { "F32", "F16", "BF16", "F64" } -- what the loader takes of safetensors
local BLOCKS = { -- and besides of GGUF
  "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL",
}

-- A row's three columns: the config field, its value, and what it is in the spec.
local function columns_of(row)
  local value = row.value == nil and (row.config and "-" or "") or json.shown(row.value)
  local made = row.field and row.made ~= nil and row.field .. " = " .. spec.literal(row.made) or ""
  local note = row.note and (made ~= "" and "  (" .. row.note .. ")" or row.note) or ""
  return { row.config or "always", value, made .. note }
end

-- Rows under each other, columns as wide as their longest.
local function add_rows(lines, rows)
  local all, widths = {}, { 0, 0 }
  for i, row in ipairs(rows) do
    all[i] = columns_of(row)
    for c = 1, 2 do widths[c] = math.max(widths[c], #all[i][c]) end
  end
  local format = ("  %%-%ds  %%-%ds  %%s"):format(widths[1], widths[2])
  for _, columns in ipairs(all) do lines[#lines + 1] = (format:format(compat.unpack(columns)):gsub("%s+$", "")) end
end

local function add_wrapped(lines, words, first, indent)
  for i, line in ipairs(text.wrap(words, WIDTH, indent)) do
    lines[#lines + 1] = i == 1 and first .. line:sub(#first + 1) or line
  end
end

-- Fields that change nothing, by why.
local function add_groups(lines, groups)
  for _, why in ipairs(text.sorted_keys(groups)) do
    add_wrapped(lines, ("%s: %s"):format(why, table.concat(groups[why], ", ")), "  not used, ", 12)
  end
end

local function some(names)
  local plain = {}
  for i, name in ipairs(names) do plain[i] = json.plain(name) end
  return text.join_some(plain, MOST_NAMES)
end

-- The dtypes that the loader does not make floats of.
local function not_floats(dtypes)
  local is_float, others = {}, {}
  for _, list in ipairs({ FLOATS, BLOCKS }) do
    for _, dtype in ipairs(list) do is_float[dtype] = true end
  end
  for _, dtype in ipairs(dtypes) do others[#others + 1] = not is_float[dtype] and dtype or nil end
  return others
end

local function add_tensors(lines, tensors, matched)
  lines[#lines + 1] = ("%s: all %d tensors of map %s%s are there, %s"):format(tensors.path, matched.found, matched.map,
    matched.prefix ~= "" and " after " .. matched.prefix or "", text.join(matched.dtypes))
  for _, group in ipairs(matched.unread) do
    add_wrapped(lines, ("%s: %s"):format(some(group.names), group.why), "  not read, ", 12)
  end
  local others = not_floats(matched.dtypes)
  if #others > 0 then
    lines[#lines + 1] = ("  note: the loader takes %s, not %s"):format(text.join(FLOATS), text.join(others))
  end
  if tensors.files > 1 then
    lines[#lines + 1] = ("  note: in %d files: --weights takes %s"):format(tensors.files,
      tensors.metadata and "the first" or "the folder")
  end
end

-- The lines of the table. model: { path (of config.json), model_type, architecture, rows, groups, notes }; tensors,
-- matched: tensors.read's and match.find's, or nil; missing: in place of them, why there are none.
function report.lines(model, tensors, matched, missing)
  local lines = { ("%s: %s (%s)"):format(model.path, model.architecture, model.model_type) }
  add_rows(lines, model.rows)
  add_groups(lines, model.groups)
  for _, note in ipairs(model.notes) do add_wrapped(lines, note, "  note: ", 8) end
  if matched then add_tensors(lines, tensors, matched) else lines[#lines + 1] = missing end
  return lines
end

return report
