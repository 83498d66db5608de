-- vocabulary/kept.lua: what templates may say of numbers in memory: packed weights and cached rows, by format.
local formats = require "formats"
local groups = require "formats.vocabulary.groups"

local kept = {}

-- C functions of a format's single elements, "" where there are none.
function kept.helpers(name)
  return formats.get(name).helpers or ""
end

-- What vectors of a format call and need of an instruction set where they are loaded, and with `stores` where they are
-- stored: helpers, C texts; arrays cflags, cpu.
function kept.needs(name, set, stores)
  local t = formats.get(name)
  return t.group and groups.needs(t, set) or set.needs({ t.load or "load", stores and t.store or nil })
end

-- Whether a format has groups, by whose weights two sets multiply rows of floats by different products.
function kept.groups_differ(name, set, other)
  local t = formats.get(name)
  return t.group ~= nil and groups.differ(t, set, other)
end

-- Weights of one column in `depth` rows of a panel, in bytes.
function kept.column_bytes(name, depth)
  local t = formats.get(name)
  return t.group and math.ceil(depth / t.group) * t.column_bytes or depth * t.bytes
end

-- What templates of one instruction set (a table of isa) may say of a format: type, bytes, is_float where elements are
-- floats, and as C expressions load(pointer), from_float(value), to_float(element), store(pointer, vector) and
-- cast(pointer), a pointer to floats as one to elements. Of one with a scale for each group also group, unit, facts,
-- column_bytes, and what groups.vocabulary has; of one with a scale for each row largest and steps, the same of the
-- format of scales, otherwise nil.
function kept.vocabulary(name, set)
  local t, V = formats.get(name), set.V
  local function column_bytes_of(depth) return kept.column_bytes(name, depth) end
  if t.group then
    local W = groups.vocabulary(t, set)
    W.column_bytes_of = column_bytes_of
    return W
  end
  local function spelled(format) return function(expression) return format:format(expression) end end
  return {
    name = t.name, type = t.type, bytes = t.bytes, is_float = not t.load,
    steps = t.scales and kept.vocabulary(t.scales, set), largest = t.largest,
    load = V[t.load or "load"], store = V[t.store or "store"],
    from_float = spelled(t.from_float), to_float = spelled(t.to_float), column_bytes_of = column_bytes_of,
    cast = t.load and spelled("(" .. t.type .. " *)%s") or spelled("%s"),
  }
end

return kept
