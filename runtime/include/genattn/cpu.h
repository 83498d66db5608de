// cpu.h: finds which instruction sets this CPU and its operating system can run. It does not choose one.
#ifndef GA_CPU_H
#define GA_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One row per feature that the generator's ISA tables may name: the end of its enumerator; its name in /proc/cpuinfo;
// and of x86-64 its leaf of the instruction cpuid, register and bit, and the registers that the operating system must
// save for it (cpu_decode.c defines the words). Macros that need only the first two columns take the others as "...".
// The matrix registers of AMX also need a permission (ga_cpu_allow_amx).
#define GA_CPU_X86_LIST(X)                               \
    X(AVX2, "avx2", LEAF_7, EBX, 5, YMM)                 \
    X(FMA, "fma", LEAF_1, ECX, 12, YMM)                  \
    X(F16C, "f16c", LEAF_1, ECX, 29, YMM)                \
    X(AVX512F, "avx512f", LEAF_7, EBX, 16, ZMM)          \
    X(AVX512DQ, "avx512dq", LEAF_7, EBX, 17, ZMM)        \
    X(AVX512BW, "avx512bw", LEAF_7, EBX, 30, ZMM)        \
    X(AVX512VL, "avx512vl", LEAF_7, EBX, 31, ZMM)        \
    X(AVX512_VNNI, "avx512_vnni", LEAF_7, ECX, 11, ZMM)  \
    X(AVX512_BF16, "avx512_bf16", LEAF_7_1, EAX, 5, ZMM) \
    X(AVX_VNNI, "avx_vnni", LEAF_7_1, EAX, 4, YMM)       \
    X(AMX_TILE, "amx_tile", LEAF_7, EDX, 24, TILES)      \
    X(AMX_INT8, "amx_int8", LEAF_7, EDX, 25, TILES)      \
    X(SSE4A, "sse4a", LEAF_EXTENDED_1, ECX, 6, YMM)
#define GA_CPU_LIST(X)             \
    GA_CPU_X86_LIST(X)             \
    X(ASIMD, "asimd", AARCH64)     \
    X(ASIMDDP, "asimddp", AARCH64) \
    X(I8MM, "i8mm", AARCH64)       \
    X(BF16, "bf16", AARCH64)

enum ga_cpu_bit {
#define GA_CPU_BIT(name, ...) GA_CPU_BIT_##name,
    GA_CPU_LIST(GA_CPU_BIT)
#undef GA_CPU_BIT
};
enum ga_cpu_feature {
#define GA_CPU_FEATURE(name, ...) GA_CPU_##name = 1 << GA_CPU_BIT_##name,
    GA_CPU_LIST(GA_CPU_FEATURE)
#undef GA_CPU_FEATURE
};

// Two sets of GA_CPU_* bits. A feature in neither is missing from the CPU, or unknown to the table.
struct ga_cpu_found {
    uint32_t usable;   // the CPU has it, and the operating system saves its registers
    uint32_t disabled; // the CPU has it, but the operating system does not save its registers for this process
};

// Finds the features in `asked`. Each call asks the CPU and keeps nothing. It takes a fraction of a microsecond, but
// tens of microseconds on a virtual machine whose host answers for the CPU. Where the CPU has AMX, Linux is asked too
// whether this process may use it (arch_prctl).
struct ga_cpu_found ga_cpu_find(uint32_t asked);

// The usable features, as a set of GA_CPU_* bits; 0 on a CPU that the table does not know.
uint32_t ga_cpu_features(void);

// True if every feature of `needed` is usable.
bool ga_cpu_has(uint32_t needed);

// Asks Linux to let all threads of this process use the matrix registers of AMX, 8 KiB a thread, which a process may
// use only after it has asked (arch_prctl, ARCH_REQ_XCOMP_PERM). True if they are usable then. It is the only function
// of the library that changes the process, and no other function calls it: call it once, before a variant is chosen.
// Results have the same bits without it. Linux refuses where a thread has a signal stack (sigaltstack) that is too
// small for these registers, and from then on refuses such stacks. Any thread may call it, any number of times.
bool ga_cpu_allow_amx(void);

#ifdef __cplusplus
}
#endif
#endif
