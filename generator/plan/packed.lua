-- packed.lua: what lies where in a block of packed weights: parts one after the other, each of one element type and
-- aligned to a cache line. Knows no operation; offsets and sizes are bytes.
local caches = require "plan.caches"
local formats = require "formats"

local packed = {}

local ALIGN = caches.line_bytes

-- An empty layout. parts: { name, dtype, offset, bytes, fills } in order; bytes: of all, padding included.
function packed.new()
  return { parts = {}, bytes = 0 }
end

-- Appends a part of `bytes` bytes that has a layout of its own; type_name: of its elements, nil where they differ;
-- fills: what it is packed from (plan/packing.lua), nil if that is said elsewhere.
function packed.add_bytes(layout, name, bytes, type_name, fills)
  layout.parts[#layout.parts + 1] = { name = name, offset = layout.bytes, bytes = bytes, dtype = type_name,
    fills = fills }
  layout.bytes = layout.bytes + math.ceil(bytes / ALIGN) * ALIGN
end

-- Appends a part of `count` elements.
function packed.add(layout, name, count, type_name, fills)
  packed.add_bytes(layout, name, count * formats.get(type_name).bytes, type_name, fills)
end

-- Appends a product: its panels, the bias of each column, then the panels of each other choice that there is of its
-- arithmetic. fills_of(choice): what the panels of one are packed from.
function packed.add_product(layout, name, f, columns, fills_of)
  packed.add_bytes(layout, name, f.bytes, f.dtype, fills_of(f))
  packed.add(layout, name .. "_bias", columns, "f32")
  for i = 2, #f.choices do
    local choice = f.choices[i]
    packed.add_bytes(layout, name .. choice.suffix, choice.bytes, choice.dtype, fills_of(choice))
  end
end

return packed
