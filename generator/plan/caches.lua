-- plan/caches.lua: what plans and templates suppose of the caches of every CPU. Sizes of what is to stay in a cache
-- stand beside the plan that cuts it.
return {
  line_bytes = 64,
  line_floats = 16,
  prefetch_locality = 2, -- of GCC's __builtin_prefetch: into L2 and not L1, which holds the tile at work
}
