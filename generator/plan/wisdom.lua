-- plan/wisdom.lua: wisdom: values of tuning parameters that were measured, as text that people can read, merge and
-- review. Knows no parameter by name, and measures nothing.
local fs = require "base.fs"
local spec_api = require "spec"
local tuning = require "plan.tuning"

local wisdom = {}

-- An entry is the line [wisdom], then what it is for, what it gains, and its parameters. KEY: what it is for.
local HEAD, GAIN = "[wisdom]", "gain"
local KEY = {
  { name = "cpu", expected = "vendor, family and model of a CPU, such as AuthenticAMD 25 17" },
  { name = "l1d", expected = "the bytes of the L1 data cache", is_number = true },
  { name = "l2", expected = "the bytes of the L2 cache", is_number = true },
  { name = "compiler", expected = "a compiler and its major version, such as gcc 12" },
  { name = "plan", expected = "the revision of the plan", is_number = true },
  { name = "isa", expected = "an instruction set" },
  { name = "spec", expected = "the fields of a spec on one line" },
}
local MOST_BYTES = 1024 * 1024

-- A spec in the key of its wisdom: every field except the name, which changes no time.
function wisdom.spec_key(s)
  return (spec_api.line(s):gsub("%f[%w_]name=\"[^\"]*\"%s?", "", 1):gsub("%s$", ""))
end

-- What machine and compiler an entry is for; with isa and spec its whole key.
local function machine_text(entry)
  return ("%s, L1d %s, L2 %s, %s"):format(entry.cpu, entry.l1d, entry.l2, entry.compiler)
end

local function key_of(entry)
  local words = {}
  for i, row in ipairs(KEY) do words[i] = entry[row.name] end
  return table.concat(words, "\n")
end

-- -- Reading ----------------------------------------------------------------------------------------------------------

-- Readers of a line's value: what the entry holds, or nil and what is expected.
local function read_key(entry, row, value)
  if value == "" or row.is_number and not value:find("^%d+$") then return nil, row.expected end
  entry[row.name] = value
  return true
end

local function read_gain(entry, value)
  entry.gain = value:find("^%d%.%d+$") and tonumber(value)
  return entry.gain and true, "the time before divided by the time after, such as 1.034"
end

local function read_parameter(entry, name, value)
  if not name:find("^[%l_][%l%d_]*%.%l+$") then return nil, "a tuning parameter, such as out.rows" end
  if entry.values[name] then return nil, "each parameter once" end
  if not value:find("^%d%d?%d?%d?%d?%d?$") then return nil, "a whole number of at most six digits" end
  entry.values[name] = tonumber(value)
  return true
end

-- Reads a line "name = value" into an entry, whose keys come first and in order, then its gain.
local function read_pair(entry, name, value)
  local row = KEY[entry.read + 1]
  entry.read = entry.read + 1
  if row and name == row.name then return read_key(entry, row, value) end
  if row then return nil, row.name .. ": " .. row.expected end
  if entry.read == #KEY + 1 then
    if name ~= GAIN then return nil, GAIN end
    return read_gain(entry, value)
  end
  return read_parameter(entry, name, value)
end

-- The name that an unfinished entry lacks next.
local function expected_name(entry)
  return (KEY[entry.read + 1] or { name = GAIN }).name
end

