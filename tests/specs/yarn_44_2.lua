return {
  -- Rotary positions scaled by yarn, in 18 of a head's 22 dimensions: slow pairs, fast pairs, and pairs on the ramp
  -- between; an attention factor that follows from the factor; tokens one after the other.
  name = "yarn_44_2",
  d_model = 44,
  n_heads = 2,
  seq_len = "1..40",
  cache = 60,
  rope = { layout = "half_split", rotary_dim = 18, theta = 700, scaling = "yarn", factor = 4, original_positions = 20,
    slow_turns = 0.5, fast_turns = 2 },
}
