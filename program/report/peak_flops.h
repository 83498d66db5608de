// peak_flops.h: how many floating-point operations a second one core can do at all, measured.
// Says nothing of memory: the loop lives in registers.
#ifndef GA_PEAK_FLOPS_H
#define GA_PEAK_FLOPS_H

// GFLOP/s of one burst of about 3 ms on the calling thread: fused multiply-adds of the ISA's widest vectors for "avx2",
// "avx512" and what refines them; for any other name, multiplies and adds of four floats (on AArch64 fused), the most a
// C program compiled for any CPU of its kind reaches. 0 where this CPU cannot run the ISA.
double ga_peak_gflops(const char *isa);

#endif