-- Reads a line into the list of entries: true, or nil and what is expected instead.
local function read_line(entries, line)
  local entry = entries[#entries]
  if line == "" or line:find("^#") then return true end
  if line == HEAD then
    if entry and entry.read <= #KEY then return nil, expected_name(entry) end
    entries[#entries + 1] = { read = 0, values = {} }
    return true
  end
  local name, value = line:match("^([%w_.]+) = (.*)$")
  if not name then return nil, "name = value, or " .. HEAD end
  if not entry then return nil, HEAD end
  return read_pair(entry, name, value)
end

local function refusal(path, number, line, expected)
  return ("%s, line %d: '%s'; expected %s"):format(path, number, #line > 60 and line:sub(1, 57) .. "..." or line,
    expected)
end

-- The second entry of a key, or one without an end.
local function check_entries(path, entries)
  local seen = {}
  local last = entries[#entries]
  if last and last.read <= #KEY then
    return nil, ("%s: the file ends within an entry; expected %s"):format(path, expected_name(last))
  end
  for _, entry in ipairs(entries) do
    local key = key_of(entry)
    if seen[key] then
      return nil, ("%s, line %d: repeats the entry of line %d; expected one for each key"):format(path, entry.line,
        seen[key])
    end
    seen[key] = entry.line
  end
  return entries
end

-- The entries of a text; or nil and a message that names the line. Each has the fields of KEY as texts, gain, and
-- values: numbers by the names of parameters. path: for messages.
function wisdom.parse(content, path)
  local entries, number = {}, 0
  if #content > MOST_BYTES then
    return nil, ("%s: has %d bytes; expected at most %d"):format(path, #content, MOST_BYTES)
  end
  for line in (content:gsub("\n$", "") .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    if line:find("%c") then return nil, refusal(path, number, line, "no control characters") end
    local ok, expected = read_line(entries, line)
    if not ok then return nil, refusal(path, number, line, expected) end
    local entry = entries[#entries]
    if entry then entry.line = entry.line or number end
  end
  return check_entries(path, entries)
end

-- The entries of a file that somebody gave; or nil and a message.
function wisdom.read(path)
  local content, why = fs.read_given(path, MOST_BYTES + 1)
  if not content then return nil, why end
  return wisdom.parse(content, path)
end

-- -- Writing ----------------------------------------------------------------------------------------------------------

local function entry_lines(entry, lines)
  lines[#lines + 1] = HEAD
  for _, row in ipairs(KEY) do lines[#lines + 1] = row.name .. " = " .. entry[row.name] end
  lines[#lines + 1] = ("%s = %.3f"):format(GAIN, entry.gain)
  local names = {}
  for name in pairs(entry.values) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do lines[#lines + 1] = ("%s = %d"):format(name, entry.values[name]) end
  lines[#lines + 1] = ""
end

-- Entries as a text that parse reads.
function wisdom.text(entries)
  local lines = { "# Wisdom of genattn: values of tuning parameters that 'ninja tune' measured (docs/tuning.md).", "" }
  for _, entry in ipairs(entries) do entry_lines(entry, lines) end
  return table.concat(lines, "\n")
end

-- All entries of several lists: of those with one key the one that gains more, or the first.
function wisdom.merge(lists)
  local merged, at = {}, {}
  for _, list in ipairs(lists) do
    for _, entry in ipairs(list) do
      local key = key_of(entry)
      if not at[key] then
        merged[#merged + 1], at[key] = entry, #merged + 1
      elseif entry.gain > merged[at[key]].gain then
        merged[at[key]] = entry
      end
    end
  end
  return merged
end

-- -- Choosing ---------------------------------------------------------------------------------------------------------

local function is_of_machine(entry, machine)
  if machine.cpu_only then return entry.cpu == machine.cpu and entry.compiler == machine.compiler end
  return entry.cpu == machine.cpu and entry.l1d == machine.l1d and entry.l2 == machine.l2 and
    entry.compiler == machine.compiler
end

-- The entries for a machine { cpu, l1d, l2, compiler } and this generator's plans. cpu_only: whatever the caches.
function wisdom.of_machine(entries, machine)
  local list = {}
  for _, entry in ipairs(entries) do
    local fits = tonumber(entry.plan) == tuning.REVISION and is_of_machine(entry, machine)
    list[#list + 1] = fits and entry or nil
  end
  return list
end

-- The values of a spec's parameters, by instruction set; nil where there are none. Or false and a message, if there are
-- two for one set.
function wisdom.of_spec(entries, s)
  local key, chosen = wisdom.spec_key(s), {}
  for _, entry in ipairs(entries) do
    if entry.spec == key and tonumber(entry.plan) == tuning.REVISION then
      local before = chosen[entry.isa]
      if before then
        return false, ("two entries of wisdom are for %s: of %s, and of %s; expected those of one machine"):format(
          entry.isa, machine_text(before), machine_text(entry))
      end
      chosen[entry.isa] = entry
    end
  end
  local values = {}
  for isa, entry in pairs(chosen) do values[isa] = entry.values end
  return next(values) and values or nil
end

return wisdom
