// standalone_crowd.c: how long a call takes on pools of more and more threads, on a machine that others may use at the
// same time: calls on each pool in turn, so that all meet the same neighbours. A measurement for people; checks
// nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sharing.h"
#include "threads_facts.h"

enum { SIZES = 5, BURST = 5, MOST = 100000, ROWS = 128 };
static const size_t sizes[SIZES] = {1, 2, 3, 4, 8};

struct crowd {
    struct caller callers[SIZES];
    struct ga_threads *pools[SIZES];
    double *times[SIZES]; // seconds, [MOST]
    size_t counts[SIZES];
};

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool make(struct crowd *crowd, const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, 1, ROWS);
    bool ok = true;
    for (size_t i = 0; i < SIZES; i++) {
        ok = caller_make(&crowd->callers[i], &at, sizes[i]) && ok;
        ok = ga_threads_new(sizes[i], &crowd->pools[i], NULL) == GA_OK && ok;
        crowd->times[i] = malloc(MOST * sizeof *crowd->times[i]);
        ok = ok && crowd->times[i] != NULL;
    }
    return ok;
}

// Calls one after the other; the first one, which has to wake the pool, is not counted.
static void run_burst(struct crowd *crowd, size_t i, const struct bits *wanted)
{
    for (size_t k = 0; k < BURST; k++) {
        const double start = threads_seconds();
        const bool same = caller_gives(&crowd->callers[i], ga_threads_parallel(crowd->pools[i]), wanted);
        if (k > 0 && same && crowd->counts[i] < MOST) {
            crowd->times[i][crowd->counts[i]++] = threads_seconds() - start;
        }
    }
}

static void print(const struct crowd *crowd)
{
    double alone = 0;
    for (size_t i = 0; i < SIZES; i++) {
        const size_t count = crowd->counts[i];
        if (count == 0) {
            continue;
        }
        qsort(crowd->times[i], count, sizeof(double), by_value);
        const double median = crowd->times[i][count / 2];
        alone = i == 0 ? median : alone;
        printf("%zu threads: %.0f us, 9 of 10 calls below %.0f us; %.2f of one thread's\n", sizes[i], 1e6 * median,
               1e6 * crowd->times[i][count * 9 / 10], median / alone);
    }
}

static void drop(struct crowd *crowd)
{
    for (size_t i = 0; i < SIZES; i++) {
        ga_threads_free(crowd->pools[i]);
        caller_drop(&crowd->callers[i]);
        free(crowd->times[i]);
    }
}

static bool measure(const struct ga_model *model, double seconds)
{
    static struct subject subject;
    static struct crowd crowd;
    static struct checks checks;
    checks = checks_new("crowd", 1);
    bool ok = subject_make(&subject, &checks, model, weights_random, false);
    const struct sharing sharing = {.checks = &checks, .subject = &subject}, at = sharing_at(&sharing, 1, ROWS);
    ok = ok && make(&crowd, &sharing);
    struct bits wanted = ok ? bits_alone(&at) : (struct bits){{NULL}};
    for (const double end = threads_seconds() + seconds; ok && wanted.after[0] && threads_seconds() < end;) {
        for (size_t i = 0; i < SIZES; i++) {
            run_burst(&crowd, i, &wanted);
        }
    }
    print(&crowd);
    drop(&crowd);
    bits_drop(&wanted);
    subject_drop(&subject);
    return ok && crowd.counts[0] > 0;
}

int main(int argc, char **argv)
{
    const double seconds = argc == 3 ? atof(argv[1]) : 0;
    for (size_t m = 0; seconds > 0 && m < n_ga_test_models; m++) {
        if (strcmp(ga_test_models[m]->name, argv[2]) == 0) {
            return measure(ga_test_models[m], seconds) ? 0 : 1;
        }
    }
    fprintf(stderr, "usage: %s SECONDS MODEL\nTimes calls of %d rows on 1 to 8 threads in turn.\n", argv[0], ROWS);
    return 2;
}
