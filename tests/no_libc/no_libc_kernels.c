// no_libc_kernels.c: that packing weights and running a model call nothing of the C library that allocates, prints,
// ends or changes the process, and make no system call at all.
// Stands before the C library, so it is a program of its own; what a model gives is checked elsewhere. glibc and Linux.
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1 // of glibc's headers
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "kernels.h"
#include "threads.h"

// -- What is caught -------------------------------------------------------------------------------------------------

static atomic_bool armed; // while the library runs, on whatever thread
static atomic_size_t caught;
static const char *_Atomic first_caught;

static void note(const char *name)
{
    if (atomic_load(&armed) && atomic_fetch_add(&caught, 1) == 0) {
        atomic_store(&first_caught, name);
    }
}

// The function after this program's own.
static void *after(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        static const char text[] = "no_libc_kernels: the C library lacks a function it stands before\n";
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        _exit(3);
    }
    return found;
}

// Each row: result, name, parameters, arguments; and those that return nothing, or do not return.
#define CAUGHT(X)                                                                                                  \
    X(void *, mmap, (void *at, size_t size, int rights, int flags, int file, off_t offset),                        \
      (at, size, rights, flags, file, offset))                                                                     \
    X(int, munmap, (void *at, size_t size), (at, size))                                                            \
    X(int, madvise, (void *at, size_t size, int advice), (at, size, advice))                                       \
    X(void *, sbrk, (intptr_t more), (more))                                                                       \
    X(FILE *, fopen, (const char *path, const char *mode), (path, mode))                                           \
    X(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file), (from, size, count, file))        \
    X(int, fputs, (const char *text, FILE *file), (text, file))                                                    \
    X(int, fputc, (int c, FILE *file), (c, file))                                                                  \
    X(int, puts, (const char *text), (text))                                                                       \
    X(int, putchar, (int c), (c))                                                                                  \
    X(int, fflush, (FILE * file), (file))                                                                          \
    X(int, vprintf, (const char *format, va_list values), (format, values))                                        \
    X(int, vfprintf, (FILE * file, const char *format, va_list values), (file, format, values))                    \
    X(int, vsnprintf, (char *text, size_t size, const char *format, va_list values), (text, size, format, values)) \
    X(ssize_t, read, (int file, void *to, size_t size), (file, to, size))                                          \
    X(ssize_t, write, (int file, const void *from, size_t size), (file, from, size))                               \
    X(char *, setlocale, (int category, const char *name), (category, name))                                       \
    X(struct lconv *, localeconv, (void), ())                                                                      \
    X(locale_t, uselocale, (locale_t locale), (locale))                                                            \
    X(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base))                        \
    X(sighandler_t, signal, (int number, sighandler_t handler), (number, handler))                                 \
    X(int, sigaction, (int number, const struct sigaction *to, struct sigaction *from), (number, to, from))        \
    X(int, sigprocmask, (int how, const sigset_t *to, sigset_t *from), (how, to, from))                            \
    X(int, pthread_sigmask, (int how, const sigset_t *to, sigset_t *from), (how, to, from))                        \
    X(int, raise, (int number), (number))                                                                          \
    X(int, kill, (pid_t process, int number), (process, number))                                                   \
    X(int, pthread_create,                                                                                         \
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context),               \
      (thread, attributes, start, context))                                                                        \
    X(pid_t, fork, (void), ())                                                                                     \
    X(char *, getenv, (const char *name), (name))                                                                  \
    X(int, setenv, (const char *name, const char *value, int replaces), (name, value, replaces))                   \
    X(int, fesetround, (int mode), (mode))                                                                         \
    X(int, fesetenv, (const fenv_t *to), (to))                                                                     \
    X(int, feholdexcept, (fenv_t * from), (from))

