// fork_join.h: what threads.c and fork_join.c share: a pool's words, and how a round is started.
// Private to the two; who uses a pool needs threads.h alone.
#ifndef GA_FORK_JOIN_H
#define GA_FORK_JOIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arena.h"
#include "threads.h"

// The first cache line is what a round touches; the second is for who sleeps.
struct ga_worker {
    _Alignas(GA_ALIGN) _Atomic uint64_t claimed; // last round whose part was taken
    _Atomic uint64_t done;                       // last round whose part was finished
    atomic_uint sleepers;                        // on wake: the worker, its caller, or for a moment both
    size_t part;
    struct ga_threads *pool;
    pthread_t thread;
    _Alignas(GA_ALIGN) pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct ga_threads {
    _Alignas(GA_ALIGN) _Atomic uint64_t round;
    void (*task)(void *context, size_t part); // NULL: the workers end
    void *context;
    uint32_t arithmetic;                 // of the thread that called: how floats are rounded
    _Alignas(GA_ALIGN) atomic_flag busy; // a call is in its parts
    bool spins;                          // there is more than one CPU
    size_t wakes;                        // workers that are woken for a round: no more than have a CPU
    pid_t owner;                         // the process that has the workers
    struct ga_parallel parallel;
    struct ga_worker workers[]; // [threads - 1], that of part 1 first
};

// A worker's life: pthread_create's function, for one struct ga_worker.
void *ga_threads_work(void *worker);

// Starts a round of parts and wakes workers that have one of them; returns its word. task NULL ends all those workers.
uint64_t ga_threads_publish(struct ga_threads *pool, size_t parts, void (*task)(void *context, size_t part),
                            void *context);

// struct ga_parallel's run, self being the pool.
void ga_threads_run(void *self, size_t parts, void (*task)(void *context, size_t part), void *context);

#endif
