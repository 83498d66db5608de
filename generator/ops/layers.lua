-- ops/layers.lua: a whole model as a stack of layers: which kinds there are, how many layers, what they consist of,
-- and what of a spec's fields a layer's attention takes. The attention itself is a part of its own (spec/stack.lua),
-- generated as any layer. Without it a layer is a feed-forward; without layers there is what stands around them.
local fmt = require "base.fmt"
local kinds = require "schema.kinds"
local types = require "schema.types"

-- Fields of one attention layer that a stack fills itself.
local OF_ONE_LAYER = {
  "projections", "heads", "k_dim", "v_dim", "d_v", "d_out", "add_bias_kv", "add_zero_attn", "sinks",
}

local MOST_LAYERS = 512 -- each map names each weight of each layer: megabytes of C from here on

-- Fields of a stack whose layers do not attend; all others that a feature or a head has are attention's.
local WITHOUT_ATTENTION = {}
for field in ([[kind name d_model seq_len batch dtype unroll n_layers layer d_ff ffn norm positions token_types
  embedding sublayer pool dense classifier logits vocab_size tokenizer text_input weights weights_prefix dropout
  matmul mask.lengths]]):gmatch("%S+") do
  WITHOUT_ATTENTION[field] = true
end
-- Of these, those of layers.
local OF_LAYERS = { d_ff = true, ffn = true, layer = true, matmul = true,
  ["norm.place"] = true, ["logits.transform"] = true }

local function given(spec, field)
  for _, entry in ipairs(spec.given) do
    if entry.field == field or entry.field:match("^" .. field .. "%.") then return true end
  end
  return false
end

-- An activation after the output projection would stand between attention and the residual.
local function check_output_activation(spec, fail)
  if spec.activation and spec.activation.o then
    fail(('activation names o, but with kind = "%s" the output projection\'s result joins the residual'):format(
      spec.kind))
  end
end

-- What only a layer that attends has, or any layer.
local function check_without(spec, fail)
  local is_bare, without = spec.n_layers == 0, "layer.attention = false leaves its layers without attention"
  if is_bare then without = "n_layers = 0 leaves out its layers" end
  for _, entry in ipairs(spec.given) do
    local group = entry.field:match("^[^.]+")
    local is_taken = WITHOUT_ATTENTION[entry.field] or WITHOUT_ATTENTION[group]
    if not is_taken or is_bare and (OF_LAYERS[entry.field] or OF_LAYERS[group]) then
      fail(("%s is given, but %s"):format(entry.field, without))
    end
  end
end

-- Blocks that read the same rows have a norm each of these.
local function check_parallel(spec, fail)
  local norm = spec.norm or {}
  if not spec.layer.parallel then return end
  if spec.kind ~= "encoder" or not spec.layer.attention then
    fail('layer.parallel is given, but only layers of kind = "encoder" that attend have two blocks which may read ' ..
      "the same rows")
  elseif norm.place ~= "pre" or norm.kind == "none" then
    fail('layer.parallel is given, but norm.place is not "pre": each block has a norm of the rows that both read')
  end
end

-- Rows that nothing happens to are no model.
local function check_bare(spec, fail)
  local embedding, norm = spec.embedding or {}, spec.norm or {}
  local does = spec.vocab_size or spec.positions or spec.token_types or embedding.scale or embedding.norm or
    norm.final or spec.sublayer or spec.pool or spec.logits
  if spec.n_layers == 0 and not does then
    fail("n_layers = 0 leaves rows as they are: give vocab_size, positions, token_types, embedding, sublayer, " ..
      "norm.final, pool or logits as well")
  end
end

local function resolve_parts(spec, fail)
  local layer = spec.layer or {}
  spec.layer = { attention = layer.attention ~= false, residual = layer.residual ~= false,
    residual_scale = layer.residual_scale, parallel = layer.parallel or false }
  check_parallel(spec, fail)
  if layer.residual == false and layer.residual_scale then
    fail("layer.residual_scale is given, but layer.residual = false: nothing joins a residual")
  end
  if not spec.attends and spec.kind ~= "encoder" then
    fail(('%s is given, but every layer of kind = "%s" attends; kind = "encoder" may go without'):format(
      spec.n_layers == 0 and "n_layers = 0" or "layer.attention = false", spec.kind))
  elseif not spec.attends then
    check_without(spec, fail)
    check_bare(spec, fail)
  elseif not spec.layer.residual then
    fail("layer.residual = false is given, but what attention gives joins a residual: only a feed-forward " ..
      "(layer.attention = false) goes without")
  end
end

local function sentence_of(spec)
  if spec.n_layers == 0 then return "no layers: what is added to rows at first, and what is made of them at the end" end
  return ("%d layer%s of %s%s%s"):format(spec.n_layers, spec.n_layers == 1 and "" or "s",
    spec.layer.attention and "one shape, which share their code" or "a feed-forward alone",
    spec.layer.parallel and ", whose two blocks read the same rows" or "",
    spec.layer.residual_scale and (", which adds its results times %s"):format(fmt.double(spec.layer.residual_scale)) or
    spec.layer.residual and "" or ", which takes the place of its rows")
