-- plan/threads.lua: when work is worth sharing among threads, of layers and of whole models. Decides no division of it:
-- that is the call's, which knows how many threads there are.
return {
  thread_flops = 1000000, -- worth waking a thread for: some ten microseconds
  shared_rows = 32,     -- for fewer a thread, threads share a product's columns: each reads but its part of the weights
  max_groups = 16,      -- of a round: each has rows and slots of its own in scratch, which would grow with the threads
  out_tiles = 4,        -- of rows a thread, from which on threads divide the output's rows and not its columns: with
                        -- fewer the last tiles of each thread would be too low
}
