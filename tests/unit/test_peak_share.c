// test_peak_share.c: what part of the peak a call reaches, where bursts were disturbed and calls were not.
#include "peak_share.h"

#include <criterion/criterion.h>

enum { MOST = 64 };

// Bursts that are still to come, and how many were asked for; past their end the last one comes again.
struct later {
    const double *rates;
    size_t count;
    size_t *asked;
};

static double next(const void *self)
{
    const struct later *later = self;
    const size_t i = (*later->asked)++;
    return later->rates[i < later->count ? i : later->count - 1];
}

static struct ga_peak_share share_of(double median, double fastest, size_t threads, const double *later, size_t count,
                                     size_t *asked_out)
{
    double all[] = {20, 40, 50, 60};
    const struct later source = {later, count, asked_out};
    *asked_out = 0;
    return ga_peak_share_of(median, fastest, threads, &(struct ga_bursts){next, &source, all, 4});
}

static void expect(struct ga_peak_share found, double peak, double percent, double at_best)
{
    cr_expect_float_eq(found.peak, peak, 1e-9, "peak %g", found.peak);
    cr_expect_float_eq(found.percent, percent, 1e-9, "%g %%", found.percent);
    cr_expect_float_eq(found.at_best, at_best, 1e-9, "at best %g %%", found.at_best);
}

Test(peak_share, the_median_is_held_against_the_median_and_the_best_against_the_best)
{
    static const double none[] = {1000};
    size_t asked;
    expect(share_of(36, 54, 1, none, 1, &asked), 45, 80, 90);
    expect(share_of(72, 108, 2, none, 1, &asked), 90, 80, 90);
    cr_expect_eq(asked, 0, "bursts that no call asks for");
}

Test(peak_share, a_call_beyond_all_bursts_gets_more_of_them)
{
    static const double recovered[] = {30, 80, 1000};
    size_t asked;
    expect(share_of(60, 72, 1, recovered, 3, &asked), 80, 75, 90);
    cr_expect_eq(asked, 2);
}

Test(peak_share, a_machine_that_stays_busy_shows)
{
    static const double busy[] = {30};
    size_t asked;
    expect(share_of(90, 120, 1, busy, 1, &asked), 60, 150, 200);
    cr_expect(asked > 0 && asked < MOST, "asked %zu times", asked);
}

Test(peak_share, an_instruction_set_whose_peak_is_not_known_has_no_share)
{
    double all[] = {0, 0, 0};
    static const double none[] = {0};
    size_t asked = 0;
    const struct later source = {none, 1, &asked};
    expect(ga_peak_share_of(5, 6, 1, &(struct ga_bursts){next, &source, all, 3}), 0, 0, 0);
}
