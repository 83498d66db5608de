-- ops/attention.lua: the attentions of a layer: over its own rows and, in a decoder, over an encoder's output. Each
-- is a part generated as any attention layer (spec/stack.lua says its spec); here is what joins it to the stack.
local block = { name = "attention" }

block.weights = {
  "memory_q_weight", "memory_q_bias", "memory_k_weight", "memory_k_bias", "memory_v_weight", "memory_v_bias",
  "memory_o_weight", "memory_o_bias", "memory_qkv_weight", "memory_qkv_bias",
}

-- One of them: part: what its spec and its plan are called; packed: what its output projection is.
local function sublayer(spec, part, call, prefix, packed, says)
  return {
    name = part, part = part, prefix = prefix, call = call, first = part, says = says, does = "joining",
    input = "heads", input_width = "HEADS", width = "HEADS",
    splices = { pack = "attention.pack.c.lt", block = "attention.block.c.lt" },
    linears = {
      { packed = packed, product = "out", bias = spec.bias.o, parts = {
        { role = prefix .. "o", n_out = { spec.d_model, name = "D_MODEL" },
          n_in = { spec.n_heads * spec.d_head, name = "HEADS" } },
      } },
    },
  }
end

function block.sublayers(spec)
  local list = {}
  if spec.attention_spec then list[1] = sublayer(spec, "attention", "attend", "", "out", "attention") end
  if spec.memory_spec then
    list[2] = sublayer(spec, "memory", "attend_memory", "memory_", "memory_out", "attention to memory")
  end
  return list
end

function block.products(spec, add)
  if not spec.attends then return end
  add({ op = "out", what = "heads side by side -> what joins the residual", n_in = spec.n_heads * spec.d_head,
    n_out = spec.d_model })
end

function block.buffers(spec, add)
  if spec.memory_spec then add({ name = "memory", width = spec.d_model, unit = "memory_rows", during = "layer" }) end
  if spec.attends then
    add({ name = "heads", width = spec.n_heads * spec.d_head, unit = "rows", during = "layer" })
  end
end

function block.splices(spec)
  if not spec.attends then return { buffers = "attention.buffers.c.lt" } end
  local splices = {}
  for _, stage in ipairs({ "headers", "layer_sizes", "includes", "buffer_fields", "buffers", "pass_fields", "begin",
    "begin_functions", "layer_functions" }) do
    splices[stage] = "attention." .. stage .. ".c.lt"
  end
  local gives = spec.layer_attention or spec.layer_cross_attention
  splices.stack_facts = gives and "attention.stack_facts.c.lt"
  return splices
end

return block
