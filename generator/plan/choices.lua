-- plan/choices.lua: a product in each arithmetic that a call may choose for it; of most products there is one. Knows no
-- product by name.
local product = require "plan.product"

-- The product `op` in the first of these arithmetics, which is planned by dims_of(its name). Of every one:
--   choices   on the first: all of them, itself first
--   of        the first
--   suffix    what their names have after those of the first, "" of itself
--   made      on the first: bytes of a row of the widest rows that any of them has made, nil for none; the product
--             itself says so where it is fast
return function(p, arithmetics, op, what, dims_of)
  local first
  for i, name in ipairs(arithmetics) do
    local suffix = i > 1 and "_" .. name or ""
    local f = product(p, op .. suffix, what, dims_of(name))
    first = first or f
    f.of, f.suffix, first.choices = first, suffix, first.choices or {}
    first.choices[i] = f
    if f.rows then first.made = math.max(first.made or 0, f.rows.bytes) end
  end
  return first
end
