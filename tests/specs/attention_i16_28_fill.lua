-- test: bits, check
return {
  -- Attention of 16 bits whose masked keys have a number, so low that few rows give them weight, padding among them;
  -- a learned key and one of zeros; softmax weights and their mean are outputs.
  name = "attention_i16_28_fill",
  d_model = 28,
  n_heads = 2,
  seq_len = "1..290",
  mask = { causal = true, tensor = "bool" },
  mask_fill = -4.5,
  add_bias_kv = true,
  add_zero_attn = true,
  outputs = { "attention", "attention_mean", "q_heads" },
  dtype = { attention = "i16" },
}
