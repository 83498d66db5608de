// sharing_threads.c: facts of sharing.h about threads and pools: many that call at once, and one call over many.
#include <pthread.h>

#include "sharing.h"
#include "threads.h"

// -- Many callers ---------------------------------------------------------------------------------------------------

struct turn {
    struct caller caller;
    const struct ga_parallel *parallel;
    const struct bits *wanted;
    size_t rounds, wrong;
    pthread_t thread;
};

static void *call_often(void *context)
{
    struct turn *turn = context;
    for (size_t round = 0; round < turn->rounds; round++) {
        turn->wrong += !caller_gives(&turn->caller, turn->parallel, turn->wanted);
    }
    return NULL;
}

// All turns at the same time, each on a thread of its own.
static void run_turns(const struct sharing *sharing, struct turn *turns)
{
    size_t started = 0;
    while (started < SHARING_THREADS &&
           pthread_create(&turns[started].thread, NULL, call_often, &turns[started]) == 0) {
        started++;
    }
    checks_need(sharing->checks, started == SHARING_THREADS, "%zu threads started", started);
    for (size_t i = 0; i < started; i++) {
        pthread_join(turns[i].thread, NULL);
        checks_that(sharing->checks, turns[i].wrong == 0, "thread %zu: %zu of %zu rounds gave other bits", i,
                    turns[i].wrong, turns[i].rounds);
    }
}

static void call_together(const struct sharing *sharing, const struct ga_parallel *parallel, size_t rounds)
{
    static struct turn turns[SHARING_THREADS];
    struct bits wanted = bits_alone(sharing);
    bool ok = wanted.after[0] != NULL;
    for (size_t i = 0; i < SHARING_THREADS; i++) {
        turns[i] = (struct turn){.parallel = parallel, .wanted = &wanted, .rounds = rounds};
        ok = ok && caller_make(&turns[i].caller, sharing, parallel ? parallel->threads : 1);
    }
    if (ok) {
        run_turns(sharing, turns);
    }
    for (size_t i = 0; i < SHARING_THREADS; i++) {
        caller_drop(&turns[i].caller);
    }
    bits_drop(&wanted);
}

// Short calls, so that many of them meet.
void threads_share_loaded_weights(const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, 3, 13);
    call_together(&at, NULL, sharing->rounds);
}

// One of them has the pool's workers at a time; the others do their parts themselves. Just long enough for parts.
void threads_share_weights_and_a_pool(const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, 8, 24);
    struct ga_threads *pool = NULL;
    if (checks_need(sharing->checks, ga_threads_new(3, &pool, NULL) == GA_OK, "no pool")) {
        call_together(&at, ga_threads_parallel(pool), sharing->rounds / ga_threads_parallel(pool)->threads + 1);
    }
    ga_threads_free(pool);
}

// -- One call over many threads -------------------------------------------------------------------------------------

// A pool's run, and the most parts it was asked for.
struct spy {
    struct ga_parallel parallel;
    const struct ga_parallel *pool;
    size_t most;
};

static void run_and_count(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    struct spy *spy = self;
    spy->most = parts > spy->most ? parts : spy->most;
    spy->pool->run(spy->pool->self, parts, task, context);
}

static void call_over(const struct sharing *sharing, size_t threads, const struct bits *wanted)
{
    struct caller caller;
    struct ga_threads *pool = NULL;
    const size_t rounds = sharing->rounds / SHARING_THREADS + 1;
    size_t wrong = 0;
    bool ok = caller_make(&caller, sharing, threads);
    ok = ok && checks_need(sharing->checks, ga_threads_new(threads, &pool, NULL) == GA_OK, "no pool of %zu", threads);
    if (ok) {
        struct spy spy = {.parallel = {threads, run_and_count, &spy}, .pool = ga_threads_parallel(pool)};
        for (size_t round = 0; round < rounds; round++) {
            wrong += !caller_gives(&caller, &spy.parallel, wanted);
        }
        checks_that(sharing->checks, wrong == 0, "%zu threads: %zu of %zu rounds gave other bits", threads, wrong,
                    rounds);
        checks_that(sharing->checks, threads == 1 || spy.most > 1, "%zu threads: no call was in parts", threads);
    }
    ga_threads_free(pool);
    caller_drop(&caller);
}

void a_call_over_any_threads_gives_the_same(const struct sharing *sharing)
{
    const struct sharing at = sharing_at(sharing, PARTS_BATCH, PARTS_ROWS);
    struct bits wanted = bits_alone(&at);
    for (size_t threads = 1; wanted.after[0] && threads <= SHARING_THREADS; threads++) {
        call_over(&at, threads, &wanted);
    }
    bits_drop(&wanted);
}
