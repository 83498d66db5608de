-- hf/deit.lua: DeiTModel after its patches: a ViT with a second token after cls, that of its teacher.
local vit = require "import.hf.vit"

local same = {}
for key, value in pairs(vit) do same[key] = value end

same.fields = {}
for i, row in ipairs(vit.fields) do
  local own = {}
  for key, value in pairs(row) do own[key] = value end
  if row.by == "patches" then own.tokens = 2 end
  same.fields[i] = own
end

same.prefixes = { "", "deit." }
same.note = "x is [cls token, distillation token, projected patches] without positions: embeddings.cls_token, " ..
  "embeddings.distillation_token, then embeddings.patch_embeddings.projection (a convolution) over the image, row " ..
  "by row"
same.base, same.architectures = "DeiTModel", {
  DeiTModel = vit.architectures.ViTModel, DeiTForImageClassification = vit.architectures.ViTForImageClassification,
}
same.unread = { { "the caller's: rows have this token after the cls token", "embeddings.distillation_token" } }
for _, row in ipairs(vit.unread) do same.unread[#same.unread + 1] = row end
return same
