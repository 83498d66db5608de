-- ops/attention.lua: the attentions of a layer: over its own rows and, in a decoder, over an encoder's output. Each
-- is a part generated as any attention layer (spec/stack.lua says its spec); here is what joins it to the stack.
local linear = require "ops.linear"

local block = { name = "attention" }

block.weights = {
  "memory_q_weight", "memory_q_bias", "memory_k_weight", "memory_k_bias", "memory_v_weight", "memory_v_bias",
  "memory_o_weight", "memory_o_bias", "memory_qkv_weight", "memory_qkv_bias",
}

-- The weights of one of them: those of its part that each layer has.
local function part_weights(spec, part, prefix)
  local names = {}
  for _, role in ipairs(spec[part .. "_spec"].roles) do
    names[#names + 1] = not role.is_shared and prefix .. role.name or nil
  end
  return names
end

-- One of them: part: what its spec and its plan are called; packed: what its output projection is; reads: its tensors.
local function sublayer(spec, words, part, call, prefix, packed, says, reads)
  return {
    name = part, part = part, parts = { part }, prefix = prefix,
    operations = {
      { name = part, op = "attention", phase = "all rows", call = call, says = says, panels = part, reads = reads,
        writes = { "heads", "attention_scratch" }, weights = part_weights(spec, part, prefix) },
      linear.operation(spec, { name = packed, packed = packed, product = "out", role = "o", bias = spec.bias.o,
        does = "joining", reads = { "heads" }, writes = { words.joining }, width = "HEADS", parts = {
          { role = prefix .. "o", n_out = { spec.d_model, name = "D_MODEL" },
            n_in = { spec.n_heads * spec.d_head, name = "HEADS" } },
        } }),
    },
  }
end

function block.sublayers(spec, words)
  local list = {}
  if spec.attention_spec then
    list[1] = sublayer(spec, words, "attention", "attend", "", "out", "attention", { words.normed })
  end
  for i = 2, #spec.layer_kinds do list[1].parts[i] = spec.layer_kinds[i].part end
  if spec.memory_spec then
    list[2] = sublayer(spec, words, "memory", "attend_memory", "memory_", "memory_out", "attention to memory",
      { words.normed, "memory" })
  end
  return list
end

function block.first_operations(spec, add)
  if not spec.memory_spec then return end
  add({ name = "memory_rows", op = "gather", phase = "call", reads = { "key" }, writes = { "memory" },
    template = "attention.begin" })
end

function block.products(spec, add)
  if not spec.attends then return end
  add({ op = "out", what = "heads side by side -> what joins the residual", n_in = spec.n_heads * spec.d_head,
    n_out = spec.d_model, role = "o" })
end

-- attention_scratch is what the plan of a part asks for; one part runs at a time.
function block.tensors(spec, add)
  if spec.memory_spec then
    add({ name = "key", shape = { "batch", "kv_len", "d_model" }, is = "input" })
    add({ name = "memory", shape = { "memory_rows", "d_model" }, width = spec.d_model, stride = "D_MODEL" })
  end
  if spec.attends then
    add({ name = "heads", shape = { "rows", "heads" }, width = spec.n_heads * spec.d_head, stride = "HEADS" })
    add({ name = "attention_scratch", shape = { "bytes" }, dtype = "any", is = "private" })
  end
end

return block
