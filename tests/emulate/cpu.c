// cpu.c: stands in for runtime/cpu.c where kernels are emulated: a CPU that has every feature there is.
// Linked into the emulated test only; with it a real instruction set would be a SIGILL.
#include "cpu.h"

uint32_t ga_cpu_features(void)
{
    return UINT32_MAX;
}

bool ga_cpu_has(uint32_t needed)
{
    (void)needed;
    return true;
}
