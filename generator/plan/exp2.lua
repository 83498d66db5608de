-- exp2.lua: the polynomial every instruction set evaluates 2^f with, f in [-1/2, 1/2].
-- Minimax in relative error, made by tools/fit_exp2.lua; degree 6 leaves less than an ulp of float after rounding.
return {
  0x1.00000002614ffp0, 0x1.62e430c7e91b1p-1, 0x1.ebfbdadcb13c4p-3, 0x1.c6aed4b95c7b5p-5, 0x1.3b2dbbc0a6f9dp-7,
  0x1.5f456a866eba7p-10, 0x1.41d333a459af2p-13,
}
