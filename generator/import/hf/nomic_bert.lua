-- hf/nomic_bert.lua: NomicBertModel, whose code comes with its folders (nomic-embed-text-v1.5): norms after residuals,
-- rotary positions, a gated feed-forward, types of tokens. The names of its fields are GPT-2's; folders that
-- transformers 5 saved have BERT's.
local fixed = {
  { "kind", "encoder" }, { "rope.layout", "half_split" }, { "embedding.norm", true }, { "norm.kind", "layer" },
  { "norm.place", "post" }, { "ffn.gated", true },
}

local nomic = {
  maps = { "nomic_bert" },
  prefixes = { "", "bert." },
  fields = {
    { "n_embd", "d_model" },
    { "n_head", "n_heads" },
    { "n_layer", "n_layers" },
    { "n_inner", "d_ff" },
    { "activation_function", "ffn.activation", by = "gate" },
    { "qkv_proj_bias", "bias", default = true },
    { "mlp_fc1_bias", "ffn.bias", default = true },
    { "mlp_fc2_bias", "ffn.bias", by = "same", as = "mlp_fc1_bias", default = true },
    { "layer_norm_epsilon", "norm.eps", default = 1e-5 },
    { "vocab_size", "vocab_size" },
    { "type_vocab_size", "token_types" },
    { "rotary_emb_base", "rope.theta", default = 10000 },
    { "n_positions", "seq_len", by = "up_to" },
  },
  fixed = fixed,
  requires = {
    { "rotary_emb_fraction", 1, "all of a head turns" },
    { "rotary_emb_interleaved", false, "dimension i turns with i + d_head / 2" },
    { "rotary_emb_scale_base", nil, "rotary positions are not scaled" },
    { "rotary_scaling_factor", nil, "rotary positions are not scaled" },
    { "causal", false, "a row sees all others" },
    { "prenorm", false, "norms come after residuals" },
    { "use_rms_norm", false, "norms are LayerNorm" },
    { "parallel_block", false, "a layer's blocks come one after the other" },
    { "scale_attn_weights", true, "scores are divided by the root of a head's width" },
    { "scale_attn_by_inverse_layer_idx", false, "all layers share their scale" },
    { "reorder_and_upcast_attn", false, "scores are scaled after the product" },
    { "moe_every_n_layers", 0, "the feed-forward is one" },
  },
  ignores = {
    { "dropout is for training", "attn_pdrop embd_pdrop resid_pdrop" },
    { "how its code runs it", [[dense_seq_output fused_bias_fc fused_dropout_add_ln last_layer_subset use_flash_attn
      use_xentropy parallel_block_tied_norm]] },
    { "only where rotary positions are scaled", "max_trained_positions" },
    { "the table of tokens has whole multiples of it", "pad_vocab_size_multiple" },
    { "of heads", "summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj" },
  },
  base = "NomicBertModel",
  architectures = {
    NomicBertModel = {},
    NomicBertForPreTraining = { without = "its heads (cls)" },
  },
  unread = {
    { "made from rotary_emb_base", "encoder.layers.*.attn.rotary_emb.inv_freq" },
    { "the pooler (a linear and tanh over the first row) is not part of the stack", "pooler" },
    { "heads that are not made", "cls" },
  },
}

local saved_fixed = { { "bias", false }, { "ffn.bias", false } }
for _, row in ipairs(fixed) do saved_fixed[#saved_fixed + 1] = row end

nomic.saved = {
  lacks = "n_embd",
  data = {
    maps = nomic.maps, prefixes = nomic.prefixes,
    fields = {
      { "hidden_size", "d_model" },
      { "num_attention_heads", "n_heads" },
      { "head_dim", "d_head", optional = true },
      { "num_hidden_layers", "n_layers" },
      { "intermediate_size", "d_ff" },
      { "hidden_act", "ffn.activation", by = "activation", default = "silu" },
      { "layer_norm_eps", "norm.eps", default = 1e-12 },
      { "vocab_size", "vocab_size" },
      { "type_vocab_size", "token_types", default = 2 },
      { "rope_parameters.rope_theta", "rope.theta", default = 1000 },
      { "max_position_embeddings", "seq_len", by = "up_to" },
    },
    fixed = saved_fixed,
    requires = { { "rope_parameters.rope_type", "default", "rotary positions are not scaled" } },
    ignores = { { "dropout is for training", "hidden_dropout_prob attention_probs_dropout_prob" } },
    base = nomic.base, architectures = { NomicBertModel = {} }, unread = nomic.unread,
  },
}

return nomic
