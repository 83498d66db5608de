-- avxvnni.lua: AVX2 with the products of integers of AVX-512's VNNI in eight lanes (Intel since Alder Lake, AMD since
-- Zen 5). What it adds only products of integers use: for f32 nothing is made of it.
local avx2 = require "isa.avx2"

return setmetatable({
  name = "avxvnni", cflags = { "-mavx2", "-mfma", "-mavxvnni" }, cpu = { "AVX2", "FMA", "AVX_VNNI" }, only_named = true,
  like = "avx2",
}, { __index = avx2 })
