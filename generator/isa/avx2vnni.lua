-- avx2vnni.lua: AVX2 on CPUs with AVX-VNNI (Intel since Alder Lake, AMD since Zen 5).
local vnni = require "isa.x86.vnni"

return {
  name = "avx2vnni", of = "avx2",
  products = vnni({ TYPE = "__m256i", BEGIN = "_mm256", END = "avx_epi32", PREFIX = "%{vex%} ", REGISTER = "x",
    IF = "defined(__GNUC__) && defined(__AVXVNNI__)" }, "_mm256_set1_epi32(lane_at(&%s))",
    "_mm256_loadu_si256((const __m256i *)(%s))", { cflags = { "-mavxvnni" }, cpu = { "AVX_VNNI" } }),
}
