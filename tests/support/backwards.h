// backwards.h: a pool without threads that does the parts of a task last one first: an order that no part may rely on.
// What a part should have got from another thread's buffers is missing or stale then.
#ifndef TESTS_BACKWARDS_H
#define TESTS_BACKWARDS_H

#include <stddef.h>

// `run` of a struct ga_parallel. self: NULL, or a size_t that counts the calls.
void run_backwards(void *self, size_t parts, void (*task)(void *context, size_t part), void *context);

#endif
