-- hf/vit.lua: ViTModel after its patches: norms before blocks and one after the last, learned positions. The caller
-- projects the patches and puts the cls token before them.
return {
  maps = { "vit" },
  prefixes = { "", "vit." },
  fields = {
    { "hidden_size", "d_model" },
    { "num_attention_heads", "n_heads" },
    { "num_hidden_layers", "n_layers" },
    { "intermediate_size", "d_ff" },
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
    { "layer_norm_eps", "norm.eps", default = 1e-12 },
    { "qkv_bias", "bias", by = "qkv_bias", default = true },
    { "image_size", "seq_len", by = "patches", default = 224 },
    { "image_size", "positions.rows", by = "patches", default = 224 },
    { "patch_size", nil, default = 16, use = "rows and positions of image_size" },
  },
  fixed = {
    { "kind", "encoder" }, { "positions.kind", "learned" }, { "norm.kind", "layer" }, { "norm.place", "pre" },
    { "pool.kind", "cls" },
  },
  requires = {},
  ignores = {
    { "dropout is for training", "hidden_dropout_prob attention_probs_dropout_prob" },
    { "of the patches, which are the caller's", "num_channels" },
    { "heads' and the pooler's", "encoder_stride pooler_output_size pooler_act" },
  },
  note = "x is [cls token, projected patches] without positions: embeddings.cls_token, then " ..
    "embeddings.patch_embeddings.projection (a convolution) over the image, row by row",
  base = "ViTModel",
  architectures = {
    ViTModel = {},
    ViTForImageClassification = {
      fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
      fields = { { "id2label", "logits.size", by = "labels", default = 2 } },
      note = "the image's logits are those of row 0",
    },
  },
  unread = {
    { "the caller's: rows are given with the cls token before the projected patches",
      "embeddings.cls_token embeddings.patch_embeddings.projection" },
    { "for training", "embeddings.mask_token" },
    { "the pooler (a linear and tanh over the first row) is not part of the stack", "pooler" },
    { "a head that is not asked for", "classifier" },
  },
}
