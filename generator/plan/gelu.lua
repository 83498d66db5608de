-- gelu.lua: the polynomial every instruction set evaluates the tail of the normal distribution with: Q(t) exp(t^2 / 2)
-- in w = (t - 4) / (t + 4) for 0 <= t <= 14. Minimax in relative error, made by tools/fit_gelu.lua; within 0.13 ulp.
return {
  0x1.82b4bbb77ebd4p-4, -0x1.5cf97d7b24e3dp-3, 0x1.fd751088700a8p-4, -0x1.25b603d065e2cp-4,
  0x1.f9b247f7710cfp-6, -0x1.1673b98317925p-7, 0x1.0811e07b1be3cp-11, 0x1.58d4d4c6b90a2p-11,
  -0x1.63ac1d9cb64bp-13, -0x1.16175043542f1p-14,
}
