// sharing.h: what calls must do that share loaded weights, a pool of threads or a scheduler, as facts about one model,
// and the caller they are made of. Knows no test framework: tests/standalone/standalone_sharing.c runs the facts.
#ifndef TESTS_SHARING_H
#define TESTS_SHARING_H

#include "kernels.h"

enum { SHARING_THREADS = 8 };
enum { PARTS_BATCH = 8, PARTS_ROWS = 50 }; // whose work is worth several parts, however narrow the model

// Calls that are compared: of a variant of a subject, at a shape that each fact chooses.
struct sharing {
    struct checks *checks;
    const struct subject *subject;
    size_t v; // of the subject's variants
    size_t rounds;
    struct shape shape;
};

typedef void sharing_fact(const struct sharing *sharing);

// sharing_threads.c: threads and pools; sharing_hooks.c: schedulers of the caller's.
#define SHARING_FACTS(X)                      \
    X(threads_share_loaded_weights)           \
    X(threads_share_weights_and_a_pool)       \
    X(a_call_over_any_threads_gives_the_same) \
    X(a_hook_may_do_parts_in_any_order)       \
    X(a_hook_may_do_parts_on_any_thread)      \
    X(a_hook_may_do_another_call_in_between)

#define SHARING_FACT(name) sharing_fact name;
SHARING_FACTS(SHARING_FACT)
#undef SHARING_FACT

// -- A caller (sharing_caller.c) ------------------------------------------------------------------------------------

enum { SHARING_STEPS = 2 };

// One call's inputs, its outputs of all kinds, and its scratch, none of them shared. Of a model with a cache it is two
// calls: the second one's keys and values join those of the first.
struct caller {
    struct call call;
    struct guard outputs, scratch, cache;
    const struct ga_loaded *loaded;
    size_t steps;
};

// The bits of a caller's outputs after each step.
struct bits {
    void *after[SHARING_STEPS];
};

// The same at so many ragged sequences of so many rows, as near as the model's ranges allow; of a model with a cache no
// more rows than that holds twice.
struct sharing sharing_at(const struct sharing *sharing, size_t batch, size_t rows);

// A caller with scratch for so many threads. False after a failed check; caller_drop is due in any case.
bool caller_make(struct caller *caller, const struct sharing *sharing, size_t threads);
void caller_drop(struct caller *caller);

// Does the calls, spread by parallel (NULL: not at all): whether all went well and each left the wanted bits.
bool caller_gives(struct caller *caller, const struct ga_parallel *parallel, const struct bits *wanted);

// What the calls give on one thread; NULL in after[0] after a failed check. bits_drop is due in any case.
struct bits bits_alone(const struct sharing *sharing);
void bits_drop(struct bits *bits);

#endif
