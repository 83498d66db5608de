-- shapes.lua: the specs that facts about every plan and every generated text are tried on, and the instruction sets.
-- Holds no test; the sizes lie on, below and above what tiles, vectors and partial sums divide.
local isa = require "isa"
local spec = require "spec"

local shapes = {}

local FIELDS = {
  { d_model = 1, n_heads = 1, seq_len = 1 },
  { d_model = 8, n_heads = 8, seq_len = 1, unroll = 1 },
  { d_model = 10, n_heads = 2, seq_len = 77, mask = { lengths = false } },
  { d_model = 24, n_heads = 3, seq_len = "1..5", unroll = 3 },
  { d_model = 33, n_heads = 3, seq_len = "1..40", mask = { causal = true }, outputs = { "attention" } },
  { d_model = 96, n_heads = 6, n_kv_heads = 2, vocab_size = 7, seq_len = "1..50", mask = { causal = "bottom_right" } },
  { d_model = 129, n_heads = 1, seq_len = 16, kv_seq_len = "3..17", bias = { q = true, k = false } },
  { d_model = 240, n_heads = 5, seq_len = "1..64", scale = 0.3, bias = false },
  { d_model = 40, n_heads = 4, d_head = 100, seq_len = "2..9", batch = 3 },
  { d_model = 40, n_heads = 4, n_kv_heads = 2, d_head = 9, k_dim = 24, v_dim = 33, d_out = 21, seq_len = "1..20",
    outputs = { "q_proj", "k_heads", "scores", "x_concat" } },
  { d_model = 32, n_heads = 2, v_dim = 20, seq_len = 12, projections = "qkv", mask = { lengths = false } },
  { d_model = 10, n_heads = 2, k_dim = 10, d_out = 12, seq_len = 7, projections = "qkvo", bias = { k = false } },
  { d_model = 10, n_heads = 2, seq_len = "1..7", projections = "qkv", vocab_size = 9 },
  { kind = "sdpa", n_heads = 6, n_kv_heads = 2, d_head = 13, d_v = 20, seq_len = "1..30", mask = { causal = true } },
  { d_model = 24, n_heads = 6, n_kv_heads = 2, k_dim = 8, v_dim = 8, d_head = 4, seq_len = 5, heads = "shared" },
  { d_model = 48, n_heads = 3, seq_len = 128, heads = "shared", bias = false, unroll = 1 },
  { kind = "sdpa", d_model = 32, n_heads = 2, seq_len = 9, mask = { lengths = false }, scale = 0.5 },
  { d_model = 512, n_heads = 8 },
  { d_model = 21, n_heads = 3, seq_len = "1..9", activation = { q = "gelu", k = "relu", v = "tanh", o = "silu" } },
  { d_model = 20, n_heads = 2, d_head = 19, seq_len = "1..7", rope = { layout = "interleaved", rotary_dim = 18 },
    qk_norm = { kind = "layer" } },
  { d_model = 30, n_heads = 6, n_kv_heads = 2, seq_len = "1..9", qk_norm = { kind = "rms", over = "row" } },
  { d_model = 48, n_heads = 2, seq_len = 9, rope = { layout = "half_split" }, qk_norm = { kind = "rms" } },
  { d_model = 32, n_heads = 2, seq_len = 8, activation = "gelu_tanh" },
}

-- Calls f(spec, label) for every shape.
function shapes.each(f)
  for i, fields in ipairs(FIELDS) do
    local s, errors = spec.from_fields(fields)
    if not s then error(table.concat(errors, "\n")) end
    f(s, ("shape %d (%s)"):format(i, spec.line(s)))
  end
end

-- The names of all instruction sets, best first.
function shapes.isas()
  return isa.ordered(isa.names())
end

-- Calls f(spec, instruction set, label) for every shape and every instruction set.
function shapes.each_isa(f)
  shapes.each(function(s, label)
    for _, name in ipairs(shapes.isas()) do f(s, isa.get(name), label .. " for " .. name) end
  end)
end

-- The text of files { path, text }, each after its path.
function shapes.joined(files)
  local parts = {}
  for _, file in ipairs(files) do parts[#parts + 1] = file.path .. "\n" .. file.text end
  return table.concat(parts, "\n")
end

return shapes
