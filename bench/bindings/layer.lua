-- The layer whose calls bench/bindings/run.lua times: so small that what a binding adds is seen.
return { name = "bound_128_4", d_model = 128, n_heads = 4, seq_len = "1..16" }
