// fork_join.c: fork and join on a fixed set of threads: parts are offered by one word, taken by another, and
// awaited by a third. Queues nothing and knows nothing of what a part does.
//
// A round is one call of run. Its word, pool->round, holds the round's number above the number of its parts, so it only
// grows, and one look at it tells a worker whether there is a part for it. A part belongs to who raises its `claimed`
// word to the round: its worker, or the caller or another worker in its place. Who did it sets `done` to the round.
//
// Memory order. task, context and arithmetic are plain: they are written before `round` is stored and read after it was
// loaded, and written again only when every part that a worker claimed was seen `done`. Claims need no order, only one
// winner. `round`, `done` and `sleepers` are sequentially consistent, because who waits writes `sleepers` and then
// looks at the word it waits for, while who wakes writes that word and then looks at `sleepers`: with anything weaker
// both could miss the other's write, and one would sleep for good.
#define _POSIX_C_SOURCE 200809L
#include "fork_join.h"

#include <time.h>
#include <unistd.h>

enum { PART_BITS = 11, LOOKS = 64 }; // LOOKS: how often a spinning thread looks before it reads the clock
_Static_assert(GA_MAX_THREADS < 1 << PART_BITS, "a round's word holds its parts");

static const int64_t spin_ns = 50000;

// -- Waiting --------------------------------------------------------------------------------------------------------

typedef bool is_ready(const struct ga_worker *worker);

static size_t parts_of(uint64_t round)
{
    return (size_t)(round & ((1u << PART_BITS) - 1));
}

static bool has_work(const struct ga_worker *worker)
{
    const uint64_t round = atomic_load(&worker->pool->round);
    return worker->part < parts_of(round) && atomic_load_explicit(&worker->claimed, memory_order_relaxed) < round;
}

static bool is_done(const struct ga_worker *worker)
{
    return atomic_load(&worker->done) == atomic_load_explicit(&worker->pool->round, memory_order_relaxed);
}

// Tells the CPU that this is a spinning loop: the other thread of the core gets its units.
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Whether it became ready in the time that is worth spinning. On a single CPU spinning keeps the very thread that is
// waited for from running, so it ends after a few looks.
static bool spin(const struct ga_worker *worker, is_ready *ready)
{
    int64_t now = 0, end = 0;
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (ready(worker)) {
                return true;
            }
            relax();
        }
        now = nanoseconds();
        end = end == 0 ? now + spin_ns : end;
    } while (worker->pool->spins && now < end);
    return false;
}

static void await(struct ga_worker *worker, is_ready *ready)
{
    if (spin(worker, ready)) {
        return;
    }
    pthread_mutex_lock(&worker->lock);
    atomic_fetch_add(&worker->sleepers, 1);
    while (!ready(worker)) {
        pthread_cond_wait(&worker->wake, &worker->lock);
    }
    atomic_fetch_sub(&worker->sleepers, 1);
    pthread_mutex_unlock(&worker->lock);
}

// Wakes who sleeps on worker->wake, after the word it waits for was stored. All of them: where worker and caller both
// do, a single signal might go to the one that has nothing to do. Having had the lock is enough, for then a sleeper is
// in its wait, or past its look at the word; still holding it would make the woken wait again. In a child of fork() the
// sleepers are the parent's, and the lock is as they left it at that moment.
static void rouse(struct ga_worker *worker)
{
    if (atomic_load(&worker->sleepers) != 0 && getpid() == worker->pool->owner) {
        pthread_mutex_lock(&worker->lock);
        pthread_mutex_unlock(&worker->lock);
        pthread_cond_broadcast(&worker->wake);
    }
}

// -- Arithmetic -----------------------------------------------------------------------------------------------------

// Rounding, subnormals and which exceptions trap, as this thread has them. Not what has been raised: that stays each
// thread's own.
static uint32_t arithmetic(void)
{
#if defined(__SSE__)
    const uint32_t raised = 0x3f;
    return __builtin_ia32_stmxcsr() & ~raised;
#elif defined(__aarch64__)
    uint64_t fpcr; // by the instruction: gcc and clang name it differently
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (uint32_t)fpcr;
#else
    return 0;
#endif
}

