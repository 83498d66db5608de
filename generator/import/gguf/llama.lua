-- gguf/llama.lua: what llama.cpp calls llama: Llama, Mistral and their kind. Its converter brings the rows of q and k
-- to the order of interleaved rotary positions.
return require("import.gguf.common").decoder("llama", { fixed = { { "rope.layout", "interleaved" } } })
