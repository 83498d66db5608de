// threads.c: starts and ends the threads of a pool; what they do in between is in fork_join.c.
// Leaves the caller's signal mask as it was, and touches no pool that another process made.
#define _POSIX_C_SOURCE 200809L
#include "threads.h"

#include <signal.h>
#include <unistd.h>

#include "fork_join.h"
#include "on_linux.h"

size_t ga_threads_available(void)
{
    const long count = ga_cpus_allowed();
    return count < 1 ? 1 : count > GA_MAX_THREADS ? GA_MAX_THREADS : (size_t)count;
}

const struct ga_parallel *ga_threads_parallel(const struct ga_threads *threads)
{
    return threads == NULL ? NULL : &threads->parallel;
}

// Starts the worker of a part, with what it waits on; 0 or an errno value.
static int start(struct ga_threads *pool, size_t part, const pthread_attr_t *attributes)
{
    struct ga_worker *worker = &pool->workers[part - 1];
    worker->part = part;
    worker->pool = pool;
    int code = pthread_mutex_init(&worker->lock, NULL);
    if (code != 0) {
        return code;
    }
    code = pthread_cond_init(&worker->wake, NULL);
    if (code == 0) {
        code = pthread_create(&worker->thread, attributes, ga_threads_work, worker);
        if (code == 0) {
            return 0;
        }
        pthread_cond_destroy(&worker->wake);
    }
    pthread_mutex_destroy(&worker->lock);
    return code;
}

// Starts workers until all are there or one cannot be; returns how many threads the pool then has, and why no more.
static size_t start_all(struct ga_threads *pool, size_t threads, int *code_out)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    size_t count = 1;
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigdelset(&blocked, faults[i]);
    }
    pthread_attr_t attributes;
    *code_out = pthread_attr_init(&attributes);
    if (*code_out != 0) {
        return count;
    }
    pthread_attr_setstacksize(&attributes, GA_THREAD_STACK);
    pthread_sigmask(SIG_SETMASK, &blocked, &before); // threads inherit it
    while (count < threads && (*code_out = start(pool, count, &attributes)) == 0) {
        count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return count;
}

// Destroys what workers wait on once all have ended: one may have done a part of another and be about to tell.
static void end_all(struct ga_threads *pool, size_t threads)
{
    ga_threads_publish(pool, threads, NULL, NULL);
    for (size_t i = 0; i + 1 < threads; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    for (size_t i = 0; i + 1 < threads; i++) {
        pthread_cond_destroy(&pool->workers[i].wake);
        pthread_mutex_destroy(&pool->workers[i].lock);
    }
}

enum ga_status ga_threads_new(size_t threads, struct ga_threads **threads_out, struct ga_error *error)
{
    if (threads_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_threads_new: threads_out is NULL");
    }
    *threads_out = NULL;
    if (threads < 1 || threads > GA_MAX_THREADS) {
        return ga_fail(error, GA_ARGUMENT, "ga_threads_new: %zu threads; expected 1..%d", threads, GA_MAX_THREADS);
    }
    struct ga_threads *pool = ga_block_new(sizeof *pool + (threads - 1) * sizeof pool->workers[0]);
    if (pool == NULL) {
        return ga_fail(error, GA_MEMORY, "ga_threads_new: no memory for a pool of %zu threads", threads);
    }
    const size_t available = ga_threads_available();
    pool->spins = available > 1;
    pool->wakes = available > 1 ? available - 1 : 1;
    pool->owner = getpid();
    pool->parallel = (struct ga_parallel){.threads = threads, .run = ga_threads_run, .self = pool};
    atomic_flag_clear(&pool->busy);
    int code = 0;
    const size_t started = start_all(pool, threads, &code);
    if (started < threads) {
        end_all(pool, started);
        ga_block_free(pool);
        return ga_fail(error, GA_THREAD,
                       "ga_threads_new: thread %zu of %zu could not be started (errno %d); ask for fewer, or raise the "
                       "limits on threads and memory",
                       started + 1, threads, code);
    }
    *threads_out = pool;
    return GA_OK;
}

void ga_threads_free(struct ga_threads *threads)
{
    // In a child of fork() there is nobody to join, and destroying what the parent's workers wait on would hang.
    if (threads != NULL && getpid() == threads->owner) {
        end_all(threads, threads->parallel.threads);
    }
    ga_block_free(threads);
}
