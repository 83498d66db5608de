// machine.c: what memory and clock give on this machine, for the roofline: reading speed of a block, cycles a second.
// The multiply-add peak is the program's own (program/report/peak_flops.c). Knows nothing of attention.
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

enum { STEP = 8 }; // independent sums, more than an addition's latency

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static float read_once(const vector *block, size_t vectors)
{
    vector sums[STEP] = {{0}};
    for (size_t i = 0; i + STEP <= vectors; i += STEP) {
        for (size_t s = 0; s < STEP; s++) {
            sums[s] += block[i + s];
        }
    }
    vector total = {0};
    for (size_t s = 0; s < STEP; s++) {
        total += sums[s];
    }
    return total[0];
}

// GB/s of reading block (64-byte aligned, its bytes a multiple of 1024) over and over for about `seconds`.
double machine_read(const float *block, size_t bytes, double seconds);

double machine_read(const float *block, size_t bytes, double seconds)
{
    volatile float kept; // the sums must be of use
    kept = read_once((const vector *)block, bytes / sizeof(vector));
    double start = seconds_now(), spent = 0.0, passes = 0.0;
    while (spent < seconds) {
        for (size_t done = 0; done < (1u << 20) || done == 0; done += bytes) {
            kept = read_once((const vector *)block, bytes / sizeof(vector));
            passes += 1.0;
        }
        spent = seconds_now() - start;
    }
    (void)kept;
    return passes * (double)bytes / spent / 1e9;
}

// Cycles a nanosecond: a chain of integer additions, each of which takes one cycle on every CPU this runs on.
double machine_clock(void);

double machine_clock(void)
{
    enum { ADDITIONS = 2000000 };
    uint64_t x = 1;
    const double start = seconds_now();
    for (int i = 0; i < ADDITIONS / 16; i++) {
        for (int j = 0; j < 16; j++) {
            x += (uint64_t)i;
            __asm__ volatile("" : "+r"(x)); // keeps the additions apart
        }
    }
    return ADDITIONS / (seconds_now() - start) / 1e9;
}
