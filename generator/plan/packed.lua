-- packed.lua: what lies where in a block of packed weights: parts one after the other, each of one element type and
-- aligned to a cache line. Knows no operation; offsets and sizes are bytes.
local caches = require "plan.caches"
local dtype = require "dtype"

local packed = {}

local ALIGN = caches.line_bytes

-- An empty layout. parts: { name, dtype, count, offset, bytes } in order; bytes: of all, padding included.
function packed.new()
  return { parts = {}, bytes = 0 }
end

-- Appends a part of `bytes` bytes that has a layout of its own.
function packed.add_bytes(layout, name, bytes)
  layout.parts[#layout.parts + 1] = { name = name, offset = layout.bytes, bytes = bytes }
  layout.bytes = layout.bytes + math.ceil(bytes / ALIGN) * ALIGN
end

-- Appends a part of `count` elements.
function packed.add(layout, name, count, type_name)
  packed.add_bytes(layout, name, count * dtype.get(type_name).bytes)
  local part = layout.parts[#layout.parts]
  part.dtype, part.count = type_name, count
end

-- Appends a linear: its panels, [depth][columns] elements in all, then the bias of each column.
function packed.add_linear(layout, name, depth, columns, type_name)
  packed.add(layout, name, depth * columns, type_name)
  packed.add(layout, name .. "_bias", columns, "f32")
end

return packed
