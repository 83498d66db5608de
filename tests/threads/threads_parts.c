// threads_parts.c: facts of threads_facts.h about parts: each done once, by whom, and waited for.
// Where time or CPU time is held against a bound, the bound leaves room for a busy machine.
#define _POSIX_C_SOURCE 200809L
#include "threads_facts.h"

enum { MANY = 8 };

// Plain, not atomic: what a part writes the caller must see when run returns, and what the caller wrote, the part.
struct tally {
    size_t round;
    size_t counts[MANY]; // how often each part was done
    size_t rounds[MANY]; // the round it was done in
};

static void count_part(void *context, size_t part)
{
    struct tally *tally = context;
    tally->counts[part]++;
    tally->rounds[part] = tally->round;
}

// Whether parts 0..parts-1 were done once, in this round, and no other.
static bool is_complete(const struct tally *tally, size_t parts)
{
    for (size_t part = 0; part < MANY; part++) {
        if (tally->counts[part] != (part < parts) || (part < parts && tally->rounds[part] != tally->round)) {
            return false;
        }
    }
    return true;
}

// Runs rounds of 1..threads parts in turn; returns how many were not complete.
static size_t run_rounds(struct ga_threads *pool, size_t threads, size_t rounds)
{
    size_t wrong = 0;
    for (size_t round = 0; round < rounds; round++) {
        struct tally tally = {.round = round + 1};
        const size_t parts = round % threads + 1;
        threads_run(pool, parts, count_part, &tally);
        wrong += !is_complete(&tally, parts);
    }
    return wrong;
}

void every_part_is_done_once_in_every_round(struct checks *checks)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, MANY};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ga_threads *pool = threads_make(checks, sizes[i]);
        if (pool != NULL) {
            const size_t rounds = threads_rounds(checks, sizes[i] == 2 ? 10000 : 2000);
            const size_t wrong = run_rounds(pool, sizes[i], rounds);
            checks_that(checks, wrong == 0, "%zu of %zu rounds lost or repeated a part", wrong, rounds);
            checks_that(checks, ga_threads_parallel(pool)->threads == sizes[i], "parallel has another thread count");
        }
        ga_threads_free(pool);
    }
}

// A pool that never woke its workers would pass the fact above, all parts done by the caller.
void parts_are_done_at_the_same_time(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, 2);
    for (size_t round = 0; pool != NULL && round < threads_rounds(checks, 20); round++) {
        struct meeting meeting = {.arrived = 0};
        threads_run(pool, 2, threads_meet, &meeting);
        if (!checks_that(checks, atomic_load(&meeting.met), "the parts of round %zu were not both begun", round)) {
            break;
        }
        checks_that(checks, pthread_equal(meeting.who[0], pthread_self()), "part 0 was not the caller's");
        checks_that(checks, !pthread_equal(meeting.who[1], pthread_self()), "part 1 was the caller's");
    }
    ga_threads_free(pool);
}

// Pauses around the time workers spin, so that rounds come to them spinning, falling asleep and asleep.
void sleepers_are_woken_whenever_a_round_comes(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, 2);
    const size_t rounds = threads_rounds(checks, 1000);
    for (size_t round = 0; pool != NULL && round < rounds; round++) {
        const double until = threads_seconds() + (double)(round % 120) * 1e-6;
        struct meeting meeting = {.arrived = 0};
        while (threads_seconds() < until) {
        }
        threads_run(pool, 2, threads_meet, &meeting);
        if (!checks_that(checks, atomic_load(&meeting.met), "the worker missed round %zu", round)) {
            break;
        }
    }
    ga_threads_free(pool);
}

struct slow {
    atomic_bool begun;
    bool done; // plain: written by the worker, read after run
};

// Part 0 returns once part 1 has begun, so that the caller does not do it and has to wait.
static void be_slow(void *context, size_t part)
{
    struct slow *slow = context;
    const double end = threads_seconds() + 10.0;
    if (part == 1) {
        atomic_store(&slow->begun, true);
        threads_sleep_us(20000);
        slow->done = true;
    }
    while (!atomic_load(&slow->begun) && threads_seconds() < end) {
        threads_sleep_us(20);
    }
}

void a_call_waits_for_a_slow_worker_asleep(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, 2);
    for (size_t round = 0; pool != NULL && round < threads_rounds(checks, 10); round++) {
        struct slow slow = {.done = false};
        const double before = threads_cpu_seconds();
        threads_run(pool, 2, be_slow, &slow);
        const double used = threads_cpu_seconds() - before;
        checks_that(checks, slow.done, "run returned before its part had");
        checks_that(checks, used < 0.01, "%g s of CPU in waiting for 0.02 s", used);
    }
    ga_threads_free(pool);
}

// -- Within, and beside ---------------------------------------------------------------------------------------------

struct nest {
    struct ga_threads *pool;
    struct tally tallies[2]; // one for each outer part
    pthread_t inner[2][MANY];
};

struct inner {
    struct nest *nest;
    size_t outer;
};

static void inner_part(void *context, size_t part)
{
    struct inner *inner = context;
    count_part(&inner->nest->tallies[inner->outer], part);
    inner->nest->inner[inner->outer][part] = pthread_self();
}

