-- ops/last_products.lua: products of rows after the last layer, whose panels the threads of a call share, for blocks
-- that ask for them by spec.has_last_products.
return {
  name = "last_products",
  on = function(spec) return spec.has_last_products end,
}
