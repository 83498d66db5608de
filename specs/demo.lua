-- The demo: token ids 0..99 -> embedding -> multi-head self-attention -> [batch, length, 512], any length up to 20.
{
  name = "demo",
  vocab_size = 100,
  d_model = 512,
  n_heads = 8,
  seq_len = "1..20",
  outputs = { "attention" },
  weights = {
    embedding = "embedding.weight",
    q_weight = "w_q.weight", q_bias = "w_q.bias",
    k_weight = "w_k.weight", k_bias = "w_k.bias",
    v_weight = "w_v.weight", v_bias = "w_v.bias",
    o_weight = "w_0.weight", o_bias = "w_0.bias",
  },
}
