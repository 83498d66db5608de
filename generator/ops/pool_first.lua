-- ops/pool_first.lua: the embedding as the first numbers of pooled rows, where no linear comes between (ops/dense.lua).
return {
  name = "pool_first",
  on = function(spec) return spec.pool and spec.pool.size and not spec.dense end,
  uses = { "pooling" },
}
