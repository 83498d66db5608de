// threads.h: a small pool of threads for io.parallel, for callers that have no scheduler of their own.
// Starts nothing before it is asked to, keeps no global state, and installs no handlers of signals, forks or exits.
#ifndef GA_THREADS_H
#define GA_THREADS_H

#include <stddef.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Workers that sleep until a call has parts for them. The calling thread does part 0 and worker i part i, or the
// calling thread that too, where its own part is done and worker i has not begun: a worker that has to be woken is not
// waited for. Of more threads than CPUs only as many as there were CPUs are woken, and do the others' parts.
//
// Any thread may call; of two at the same time the second does all its parts itself, and so does a call made from
// within a task. After fork() the child, which has no workers, does all parts itself on the same pool; a task does not
// fork.
// Whoever does a part does it as the thread that called computes: with its rounding, and its treatment of subnormals
// (MXCSR on x86, FPCR on AArch64), which are not changed.
// Workers look for work for some 50 us after a call, then sleep, using no CPU. They block every signal but those that
// a thread's own fault raises (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS), which stay the host's to handle.
struct ga_threads;

enum { GA_THREAD_STACK = 256 * 1024 }; // bytes of a worker's stack; calls keep what is large in scratch

// Makes a pool of threads - 1 workers, threads being 1..GA_MAX_THREADS, in *threads_out; NULL there on failure. The
// caller frees it with ga_threads_free. GA_ARGUMENT: threads out of range or threads_out NULL; GA_MEMORY; GA_THREAD:
// the system starts no further thread (those that were started have ended when this returns). The caller's signal mask
// is what it was. More threads than CPUs are allowed and gain nothing.
enum ga_status ga_threads_new(size_t threads, struct ga_threads **threads_out, struct ga_error *error);

// For io.parallel; lives as long as the pool. NULL where threads is.
const struct ga_parallel *ga_threads_parallel(const struct ga_threads *threads);

// Ends the workers and frees the pool, which no call may be using; NULL is allowed. In a child of fork() it frees the
// child's copy; the parent's pool goes on.
void ga_threads_free(struct ga_threads *threads);

// CPUs the calling thread may run on, 1..GA_MAX_THREADS. A quota on CPU time, as containers have, is not looked at.
size_t ga_threads_available(void);

#ifdef __cplusplus
}
#endif
#endif
