// measure.h: one cell of the benchmark: a call of given sizes, timed and compared with the machine's peak.
// Prints nothing and compares nothing.
#ifndef GA_MEASURE_H
#define GA_MEASURE_H

#include "load_model.h"
#include "model_call.h"

struct ga_cell {
    const char *isa;
    size_t batch, q_len, kv_len, threads;
    size_t cached;       // keys a sequence holds before each call, for a model with a cache
    const bool *outputs; // [GA_OUTPUTS], those a call gives
    size_t samples, calls_per_sample;
    double us_median, us_min, us_max; // of one call, over the samples
    double gflops;                    // at the median
    double peak_gflops;               // of the threads, by the bursts between the samples; 0: not measured
    double percent_of_peak, at_best;  // of the median call, of the fastest (peak_share.h); 0: not known
    double gbytes;                    // of weights, cached keys and values, input and output read or written a second
    double cpu_share; // of the time in which this thread waits for no other that it had the CPU: of all samples and
                      // bursts with one thread, of the bursts alone with more; well below 1 on a busy machine
};

// Fills everything from samples on; isa to threads say what to measure, threads being those of prepared->parallel.
// Inputs are made from a seed, token ids for a stack that has an embedding, else rows; keys are the query's own
// sequence where kv_len == q_len. Takes about `seconds` and at least three samples.
enum ga_exit ga_measure(const struct ga_context *context, const struct ga_model_instance *instance, double seconds,
                        struct ga_cell *cell);

#endif
