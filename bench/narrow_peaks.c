// narrow_peaks.c: what this CPU's multiply-add units give for narrow numbers: loops in registers alone, timed.
// Never says what a kernel reaches; f32 is the program's own loop (program/report/peak_flops.c).
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROUNDS = 4096, SUMS = 12 }; // of a loop between two looks at the clock; independent sums, above latency x units

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(__x86_64__)
#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define DECLARE(i) __m512i s##i = _mm512_setzero_si512();
#define KEEP(i) __asm__ volatile("" : : "v"(s##i)); // the sums must be of use

// The instruction itself and not its intrinsic: compilers may copy each sum around an intrinsic. Factors are zeros.
#define LOOP(name, instruction)                                               \
    __attribute__((target("avx512f"))) static void name(void)                 \
    {                                                                         \
        const __m512i a = _mm512_setzero_si512(), b = _mm512_setzero_si512(); \
        TWELVE(DECLARE)                                                       \
        for (int round = 0; round < ROUNDS; round++) {                        \
            TWELVE(instruction)                                               \
        }                                                                     \
        TWELVE(KEEP)                                                          \
    }
#define BF16(i) __asm__ volatile("vdpbf16ps %1, %2, %0" : "+v"(s##i) : "v"(a), "v"(b));
#define WORDS(i) __asm__ volatile("vpdpwssd %1, %2, %0" : "+v"(s##i) : "v"(a), "v"(b));
#define BYTES(i) __asm__ volatile("vpdpbusd %1, %2, %0" : "+v"(s##i) : "v"(a), "v"(b));
LOOP(bf16_rounds, BF16)
LOOP(i16_rounds, WORDS)
LOOP(int8_rounds, BYTES)

static int has_bf16(void)
{
    return __builtin_cpu_supports("avx512bf16");
}
static int has_vnni(void)
{
    return __builtin_cpu_supports("avx512vnni");
}

static const struct loop {
    const char *numbers;
    double products; // of one instruction
    int (*runs_here)(void);
    void (*rounds)(void);
} loops[] = {
    {"bf16", 32, has_bf16, bf16_rounds},
    {"i16", 32, has_vnni, i16_rounds},
    {"int8", 64, has_vnni, int8_rounds},
};
#endif

// Giga-operations a second of one thread, a product and its addition being two; 0 where this CPU has no such
// instruction, or where no loop has that name.
double machine_narrow_peak(const char *numbers);

double machine_narrow_peak(const char *numbers)
{
#if defined(__x86_64__)
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
        if (strcmp(loops[i].numbers, numbers) != 0 || !loops[i].runs_here()) {
            continue;
        }
        double operations = 0.0, start = seconds_now(), spent = 0.0;
        while (spent < 3e-3) {
            loops[i].rounds();
            operations += 2.0 * loops[i].products * SUMS * ROUNDS;
            spent = seconds_now() - start;
        }
        return operations / spent / 1e9;
    }
#endif
    (void)numbers;
    return 0.0;
}