// clang-format off
#define CATCH(result, name, parameters, arguments)  \
    result name parameters                          \
    {                                               \
        static result(*real) parameters;            \
        note(#name);                                \
        if (!real) {                                \
            *(void **)&real = after(#name);        \
        }                                           \
        return real arguments;                      \
    }
CAUGHT(CATCH)

#define CATCH_END(name, parameters, arguments)      \
    void name parameters                            \
    {                                               \
        void (*real) parameters;                    \
        note(#name);                                \
        *(void **)&real = after(#name);            \
        real arguments;                             \
        __builtin_unreachable();                    \
    }
CATCH_END(exit, (int status), (status))
CATCH_END(abort, (void), ())

// Formats and what follows go to the functions above.
#define CATCH_FORMAT(name, parameters, last, call)  \
    int name parameters                             \
    {                                               \
        va_list values;                             \
        note(#name);                                \
        va_start(values, last);                     \
        const int length = call;                    \
        va_end(values);                             \
        return length;                              \
    }
CATCH_FORMAT(printf, (const char *format, ...), format, vprintf(format, values))
CATCH_FORMAT(fprintf, (FILE *file, const char *format, ...), format, vfprintf(file, format, values))
CATCH_FORMAT(snprintf, (char *text, size_t size, const char *format, ...), format,
             vsnprintf(text, size, format, values))
// clang-format on

// glibc's own names for the heap: dlsym may allocate.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *block);

void *malloc(size_t size)
{
    note("malloc");
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    note("calloc");
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    note("realloc");
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    note("aligned_alloc");
    return __libc_memalign(align, size);
}

int posix_memalign(void **block_out, size_t align, size_t size)
{
    note("posix_memalign");
    *block_out = __libc_memalign(align, size);
    return *block_out ? 0 : 12; // ENOMEM
}

void free(void *block)
{
    note("free");
    __libc_free(block);
}

// -- Calls of the library, armed (ld --wrap) ------------------------------------------------------------------------

enum ga_status __real_ga_model_run(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch, size_t size,
                                   struct ga_error *error);
enum ga_status __wrap_ga_model_run(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch, size_t size,
                                   struct ga_error *error);
enum ga_status __real_ga_model_pack(const struct ga_model *model, const struct ga_variant *variant,
                                    const struct ga_weight_view *roles, void *block, size_t size,
                                    const struct ga_loaded **loaded_out, struct ga_error *error);
enum ga_status __wrap_ga_model_pack(const struct ga_model *model, const struct ga_variant *variant,
                                    const struct ga_weight_view *roles, void *block, size_t size,
                                    const struct ga_loaded **loaded_out, struct ga_error *error);

enum ga_status __wrap_ga_model_run(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch, size_t size,
                                   struct ga_error *error)
{
    atomic_store(&armed, true);
    const enum ga_status status = __real_ga_model_run(loaded, io, scratch, size, error);
    atomic_store(&armed, false);
    return status;
}

enum ga_status __wrap_ga_model_pack(const struct ga_model *model, const struct ga_variant *variant,
                                    const struct ga_weight_view *roles, void *block, size_t size,
                                    const struct ga_loaded **loaded_out, struct ga_error *error)
{
    atomic_store(&armed, true);
    const enum ga_status status = __real_ga_model_pack(model, variant, roles, block, size, loaded_out, error);
    atomic_store(&armed, false);
    return status;
}

// -- Facts ----------------------------------------------------------------------------------------------------------

static const double QUIET_BUDGET = 2e7; // enough for a call to be shared among threads
static const struct ga_parallel *pool;
static size_t shared_calls; // those that the pool had a part in

static void count_and_run(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    (void)self;
    shared_calls++;
    pool->run(pool->self, parts, task, context);
}

static void expect_quiet(struct checks *checks)
{
    const size_t calls = atomic_exchange(&caught, 0);
    checks_that(checks, calls == 0, "%zu calls of functions that are none of its business, %s the first", calls,
                calls > 0 ? atomic_load(&first_caught) : "");
}

static void run_quietly(struct checks *checks, const struct subject *subject, struct call *call)
{
    const struct ga_parallel counted = {.threads = pool->threads, .run = count_and_run};
    const struct ga_parallel *const parallels[] = {NULL, &counted};
    expect_quiet(checks); // of packing
    for (size_t v = 0; v < subject->n_loaded; v++) {
        for (size_t p = 0; p < sizeof parallels / sizeof *parallels; p++) {
            call->io.parallel = parallels[p];
            (void)call_run(call, checks, subject, v);
            expect_quiet(checks);
        }
    }
}

static void a_call_is_quiet(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, QUIET_BUDGET, run_quietly);
}

// Kernels that allocate and ask for the locale, to show that it would be seen.
static void run_loudly(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed, (void)io, (void)scratch;
    void *volatile block = malloc(100);
    free(block);
    (void)setlocale(LC_ALL, NULL);
}

static void call_loudly(struct checks *checks, const struct subject *subject, struct call *call)
{
    atomic_store(&caught, 0);
    (void)call_run(call, checks, subject, 0);
    const size_t calls = atomic_exchange(&caught, 0);
    checks_that(checks, calls == 3 && strcmp(atomic_load(&first_caught), "malloc") == 0,
                "%zu calls were seen where malloc, free and setlocale were called", calls);
}

static void what_is_not_quiet_is_seen(struct checks *checks, const struct ga_model *model)
{
    struct ga_variant variant = model->variants[model->n_variants - 1];
    struct ga_model loud = *model;
    variant.run = run_loudly;
    loud.variants = &variant;
    loud.n_variants = 1;
    kernels_each_call(checks, &loud, weights_random, 0, call_loudly);
}

// -- System calls ---------------------------------------------------------------------------------------------------

enum { CANNOT = 7, FAILED = 1 };

// In a child that the system ends at any system call but exit (read and write, too, are trapped above): a call of the
// model, or, with loaded NULL, a system call. Returns the child's wait status.
static int run_confined(const struct ga_loaded *loaded, const struct ga_io *io, const struct guard *scratch)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct ga_error error;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
            _exit(CANNOT);
        }
        const bool ok = loaded ? __real_ga_model_run(loaded, io, scratch->data, scratch->bytes, &error) == GA_OK
                               : syscall(SYS_getpid) > 0;
        syscall(SYS_exit, ok ? 0 : FAILED);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static bool can_confine(void)
{
    const int status = run_confined(NULL, NULL, NULL);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void run_without_system(struct checks *checks, const struct subject *subject, struct call *call)
{
    for (size_t v = 0; call->model->cache == 0 && v < subject->n_loaded; v++) {
        const struct ga_variant *variant = ga_loaded_variant(subject->loaded[v]);
        const size_t bytes =
            ga_model_scratch_size(call->model, variant, call->shape.batch, call->shape.q_len, call->shape.kv_len, 1);
        struct guard scratch;
        if (checks_need(checks, guard_make(&scratch, bytes, GA_ALIGN, GUARD_AT_END), "no memory for scratch")) {
            const int status = run_confined(subject->loaded[v], &call->io, &scratch);
            checks_that(checks, WIFEXITED(status) && WEXITSTATUS(status) == 0,
                        "%s: a system call, or a failed call (wait status %d)", variant->isa, status);
            guard_drop(&scratch);
        }
    }
}

static void a_call_makes_no_system_call(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, 0, run_without_system);
}

// -- Running --------------------------------------------------------------------------------------------------------

// Returns how many checks failed.
static size_t check(const char *name, kernel_fact *fact, const struct ga_model *model, size_t *done)
{
    static struct checks checks;
    checks = checks_new(name, 1);
    checks_name_faults(&checks);
    checks_subject(&checks, model->name, "");
    fact(&checks, model);
    if (checks.failed > 0) {
        printf("%s: %zu of %zu checks failed:%s\n", name, checks.failed, checks.done, checks.messages);
    }
    *done += checks.done;
    return checks.failed;
}

int main(void)
{
    struct ga_threads *threads = NULL;
    struct ga_error error;
    size_t done = 0, failed = 0;
    if (ga_threads_new(3, &threads, &error) != GA_OK) {
        fprintf(stderr, "no_libc_kernels: no pool of threads: %s\n", error.text);
        return 1;
    }
    pool = ga_threads_parallel(threads);
    const bool confines = can_confine();
    if (!confines) {
        printf("SKIP: system calls cannot be forbidden here (seccomp)\n");
    }
    for (size_t m = 0; m < n_ga_test_models; m++) {
        failed += check("a call is quiet", a_call_is_quiet, ga_test_models[m], &done);
        if (confines) {
            failed += check("a call makes no system call", a_call_makes_no_system_call, ga_test_models[m], &done);
        }
    }
    if (shared_calls == 0) {
        printf("no call was shared among threads\n");
        failed++;
    }
    failed += check("what is not quiet is seen", what_is_not_quiet_is_seen, ga_test_models[0], &done);
    ga_threads_free(threads);
    printf("%zu models, %zu checks, %zu failed\n", n_ga_test_models, done, failed);
    return failed == 0 && done > 0 ? 0 : 1;
}
