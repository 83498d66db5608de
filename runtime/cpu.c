// cpu.c: asks the compiler's runtime which vector extensions the CPU and its operating system support; keeps no state.
#include "cpu.h"

uint32_t ga_cpu_features(void)
{
    uint32_t features = 0;
#if defined(__x86_64__) || defined(__i386__)
    // Needed where a constructor of the host program gets here before the compiler's own ran.
    __builtin_cpu_init();
#define GA_CPU_ASK(name, text) features |= __builtin_cpu_supports(text) ? (uint32_t)GA_CPU_##name : 0u;
    GA_CPU_LIST(GA_CPU_ASK)
#undef GA_CPU_ASK
#endif
    return features;
}

bool ga_cpu_has(uint32_t needed)
{
    return (needed & ~ga_cpu_features()) == 0;
}
