-- plan/threads.lua: when work is worth sharing among threads, of layers and of whole models. Decides no division of it:
-- that is the call's, which knows how many threads there are.
return {
  part_flops = 1000000, -- worth waking a thread for: some ten microseconds
  shared_rows = 32,     -- for fewer a thread, threads share a product's columns: each reads but its part of the weights
}
