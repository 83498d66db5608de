// unknown_cpu.c: stands in for runtime/base/cpu.c: a CPU nobody knows, or one that has no feature that is asked for.
// With it in front of the runtime, only portable C11 may run.
#include "cpu.h"

struct ga_cpu_found ga_cpu_find(uint32_t asked)
{
    (void)asked;
    return (struct ga_cpu_found){0, 0};
}

uint32_t ga_cpu_features(void)
{
    return 0;
}

bool ga_cpu_has(uint32_t needed)
{
    return needed == 0;
}

bool ga_cpu_allow_amx(void)
{
    return false;
}
