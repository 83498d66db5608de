// dlopen.h: a program that loads models as plugins, as facts about their shared objects, and the tools those are made
// of. What runs is the shared object's own runtime; tests/standalone/standalone_dlopen.c is the program.
#ifndef TESTS_HOST_H
#define TESTS_HOST_H

#include "kernels.h"
#include "threads.h"

// -- A shared object (dlopen_library.c) -----------------------------------------------------------------------------

#define HOST_FUNCTIONS(X)    \
    X(ga_model_variant)      \
    X(ga_model_packed_size)  \
    X(ga_model_pack)         \
    X(ga_model_scratch_size) \
    X(ga_cache_size)         \
    X(ga_cache_init)         \
    X(ga_threads_new)        \
    X(ga_threads_parallel)   \
    X(ga_threads_free)

enum { HOST_PATH = 512, HOST_THREADS = 3 };

// Functions and model as dlsym finds them; all of them NULL while it is closed.
struct host_library {
    void *handle;
    const struct ga_model *model;
    enum ga_status (*run)(const struct ga_loaded *weights, const struct ga_io *io, void *scratch, size_t size);
#define HOST_POINTER(name) __typeof__(name) *name;
    HOST_FUNCTIONS(HOST_POINTER)
#undef HOST_POINTER
};

// What stays while the shared object comes and goes: its weights, a call, and blocks for what is made of them.
struct host {
    const char *path;
    struct subject subject; // of which only the weights outlive the library
    struct call call;
    struct guard packed, scratch, cache;
    struct host_library library;
    const struct ga_loaded *loaded;
};

// Opens a library with these flags of dlopen; false after a failed check.
bool host_open(struct host *host, struct checks *checks, int flags);
// Packs the weights; false after a failed check.
bool host_load(struct host *host, struct checks *checks);
// Leaves no pointer into the library, so that whoever still looks at its model fails in every run.
void host_close(struct host *host);

// Prepares for a library, which is closed again; host_drop is due in any case.
bool host_make(struct host *host, struct checks *checks, const char *path);
void host_drop(struct host *host);

// A call; false where it fails. The output is in host->call.
bool host_run(struct host *host, const struct ga_parallel *parallel);

size_t host_output_bytes(const struct host *host);
const float *host_output(const struct host *host);

// -- The process (dlopen_state.c) -----------------------------------------------------------------------------------

enum { HOST_STATE = 16384 };

// The state that a library could change for the whole process or the calling thread, a line each: rounding, signals,
// locale, files, limits ...
struct host_state {
    char text[HOST_STATE];
};

void host_state_read(struct host_state *state);

// Checks that both are the same, and names the first line that is not.
void host_state_compare(struct checks *checks, const struct host_state *before, const struct host_state *after);

// Resources that a long-running process must not accumulate.
struct host_size {
    size_t resident, mapped; // bytes
    size_t maps, files, threads;
};

struct host_size host_size_now(void);

// -- Facts (dlopen_facts.c) -----------------------------------------------------------------------------------------

typedef void host_fact(struct checks *checks, struct host *host, size_t rounds);

#define HOST_FACTS(X)                          \
    X(the_process_is_as_it_was)                \
    X(an_unusual_process_is_as_it_was)         \
    X(calls_raise_no_exceptions_of_arithmetic) \
    X(calls_run_in_parent_and_child)           \
    X(signals_go_to_the_host_alone)            \
    X(coming_and_going_leaves_nothing)

#define HOST_FACT(name) host_fact name;
HOST_FACTS(HOST_FACT)
#undef HOST_FACT

// Two libraries at once, in the global scope and in scopes of their own: each gives what it gives alone, also when the
// other has gone.
void host_side_by_side(struct checks *checks, struct host *first, struct host *second);

#endif
