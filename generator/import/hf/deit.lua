-- hf/deit.lua: DeiTModel after its patches: a ViT with a second token after cls, that of its teacher.
local common = require "import.hf.common"
local vit = require "import.hf.vit"

local deit = common.like(vit, "ViT", "DeiT", {
  unread = { { "the caller's: rows have this token after the cls token", "embeddings.distillation_token" } },
})
for i, row in ipairs(vit.fields) do
  local own = {}
  for key, value in pairs(row) do own[key] = value end
  if row.by == "patches" then own.tokens = 2 end
  deit.fields[i] = own
end
deit.prefixes = { "", "deit." }
deit.note = "x is [cls token, distillation token, projected patches] without positions: embeddings.cls_token, " ..
  "embeddings.distillation_token, then embeddings.patch_embeddings.projection (a convolution) over the image, row " ..
  "by row"
return deit
