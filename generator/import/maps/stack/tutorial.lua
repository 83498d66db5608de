-- tutorial: the well-known PyTorch tutorial of "Attention Is All You Need": w_q, w_k, w_v and w_concat in each
-- attention, norms with gamma and beta, a linear after the decoder. Its positions are computed.
local LAYER = {
  q_weight = "w_q.weight", q_bias = "w_q.bias", k_weight = "w_k.weight", k_bias = "w_k.bias",
  v_weight = "w_v.weight", v_bias = "w_v.bias", o_weight = "w_concat.weight", o_bias = "w_concat.bias",
}

-- An attention's weights by their roles with a prefix, under the name of the module that holds it.
local function attention(map, prefix, module)
  for role, tensor in pairs(LAYER) do map[prefix .. role] = module .. "." .. tensor end
end

local function norm(map, role, module)
  map[role .. "_norm_weight"], map[role .. "_norm_bias"] = module .. ".gamma", module .. ".beta"
end

local function side(name, first_attention)
  local map = {
    embedding = name .. ".emb.tok_emb.weight", layer = name .. ".layers.%d.",
    up_weight = "ffn.linear1.weight", up_bias = "ffn.linear1.bias",
    down_weight = "ffn.linear2.weight", down_bias = "ffn.linear2.bias",
  }
  attention(map, "", first_attention)
  norm(map, "attention", "norm1")
  return map
end

local encoder, decoder = side("encoder", "attention"), side("decoder", "self_attention")
norm(encoder, "ffn", "norm2")
attention(decoder, "memory_", "enc_dec_attention")
norm(decoder, "memory", "norm2")
norm(decoder, "ffn", "norm3")
decoder.logits_weight, decoder.logits_bias = "decoder.linear.weight", "decoder.linear.bias"

return { encoder = encoder, decoder = decoder }
