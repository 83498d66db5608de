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

-- Appends a part of `bytes` bytes that has a layout of its own; type_name: of its elements, nil where they differ.
function packed.add_bytes(layout, name, bytes, type_name)
  layout.parts[#layout.parts + 1] = { name = name, offset = layout.bytes, bytes = bytes, dtype = type_name }
  layout.bytes = layout.bytes + math.ceil(bytes / ALIGN) * ALIGN
end

-- Appends a part of `count` elements.
function packed.add(layout, name, count, type_name)
  packed.add_bytes(layout, name, count * dtype.get(type_name).bytes, type_name)
end

-- Appends a linear: its panels, then the bias of each column.
function packed.add_linear(layout, name, bytes, columns, type_name)
  packed.add_bytes(layout, name, bytes, type_name)
  packed.add(layout, name .. "_bias", columns, "f32")
end

-- Appends a product: a linear, and after it the panels of each other choice that there is of its arithmetic.
function packed.add_product(layout, name, f, columns)
  packed.add_linear(layout, name, f.bytes, columns, f.dtype)
  for i = 2, #f.choices do
    local choice = f.choices[i]
    packed.add_bytes(layout, name .. choice.suffix, choice.bytes, choice.dtype)
  end
end

return packed