static void outer_part(void *context, size_t part)
{
    struct inner inner = {.nest = context, .outer = part};
    threads_run(inner.nest->pool, 2, inner_part, &inner);
}

void a_call_within_a_task_stays_on_its_thread(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, 2);
    for (size_t round = 0; pool != NULL && round < threads_rounds(checks, 20); round++) {
        struct nest nest = {.pool = pool};
        struct meeting meeting = {.arrived = 0, .task = outer_part, .context = &nest};
        threads_run(pool, 2, threads_meet, &meeting);
        for (size_t outer = 0; outer < 2; outer++) {
            checks_that(checks, is_complete(&nest.tallies[outer], 2), "the call within part %zu is not complete",
                        outer);
            for (size_t part = 0; part < 2; part++) {
                checks_that(checks, pthread_equal(nest.inner[outer][part], meeting.who[outer]),
                            "part %zu of the call within part %zu was another thread's", part, outer);
            }
        }
    }
    ga_threads_free(pool);
}

struct beside {
    struct nest nest;
    pthread_t thread;
};

static void *call_beside(void *context)
{
    struct inner inner = {.nest = context, .outer = 0};
    threads_run(inner.nest->pool, MANY, inner_part, &inner);
    return NULL;
}

// While the pool is in a round, another thread comes with one of its own and is waited for.
static void let_another_call(void *context, size_t part)
{
    struct beside *beside = context;
    if (part == 0 && pthread_create(&beside->thread, NULL, call_beside, &beside->nest) == 0) {
        pthread_join(beside->thread, NULL);
    }
}

void a_second_caller_does_its_parts_itself(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, MANY);
    struct beside beside = {.nest = {.pool = pool}};
    if (pool != NULL) {
        threads_run(pool, 2, let_another_call, &beside);
        checks_that(checks, is_complete(&beside.nest.tallies[0], MANY), "the second call is not complete");
        for (size_t part = 0; part < MANY; part++) {
            checks_that(checks, pthread_equal(beside.nest.inner[0][part], beside.thread),
                        "part %zu was another thread's", part);
        }
    }
    ga_threads_free(pool);
}

struct caller {
    struct ga_threads *pool;
    size_t rounds, wrong;
};

static void *call_often(void *context)
{
    struct caller *caller = context;
    caller->wrong = run_rounds(caller->pool, MANY, caller->rounds);
    return NULL;
}

void two_callers_at_once_lose_nothing(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, MANY);
    struct caller first = {.pool = pool, .rounds = threads_rounds(checks, 3000)}, second = first;
    pthread_t thread;
    if (pool != NULL && checks_need(checks, pthread_create(&thread, NULL, call_often, &second) == 0, "no thread")) {
        call_often(&first);
        pthread_join(thread, NULL);
        checks_that(checks, first.wrong == 0, "%zu of %zu rounds are wrong", first.wrong, first.rounds);
        checks_that(checks, second.wrong == 0, "%zu of %zu rounds beside are wrong", second.wrong, second.rounds);
    }
    ga_threads_free(pool);
}

// -- Sizes ----------------------------------------------------------------------------------------------------------

static void count_large(void *context, size_t part)
{
    ((unsigned char *)context)[part]++;
}

void the_largest_pool_works(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, GA_MAX_THREADS);
    for (size_t round = 0; pool != NULL && round < 3; round++) {
        unsigned char counts[GA_MAX_THREADS] = {0};
        size_t wrong = 0;
        threads_run(pool, GA_MAX_THREADS, count_large, counts);
        for (size_t part = 0; part < GA_MAX_THREADS; part++) {
            wrong += counts[part] != 1;
        }
        checks_that(checks, wrong == 0, "%zu of %d parts were lost or repeated", wrong, GA_MAX_THREADS);
    }
    ga_threads_free(pool);
}

static void work_for_a_while(void *context, size_t part)
{
    (void)context;
    volatile float sum = (float)part;
    for (int i = 0; i < 20000; i++) {
        sum = sum * 0.75f + 0.25f;
    }
}

// Seconds of rounds of MANY parts on the pool, or one after the other where it is NULL.
static double time_rounds(struct ga_threads *pool, size_t rounds)
{
    const double start = threads_seconds();
    for (size_t round = 0; round < rounds; round++) {
        for (size_t part = 0; pool == NULL && part < MANY; part++) {
            work_for_a_while(NULL, part);
        }
        if (pool != NULL) {
            threads_run(pool, MANY, work_for_a_while, NULL);
        }
    }
    return threads_seconds() - start;
}

// Twice the time of one thread is the promise; what else runs on the machine may take as much again, several times.
void more_threads_than_cpus_cost_little(struct checks *checks)
{
    struct ga_threads *crowd = threads_make(checks, 4 * ga_threads_available() + MANY);
    if (crowd != NULL) {
        const size_t rounds = threads_rounds(checks, 100);
        const double alone = time_rounds(NULL, rounds), many = time_rounds(crowd, rounds);
        checks_that(checks, many < 10.0 * alone, "%zu rounds took %g s, by one thread %g s", rounds, many, alone);
    }
    ga_threads_free(crowd);
}
