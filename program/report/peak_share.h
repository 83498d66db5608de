// peak_share.h: how much of the peak a call reaches, by bursts that were measured between samples of it.
// Knows no model.
#ifndef GA_PEAK_SHARE_H
#define GA_PEAK_SHARE_H

#include <stddef.h>

// Where bursts come from: `one` gives the GFLOP/s of another.
struct ga_bursts {
    double (*one)(const void *self);
    const void *self;
    double *all;  // [count], which is sorted
    size_t count; // at least 1
};

struct ga_peak_share {
    double peak;    // GFLOP/s of all threads: by the median of the bursts, or by the fastest, where the call beats that
    double percent; // of it that the call reaches; 0: the peak is not known
    double at_best; // of the fastest burst that the fastest call reaches; 0 likewise
};

// median, fastest: GFLOP/s of a call. Another process can take a core from a burst and not from the call; a call that
// then seems to beat the peak gets more bursts, until one is as fast or there have been enough.
struct ga_peak_share ga_peak_share_of(double median, double fastest, size_t threads, const struct ga_bursts *bursts);

#endif
