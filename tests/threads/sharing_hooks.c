// sharing_hooks.c: facts of sharing.h about schedulers that a caller may bring as io.parallel: all that struct
// ga_parallel allows them. None of them returns before its parts have: that is what it forbids.
#include <pthread.h>

#include "sharing.h"

typedef void hook(void *self, size_t parts, void (*task)(void *context, size_t part), void *context);

// What hooks have to themselves.
struct scheduler {
    struct rng rng;
    struct caller *other; // does its calls in between
    const struct bits *wanted;
    size_t wrong, runs;
};

// Calls under one hook hold the bits of calls without.
static void call_by(const struct sharing *at, const char *name, hook *run, struct scheduler *scheduler)
{
    enum { ROUNDS_SHARE = 4 };
    struct caller caller;
    struct bits wanted = bits_alone(at);
    const size_t rounds = at->rounds / ROUNDS_SHARE + 1;
    const struct ga_parallel parallel = {.threads = SHARING_THREADS, .run = run, .self = scheduler};
    size_t wrong = 0;
    scheduler->rng = rng_seeded(7);
    scheduler->wanted = &wanted;
    if (caller_make(&caller, at, SHARING_THREADS) && wanted.after[0]) {
        for (size_t round = 0; round < rounds; round++) {
            wrong += !caller_gives(&caller, &parallel, &wanted);
        }
        checks_that(at->checks, wrong == 0, "%s: %zu of %zu rounds gave other bits", name, wrong, rounds);
        checks_that(at->checks, scheduler->runs > 0, "%s: no call was in parts", name);
    }
    caller_drop(&caller);
    bits_drop(&wanted);
}

// 0..parts-1 in random order.
static void shuffle(struct rng *rng, size_t parts, size_t order[SHARING_THREADS])
{
    for (size_t i = 0; i < parts; i++) {
        const size_t at = rng_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}

// -- Any order ------------------------------------------------------------------------------------------------------

static void run_backwards(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    struct scheduler *scheduler = self;
    scheduler->runs++;
    while (parts > 0) {
        task(context, --parts);
    }
}

static void run_shuffled(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    struct scheduler *scheduler = self;
    size_t order[SHARING_THREADS];
    scheduler->runs++;
    shuffle(&scheduler->rng, parts, order);
    for (size_t i = 0; i < parts; i++) {
        task(context, order[i]);
    }
}

void a_hook_may_do_parts_in_any_order(const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, PARTS_BATCH, PARTS_ROWS);
    struct scheduler scheduler = {.runs = 0};
    call_by(&at, "backwards", run_backwards, &scheduler);
    scheduler.runs = 0;
    call_by(&at, "shuffled", run_shuffled, &scheduler);
}

// -- Any thread -----------------------------------------------------------------------------------------------------

// Some parts of a round, for a thread.
struct share {
    void (*task)(void *context, size_t part);
    void *context;
    const size_t *order;
    size_t from, to;
    pthread_t thread;
};

static void *do_share(void *argument)
{
    struct share *share = argument;
    for (size_t i = share->from; i < share->to; i++) {
        share->task(share->context, share->order[i]);
    }
    return NULL;
}

// Shuffled parts, cut into so many shares, each on a thread that was not there before; where none can be had, on this.
static void run_shares(struct scheduler *scheduler, size_t shares, size_t parts,
                       void (*task)(void *context, size_t part), void *context)
{
    size_t order[SHARING_THREADS];
    struct share list[SHARING_THREADS];
    bool started[SHARING_THREADS];
    scheduler->runs++;
    shuffle(&scheduler->rng, parts, order);
    for (size_t i = 0; i < shares; i++) {
        list[i] = (struct share){task, context, order, parts * i / shares, parts * (i + 1) / shares, pthread_self()};
        started[i] = pthread_create(&list[i].thread, NULL, do_share, &list[i]) == 0;
    }
    for (size_t i = 0; i < shares; i++) {
        if (started[i]) {
            pthread_join(list[i].thread, NULL);
        } else {
            do_share(&list[i]);
        }
    }
}

static void run_elsewhere(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    run_shares(self, 1, parts, task, context);
}

static void run_by_two(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    run_shares(self, 2, parts, task, context);
}

static void run_each_alone(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    run_shares(self, parts, parts, task, context);
}

void a_hook_may_do_parts_on_any_thread(const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, PARTS_BATCH, PARTS_ROWS);
    struct scheduler schedulers[3] = {{.runs = 0}, {.runs = 0}, {.runs = 0}};
    call_by(&at, "all on one other thread", run_elsewhere, &schedulers[0]);
    call_by(&at, "on two other threads", run_by_two, &schedulers[1]);
    call_by(&at, "each on a thread of its own", run_each_alone, &schedulers[2]);
}

// -- Calls within calls ---------------------------------------------------------------------------------------------

// As a scheduler does that gives a waiting thread other work: a whole call with buffers of its own.
static void run_between(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    struct scheduler *scheduler = self;
    for (size_t part = 0; part < parts; part++) {
        task(context, part);
        if (part == scheduler->runs % parts) {
            scheduler->wrong += !caller_gives(scheduler->other, NULL, scheduler->wanted);
        }
    }
    scheduler->runs++;
}

void a_hook_may_do_another_call_in_between(const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, PARTS_BATCH, PARTS_ROWS);
    struct caller other;
    struct scheduler scheduler = {.other = &other};
    if (caller_make(&other, &at, 1)) {
        call_by(&at, "with another call in between", run_between, &scheduler);
        checks_that(sharing->checks, scheduler.wrong == 0, "%zu of %zu calls in between gave other bits",
                    scheduler.wrong, scheduler.runs);
    }
    caller_drop(&other);
}
