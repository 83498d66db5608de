// cpu.h: which instruction sets this CPU (and its operating system) can run; decides nothing.
#ifndef GA_CPU_H
#define GA_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One row per feature the generator's ISA tables may name: enumerator's tail, the name __builtin_cpu_supports takes.
#define GA_CPU_LIST(X)      \
    X(AVX2, "avx2")         \
    X(FMA, "fma")           \
    X(AVX512F, "avx512f")   \
    X(AVX512DQ, "avx512dq") \
    X(AVX512BW, "avx512bw") \
    X(AVX512VL, "avx512vl")

enum ga_cpu_bit {
#define GA_CPU_BIT(name, text) GA_CPU_BIT_##name,
    GA_CPU_LIST(GA_CPU_BIT)
#undef GA_CPU_BIT
};
enum ga_cpu_feature {
#define GA_CPU_FEATURE(name, text) GA_CPU_##name = 1 << GA_CPU_BIT_##name,
    GA_CPU_LIST(GA_CPU_FEATURE)
#undef GA_CPU_FEATURE
};

// The features present, as a set of GA_CPU_* bits; 0 on a CPU the table does not know.
uint32_t ga_cpu_features(void);

// True where every feature of `needed` is present.
bool ga_cpu_has(uint32_t needed);

#ifdef __cplusplus
}
#endif
#endif
