-- projected_outputs.lua: q_proj, k_proj and v_proj of the spec's outputs: rows as the linears and their activations
-- left them. A feature of its own for its place: before all that is done to heads, which outputs.lua gives as they end
-- up.
return {
  name = "projected_outputs",
  uses = { "outputs" },
}
