-- Compared with live PyTorch: heads of 48, which fill no power of two, and lengths across several tiles.
{ name = "live_240_5", d_model = 240, n_heads = 5, seq_len = "1..77", outputs = { "attention" } }
