-- test: goldens
-- The causal model of the PyTorch goldens, whose weights come under names of its own and as [in, out].
{
  name = "golden_causal",
  d_model = 48,
  n_heads = 3,
  seq_len = "1..16",
  mask = { lengths = true, causal = true },
  outputs = { "attention" },
  weights = {
    transposed = true,
    q_weight = "query.kernel", q_bias = "query.bias",
    k_weight = "key.kernel", k_bias = "key.bias",
    v_weight = "value.kernel", v_bias = "value.bias",
    o_weight = "output.kernel", o_bias = "output.bias",
  },
}
