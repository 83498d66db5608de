-- Compared with live transformers: BertAttention up to its output's linear, and attention with one linear for q, k, v.
{ name = "hf_bert_48_4", d_model = 48, n_heads = 4, seq_len = "1..43", weights = "bert", outputs = { "attention" } }
