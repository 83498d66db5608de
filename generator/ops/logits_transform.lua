-- ops/logits_transform.lua: what rows go through before the linear of logits. ops/logits.lua has its fields and roles.
return {
  name = "logits_transform",
  on = function(spec) return spec.logits and spec.logits.transform end,
  uses = { "norm", "run_last" },
}
