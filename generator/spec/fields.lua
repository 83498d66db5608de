-- fields.lua: the fields every spec has whatever its features: what they are called, their types and defaults.
-- Checks nothing between fields; that is spec/init.lua's and the features' part.
local types = require "spec.types"

local RESERVED = {}
for word in ([[alignas alignof asm auto bool break case catch char class const constexpr continue default delete do
  double else enum explicit export extern false float for friend goto if inline int long main mutable namespace new
  noexcept nullptr operator private protected public register restrict return short signed sizeof static struct
  switch template this throw true try typedef typename union unsigned using virtual void volatile while]]):gmatch("%a+") do
  RESERVED[word] = true
end

local function name(value)
  if type(value) ~= "string" or not value:match("^[a-z][a-z0-9_]*$") or #value > 40 then
    return nil, ("must match ^[a-z][a-z0-9_]*$ (at most 40 letters), found %s"):format(types.shown(value))
  end
  if RESERVED[value] or value:match("^ga_") then
    return nil, ("%q is taken: a C or C++ keyword, main, or the runtime's prefix ga_"):format(value)
  end
  return value
end

local function as_number(word)
  return tonumber(word) or word
end

local function as_is(word)
  return word
end

-- In the order of --help and of the banner. `default` is what --help prints; spec/init.lua computes it.
return {
  { field = "kind", check = types.choice({ "mha" }, { "sdpa", "encoder", "decoder", "transformer" }), default = "mha" },
  { field = "name", flag = "--name", value = "NAME", check = name, parse = as_is, default = "mha_<d_model>_<heads>",
    help = "prefix of every symbol made, and the program's name" },
  { field = "d_model", flag = "--d-model", value = "N", check = types.count(1, 65536), parse = as_number,
    required = true, default = "512", help = "width of the layer's input and output" },
  { field = "n_heads", flag = "--heads", value = "N", check = types.count(1, 1024), parse = as_number,
    required = true, default = "8", help = "attention heads" },
  { field = "d_head", flag = "--d-head", value = "N", check = types.count(1, 1024), parse = as_number,
    default = "d_model / heads", help = "width of one head" },
  { field = "seq_len", flag = "--seq-len", value = "N|MIN..MAX", check = types.length(65536), parse = as_number,
    default = "1..512", help = "rows of a query sequence: exactly N, or any from MIN to MAX" },
  { field = "kv_seq_len", flag = "--kv-seq-len", value = "N|MIN..MAX", check = types.length(65536), parse = as_number,
    default = "as --seq-len", help = "rows of a key and value sequence" },
  { field = "batch", flag = "--batch", value = "N", check = types.count(1, 65536), parse = as_number,
    default = "any", help = "fix the number of sequences in a call" },
  { field = "dtype", check = types.choice({ "f32" }, { "bf16", "int8" }), default = "f32" },
  { field = "projections", check = types.choice({ "qkvo" }, { "qkv" }), default = "qkvo" },
  { field = "heads", check = types.choice({ "split" }, { "shared" }), default = "split" },
  { field = "unroll", flag = "--unroll", value = "N", check = types.count(1, 16), parse = as_number,
    default = "2", help = "steps of the inner product unrolled in every kernel; more costs code and wins nothing" },
}
