-- exp2.lua: the polynomial every instruction set evaluates 2^f with, f in [-1/2, 1/2].
-- Minimax in relative error, made by tools/fit_exp2.lua; evaluated in float it is within 0.95 ulp, subnormal powers
-- included (docs/numbers.md). Degree 5 would make 2^0, which must be exactly 1, an ulp too large.
return {
  0x1.00000002615p0, 0x1.62e430c7e9238p-1, 0x1.ebfbdadcb0c2ep-3, 0x1.c6aed4b950d8ap-5, 0x1.3b2dbbc0f9312p-7,
  0x1.5f456a8ad4318p-10, 0x1.41d3336e31028p-13,
}
