-- hf/mpnet.lua: MPNetModel and sentence encoders made from one (all-mpnet-base-v2): RobertaModel with one bias for
-- buckets of distances that all layers share, and without types of tokens.
local like = require("import.hf.common").renamed(require "import.hf.roberta", "Roberta", "MPNet")

return {
  maps = { "mpnet", "mpnet_one_bias" },
  prefixes = { "", "mpnet." },
  fields = {
    { "hidden_size", "d_model", default = 768 },
    { "num_attention_heads", "n_heads", default = 12 },
    { "num_hidden_layers", "n_layers", default = 12 },
    { "intermediate_size", "d_ff", default = 3072 },
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
    { "layer_norm_eps", "norm.eps", default = 1e-12 },
    { "vocab_size", "vocab_size", default = 30527 },
    { "max_position_embeddings", "positions.rows", default = 512 },
    { "max_position_embeddings", "seq_len", by = "up_to_less", less = 2, default = 512 },
  },
  fixed = {
    { "kind", "encoder" }, { "positions.kind", "learned" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "post" }, { "positions.padding", 1 }, { "positions.first", 2 },
    { "relative_bias.num_buckets", 32 }, { "relative_bias.max_distance", 128 },
    { "relative_bias.bidirectional", true }, { "relative_bias.shared", true },
  },
  requires = {
    { "relative_attention_num_buckets", 32, "distances have one of 32 buckets, whatever the size of the table" },
  },
  ignores = {
    { "dropout is for training", "hidden_dropout_prob attention_probs_dropout_prob" },
  },
  base = like.base, architectures = like.architectures, unread = like.unread,
}
