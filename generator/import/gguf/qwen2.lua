-- gguf/qwen2.lua: Qwen-2: a Llama with biases on q, k and v, whose rows are where transformers has them.
return require("import.gguf.common").decoder("qwen2", { fixed = { { "rope.layout", "half_split" } } })
