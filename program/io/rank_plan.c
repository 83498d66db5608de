// rank_plan.c: what rank 0 says before a team's calls: how they are divided, and how long a token should take, by what
// the ranks' memory and gathers take here. Decides nothing: columns divide any model among any number of ranks.
#include <stdlib.h>

#include "clock.h"
#include "cost.h"
#include "rank_team.h"
#include "ranks.h"

enum {
    READ_BYTES = 1 << 26, // that each rank reads to measure its memory; more than most caches hold
    GATHERS = 32,         // that are timed, after as many that are not
};

// -- Measuring ------------------------------------------------------------------------------------------------------

struct reading {
    const uint64_t *words;
    size_t words_each; // of a part
    uint64_t sums[GA_MAX_THREADS];
};

// Four sums, so that none waits for another.
static void read_part(void *context, size_t part)
{
    struct reading *reading = context;
    const uint64_t *words = reading->words + part * reading->words_each;
    uint64_t sums[4] = {0};
    for (size_t i = 0; i + 4 <= reading->words_each; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            sums[k] += words[i + k];
        }
    }
    reading->sums[part] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Bytes a second that this rank's threads read, while other ranks do the same; 0: there is no memory for it.
static double read_speed(const struct ga_parallel *parallel)
{
    const size_t parts = parallel ? parallel->threads : 1;
    uint64_t *words = malloc(READ_BYTES);
    struct reading reading = {.words = words, .words_each = READ_BYTES / sizeof *words / parts};
    if (!words) {
        return 0;
    }
    for (size_t i = 0; i < READ_BYTES / sizeof *words; i++) {
        words[i] = i;
    }
    const double begun = ga_seconds_now();
    if (parallel) {
        parallel->run(parallel->self, parts, read_part, &reading);
    } else {
        read_part(&reading, 0);
    }
    const double seconds = ga_seconds_now() - begun;
    free(words);
    return seconds > 0 && reading.sums[0] > 0 ? (double)READ_BYTES / seconds : 0;
}

// Seconds of a gather of a row of so many floats, in the mean; below zero: it failed.
static double gather_seconds(const struct ga_ranks *ranks, size_t width)
{
    size_t ends[GA_MAX_TEAM];
    float *row = calloc(width, sizeof *row);
    double begun = 0;
    bool ok = row != NULL;
    for (size_t r = 0; r < ranks->size; r++) {
        ends[r] = width * (r + 1) / ranks->size * sizeof *row;
    }
    for (size_t i = 0; ok && i < 2 * GATHERS; i++) {
        begun = i == GATHERS ? ga_seconds_now() : begun;
        ok = ranks->gather(ranks->self, row, 1, width * sizeof *row, ends);
    }
    const double seconds = (ga_seconds_now() - begun) / (double)GATHERS;
    free(row);
    return ok ? seconds : -1;
}

// -- Saying ---------------------------------------------------------------------------------------------------------

struct plan {
    double bytes, speed, gather; // weights that a token reads, on all ranks; bytes a second of a rank; seconds
    size_t gathers;              // of a token
};

static void say(const struct ga_rank_team *team, const struct plan *plan)
{
    const size_t heads = team->context.model->n_kv_heads, most = (heads + team->count - 1) / team->count;
    const double reading = plan->bytes / (double)team->count / plan->speed;
    const double waiting = (double)plan->gathers * plan->gather;
    ga_note(
        &team->context,
        "%zu ranks divide the columns of each linear and the %zu key heads, %zu to %zu each; predicted for a token: "
        "at least %.3g ms, %.3g to read %.4g MB of weights on each at %.3g GB/s, and %.3g for %zu gathers of "
        "%.3g us",
        team->count, heads, heads / team->count, most, (reading + waiting) * 1e3, reading * 1e3,
        plan->bytes / (double)team->count / 1e6, plan->speed / 1e9, waiting * 1e3, plan->gathers, plan->gather * 1e6);
}

enum ga_exit ga_rank_team_plan(const struct ga_rank_team *team, const struct ga_model_instance *instance)
{
    const struct ga_model *model = team->context.model;
    if (team->count == 1) {
        return GA_EXIT_OK;
    }
    const size_t width = (model->n_heads * model->d_v + 2 * model->d_model + model->stack->d_ff) / 4;
    const struct ga_call_size token = {.batch = 1, .q_len = 1, .kv_len = 1, .cached = 1, .logit_rows = 1};
    const double speed = read_speed(instance->parallel), seconds = gather_seconds(team->ranks, width);
    const uint64_t own = (uint64_t)speed;
    uint64_t all[GA_MAX_TEAM];
    if (seconds < 0 || !ga_rank_library.tell(&own, 1, all)) {
        return GA_EXIT_FAILED; // ga_rank_team_end says why
    }
    struct plan plan = {ga_cost_weight_bytes(model, instance->variant, &token), speed, seconds,
                        4 * model->stack->n_layers + 1};
    for (size_t r = 0; r < team->count; r++) { // the slowest holds all of them up
        plan.speed = (double)all[r] < plan.speed ? (double)all[r] : plan.speed;
    }
    if (team->rank == 0 && plan.speed > 0) {
        say(team, &plan);
    }
    return GA_EXIT_OK;
}
