// cpu.c: stands in for runtime/base/cpu.c where kernels are emulated: a CPU that has every feature there is, and its
// matrix registers.
// Linked into the emulated test only; with it a real instruction set would be a SIGILL.
#include "cpu.h"

#include "tiles.h"

_Thread_local struct emulated_tiles emulated_tiles;

struct ga_cpu_found ga_cpu_find(uint32_t asked)
{
    return (struct ga_cpu_found){asked, 0};
}

uint32_t ga_cpu_features(void)
{
    return UINT32_MAX;
}

bool ga_cpu_has(uint32_t needed)
{
    (void)needed;
    return true;
}

bool ga_cpu_allow_amx(void)
{
    return true;
}
