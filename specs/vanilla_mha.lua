-- Multi-head attention as first published: "Attention Is All You Need" (Vaswani et al., 2017, arXiv:1706.03762), the
-- base model's sizes. Four linears with biases, scores divided by sqrt(d_head), softmax.
return {
  name = "vanilla_mha",
  d_model = 512,
  n_heads = 8,
  weights = "w_concat",        -- w_q, w_k, w_v, w_concat; others: docs/models.md
}
