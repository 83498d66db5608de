// clock.c: the system's clocks, read as seconds.
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ga_seconds_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double ga_thread_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
