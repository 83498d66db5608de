-- plan/caches.lua: what plans and templates suppose of the caches of every CPU. Sizes of what is to stay in a cache
-- are outside the plan that cuts it.
return {
  line_bytes = 64,
  line_floats = 16,
  -- Lines so many bytes apart share a set of an L1 cache of 32 KiB, which holds so many of them: Zen 2 to Zen 4. In one
  -- of 48 KiB, of Zen 5 and of Intel since Ice Lake, a set holds twelve.
  l1_period = 4096,
  l1_ways = 8,
  -- How far before a row of queries its cached keys and values are asked for, where they are not floats: instructions
  -- that make floats of them fill the window in which a core finds reads of its own accord.
  cached_ahead = 8192,
  prefetch_locality = 2, -- of GCC's __builtin_prefetch: into L2 and not L1, which holds the tile at work
}
