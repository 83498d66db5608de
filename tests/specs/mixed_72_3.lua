-- test: every_template, emulated
return {
  -- A layer whose projections differ in dtype: rows made once for k and v, and of q as they are; heads that fill no
  -- vector, so that those of o are joined first.
  name = "mixed_72_3",
  d_model = 72,
  n_heads = 3,
  d_head = 20,
  seq_len = "1..24",
  dtype = { default = "int8", q = "f32", o = "i16" },
}
