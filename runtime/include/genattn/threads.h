// threads.h: a small pool of threads for io.parallel, for callers without a scheduler. It starts threads only when the
// caller asks for a pool, keeps no global state, and installs no handlers of signals, forks or exits.
#ifndef GA_THREADS_H
#define GA_THREADS_H

#include <stddef.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// A pool of workers, which sleep until a call has parts for them. The calling thread does part 0, and worker i does
// part i. If the calling thread has done its part and worker i has not begun, it does part i too: it does not wait for
// a worker to wake up. If there were more threads than CPUs, only as many workers as CPUs are woken; they also do
// the other parts.
//
// Any thread may call. If a second thread calls at the same time, it does all its parts itself; so does a call from
// within a task. After fork() the child has no workers and does all parts itself, with the same pool. A task must not
// call fork().
//
// A part is computed with the floating-point settings of the thread that called: its rounding and its treatment of
// subnormals (MXCSR on x86, FPCR on AArch64). The pool does not change them.
//
// After a call, workers look for work for about 50 us; then they sleep and use no CPU. They block every signal except
// those that a fault of the thread raises (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS); the host handles these.
struct ga_threads;

enum { GA_THREAD_STACK = 256 * 1024 }; // bytes of a worker's stack; calls keep large data in scratch

// Makes a pool of threads - 1 workers in *threads_out, or NULL on failure; threads must be 1..GA_MAX_THREADS. The
// caller frees it with ga_threads_free. GA_ARGUMENT: threads is out of range or threads_out is NULL; GA_MEMORY;
// GA_THREAD: the system cannot start another thread (the threads that were started have ended when this returns). The
// call does not change the caller's signal mask. More threads than CPUs are allowed, but gain nothing.
enum ga_status ga_threads_new(size_t threads, struct ga_threads **threads_out, struct ga_error *error);

// The value for io.parallel; valid as long as the pool. NULL if threads is NULL.
const struct ga_parallel *ga_threads_parallel(const struct ga_threads *threads);

// Ends the workers and frees the pool; no call may be using it, and NULL is allowed. In a child of fork() it frees only
// the child's copy; the parent's pool goes on.
void ga_threads_free(struct ga_threads *threads);

// The number of CPUs that the calling thread may run on, 1..GA_MAX_THREADS. It ignores quotas of CPU time, such as
// those of containers.
size_t ga_threads_available(void);

#ifdef __cplusplus
}
#endif
#endif