// A worker computes as the thread computes that called: no result depends on who did a part.
static void follow(uint32_t wanted)
{
    if (arithmetic() != wanted) {
#if defined(__SSE__)
        __builtin_ia32_ldmxcsr(wanted);
#elif defined(__aarch64__)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)wanted));
#endif
    }
}

// -- Rounds ---------------------------------------------------------------------------------------------------------

// Whether the worker's part of the round is the asker's to do. A late worker may ask for a round that is over, or one
// that has no part for it.
static bool claim(struct ga_worker *worker, uint64_t round)
{
    uint64_t claimed = atomic_load_explicit(&worker->claimed, memory_order_relaxed);
    return worker->part < parts_of(round) && claimed < round &&
           atomic_compare_exchange_strong_explicit(&worker->claimed, &claimed, round, memory_order_relaxed,
                                                   memory_order_relaxed);
}

// Does, on a worker's thread, a part that was claimed, and tells who waits for it.
static void finish(struct ga_worker *worker, uint64_t round)
{
    struct ga_threads *pool = worker->pool;
    follow(pool->arithmetic);
    pool->task(pool->context, worker->part);
    atomic_store(&worker->done, round);
    rouse(worker);
}

// Does what is left of a round with parts of workers that were not woken. That may be nothing, the round being over.
static void help(struct ga_threads *pool, uint64_t round)
{
    const size_t workers = parts_of(round) - 1;
    for (size_t i = 0; workers > pool->wakes && i < workers; i++) {
        if (claim(&pool->workers[i], round)) {
            finish(&pool->workers[i], round);
        }
    }
}

void *ga_threads_work(void *argument)
{
    struct ga_worker *worker = argument;
    struct ga_threads *pool = worker->pool;
    for (;;) {
        await(worker, has_work);
        const uint64_t round = atomic_load(&pool->round);
        if (!claim(worker, round)) {
            continue;
        }
        if (pool->task == NULL) {
            return NULL;
        }
        finish(worker, round);
        help(pool, round);
    }
}

uint64_t ga_threads_publish(struct ga_threads *pool, size_t parts, void (*task)(void *, size_t), void *context)
{
    pool->task = task;
    pool->context = context;
    pool->arithmetic = arithmetic();
    const uint64_t last = atomic_load_explicit(&pool->round, memory_order_relaxed);
    const uint64_t round = ((last >> PART_BITS) + 1) << PART_BITS | parts;
    atomic_store(&pool->round, round);
    for (size_t i = 0; i + 1 < parts && (i < pool->wakes || task == NULL); i++) {
        rouse(&pool->workers[i]);
    }
    return round;
}

// In a child of fork() no worker claims a part, so the caller does them all and has nobody to wait for. Had another
// thread of the parent been in here at that moment, the child's pool stays busy, and run does without it.
static void run_together(struct ga_threads *pool, size_t parts, void (*task)(void *, size_t), void *context)
{
    const uint64_t round = ga_threads_publish(pool, parts, task, context);
    task(context, 0);
    for (size_t i = parts - 1; i-- > 0;) { // from the end: those were woken last
        struct ga_worker *worker = &pool->workers[i];
        if (claim(worker, round)) {
            task(context, worker->part);
            atomic_store_explicit(&worker->done, round, memory_order_relaxed);
        }
    }
    for (size_t i = 0; i + 1 < parts; i++) {
        await(&pool->workers[i], is_done);
    }
}

void ga_threads_run(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    struct ga_threads *pool = self;
    const bool fits = parts > 1 && parts <= pool->parallel.threads;
    if (fits && !atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
        run_together(pool, parts, task, context);
        atomic_flag_clear_explicit(&pool->busy, memory_order_release);
        return;
    }
    for (size_t part = 0; part < parts; part++) {
        task(context, part);
    }
}
