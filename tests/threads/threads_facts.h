// threads_facts.h: what a pool of threads must do, as facts any runner can check, and the tools the facts are made of.
// Knows no test framework: tests/unit/test_threads.c and tests/standalone/standalone_threads.c run the facts.
#ifndef TESTS_THREADS_FACTS_H
#define TESTS_THREADS_FACTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "support/checks.h"
#include "support/sanitized.h"
#include "threads.h"

typedef void threads_fact(struct checks *checks);

// Of memory that is too little for the threads: a sanitizer has terabytes mapped.
#if SANITIZED
#define THREADS_MEMORY_FACTS(X)
#else
#define THREADS_MEMORY_FACTS(X) X(threads_that_cannot_be_started_are_an_error)
#endif

// threads_parts.c: that parts are done; threads_manners.c: what else happens to the process, and errors.
#define THREADS_FACTS(X)                             \
    X(every_part_is_done_once_in_every_round)        \
    X(parts_are_done_at_the_same_time)               \
    X(sleepers_are_woken_whenever_a_round_comes)     \
    X(a_call_waits_for_a_slow_worker_asleep)         \
    X(a_call_within_a_task_stays_on_its_thread)      \
    X(a_second_caller_does_its_parts_itself)         \
    X(two_callers_at_once_lose_nothing)              \
    X(the_largest_pool_works)                        \
    X(more_threads_than_cpus_cost_little)            \
    X(a_forked_child_runs_and_frees)                 \
    X(a_child_forked_in_the_middle_of_a_round_runs)  \
    X(workers_block_signals_and_the_caller_does_not) \
    X(workers_round_as_their_caller_does)            \
    X(idle_workers_use_no_cpu)                       \
    X(pools_leave_no_threads_behind)                 \
    X(wrong_arguments_are_refused)                   \
    X(available_is_what_the_affinity_allows)         \
    THREADS_MEMORY_FACTS(X)

#define THREADS_FACT(name) threads_fact name;
THREADS_FACTS(THREADS_FACT)
#undef THREADS_FACT

// -- Tools (threads_tools.c) ----------------------------------------------------------------------------------------

// A pool for a fact, or NULL after a failed check.
struct ga_threads *threads_make(struct checks *checks, size_t threads);

// Runs on the pool as a model would.
void threads_run(struct ga_threads *pool, size_t parts, void (*task)(void *context, size_t part), void *context);

// Usual rounds by the effort of checks, at least one.
size_t threads_rounds(const struct checks *checks, size_t usual);

void threads_sleep_us(long microseconds);
double threads_seconds(void);
double threads_cpu_seconds(void); // of all threads of the process

// Threads of this process; 0 where the system does not tell.
size_t threads_count(void);

// Two parts that meet: each returns once the other has begun, or, false in met, after ten seconds. Runs a task that is
// given its own context in between.
struct meeting {
    atomic_size_t arrived;
    atomic_bool met;
    pthread_t who[2]; // of the parts
    void (*task)(void *context, size_t part);
    void *context;
};

// A task for two parts; context is a struct meeting.
void threads_meet(void *meeting, size_t part);

#endif
