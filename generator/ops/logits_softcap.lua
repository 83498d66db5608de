-- ops/logits_softcap.lua: caps logits softly. ops/logits.lua has the field.
return {
  name = "logits_softcap",
  on = function(spec) return spec.logits and spec.logits.softcap end,
}
