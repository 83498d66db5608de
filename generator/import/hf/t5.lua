-- hf/t5.lua: T5EncoderModel and sentence encoders made from one (sentence-t5, gtr-t5): RMSNorm before blocks, one bias
-- by distance for all layers, scores that are not scaled, no biases of linears.
return {
  maps = { "t5", "t5_gated" },
  prefixes = { "" },
  fields = {
    { "d_model", "d_model" },
    { "num_heads", "n_heads" },
    { "d_kv", "d_head" },
    { "num_layers", "n_layers" },
    { "d_ff", "d_ff" },
    { "feed_forward_proj", "ffn.activation", by = "t5_activation", default = "relu" },
    { "feed_forward_proj", "ffn.gated", by = "t5_gated", default = "relu" },
    { "feed_forward_proj", "weights", by = "t5_layout", default = "relu" },
    { "layer_norm_epsilon", "norm.eps", default = 1e-6 },
    { "relative_attention_num_buckets", "relative_bias.num_buckets", default = 32 },
    { "relative_attention_max_distance", "relative_bias.max_distance", default = 128 },
    { "vocab_size", "vocab_size" },
    { "n_positions", "seq_len", by = "up_to", default = 512 },
  },
  fixed = {
    { "kind", "encoder" }, { "norm.kind", "rms" }, { "norm.place", "pre" }, { "bias", false }, { "ffn.bias", false },
    { "scale", 1 }, { "relative_bias.bidirectional", true }, { "relative_bias.shared", true },
  },
  ignores = {
    { "the encoder alone is made", "is_encoder_decoder" },
    { "dropout is for training", "dropout_rate" },
    { "said by feed_forward_proj", "dense_act_fn is_gated_act" },
    { "of the decoder, which is not made", "is_decoder num_decoder_layers scale_decoder_outputs" },
  },
  base = "T5EncoderModel",
  architectures = { T5EncoderModel = {} },
  unread = {
    { "the embedding once more", "encoder.embed_tokens" },
    { "the decoder, which is not made", "decoder lm_head" },
  },
}