end

return {
  name = "layers",
  uses = { "added_rows" },
  fields = {
    { field = "n_layers", flag = "--layers", check = types.count(0, MOST_LAYERS),
      required = function(raw) return kinds.is_stack(raw.kind) end, default = "6",
      help = "layers of the encoder, the decoder, or each of both; 0, only in an encoder: just the parts around layers",
      group = "whole models", example = "n_layers = 6" },
    { field = "layer.attention", flag = "--layer-attention", check = types.boolean, default = "yes",
      help = "no: each layer of an encoder is only a feed-forward",
      group = "whole models", example = "layer = { attention = false }",
      meaning = "`false`: each layer of an encoder is only a feed-forward" },
    { field = "layer.residual", flag = "--layer-residual", check = types.boolean, default = "yes",
      help = "no: the feed-forward's result replaces its rows and is not added to them",
      group = "whole models", example = "layer = { attention = false, residual = false }",
      meaning = "`false`: the result of the feed-forward replaces its rows and is not added to them" },
    { field = "layer.residual_scale", flag = "--layer-residual-scale", check = types.number(1e-6, 1e6), default = "1",
      help = "factor of what each block adds to the residual",
      group = "whole models", example = "layer = { residual_scale = 0.22 }" },
    { field = "layer.parallel", flag = "--layer-parallel", check = types.boolean, default = "no",
      help = "attention and feed-forward read the same rows, and both results are added to them",
      group = "whole models", example = 'norm = { place = "pre" }, layer = { parallel = true }' },
    { field = "n_decoder_layers", flag = "--decoder-layers", check = types.count(1, MOST_LAYERS),
      default = "as --layers", help = "layers of the decoder of a transformer",
      group = "whole models", example = 'kind = "transformer", n_decoder_layers = 3' },
    { field = "src_vocab_size", flag = "--src-vocab-size", check = types.count(1, 16777216),
      default = "as --vocab-size", help = "rows of the source embedding of a transformer",
      group = "whole models", example = 'kind = "transformer", vocab_size = 37000, src_vocab_size = 32000' },
  },
  resolve = function(spec, fail)
    if not spec.stack then return end
    for _, field in ipairs(OF_ONE_LAYER) do
      if given(spec, field) then
        fail(('%s is given, but kind = "%s" is a stack of layers, which does without it'):format(field, spec.kind))
      end
    end
    if spec.kind == "encoder" and given(spec, "kv_seq_len") then
      fail('kv_seq_len is given, but kind = "encoder" has no other sequence than its own')
    end
    for _, field in ipairs(spec.kind ~= "transformer" and { "n_decoder_layers", "src_vocab_size" } or {}) do
      if given(spec, field) then
        fail(('%s is given, but kind = "%s" is not "transformer", which has two sides'):format(field, spec.kind))
      end
    end
    spec.n_decoder_layers = spec.n_decoder_layers or spec.n_layers
    spec.src_vocab_size = spec.src_vocab_size or spec.vocab_size
    check_output_activation(spec, fail)
    resolve_parts(spec, fail)
    spec.adds_rows = spec.n_layers > 0 and spec.layer.residual and not spec.layer.residual_scale
  end,
  properties = function(spec)
    return { { "without_attention", not spec.attends }, { "without_residual", not spec.layer.residual },
      { "parallel", spec.layer.parallel }, { "residual_scale", spec.layer.residual_scale } }
  end,
  words = function(spec)
    return { joining = spec.layer.residual and "y" or "x" }
  end,
  tensors = function(spec, add)
    add({ name = "x", shape = { "rows", "d_model" }, width = spec.d_model, stride = "D_MODEL" })
    if spec.n_layers > 0 and spec.layer.residual then
      add({ name = "y", shape = { "block", "d_model" }, width = spec.d_model, stride = "D_MODEL" })
    end
    add({ name = "output", shape = { "batch", "q_len", "d_model" }, is = "output" })
  end,
  sublayer_operations = function(spec, add, sublayer)
    if not spec.layer.residual then return end
    add({ name = sublayer.name .. "_join", op = "sum", phase = "block", reads = { "x", "y" }, writes = { "x" },
      template = "layers.joins" })
  end,
  last_operations = function(_, add, words)
    add({ name = "output", op = "copy", phase = "output", reads = { words.result }, writes = { "output" },
      template = "layers.outputs" })
  end,
  sentence = function(spec)
    if not spec.stack then return nil end
    if spec.kind == "transformer" then
      return ("an encoder of %d layers and a decoder of %d, the layers of each sharing their code"):format(
        spec.n_layers, spec.n_decoder_layers)
    end
    return sentence_of(spec)
  end,
}
