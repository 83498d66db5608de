// threads_manners.c: facts of threads_facts.h about the process around a pool: forks, signals, rounding, CPU time,
// threads that remain, errors. Runs no model.
#define _GNU_SOURCE // sched_setaffinity
#include <fenv.h>
#include <float.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_facts.h"

enum { THREADS = 4 };

static void count_part(void *context, size_t part)
{
    ((size_t *)context)[part]++;
}

// Whether the pool does every part of rounds once.
static bool does_its_parts(struct ga_threads *pool, size_t rounds)
{
    bool good = true;
    for (size_t round = 0; round < rounds; round++) {
        size_t counts[THREADS] = {0};
        threads_run(pool, THREADS, count_part, counts);
        for (size_t part = 0; part < THREADS; part++) {
            good = good && counts[part] == 1;
        }
    }
    return good;
}

// -- Forks ----------------------------------------------------------------------------------------------------------

// A child that uses the pool and frees it; it ends by SIGALRM where either hangs.
static pid_t fork_user(struct ga_threads *pool)
{
    const pid_t child = fork();
    if (child == 0) {
        checks_end_in(20);
        const bool good = does_its_parts(pool, 100);
        ga_threads_free(pool);
        _exit(good ? 0 : 1);
    }
    return child;
}

static void check_child(struct checks *checks, pid_t child)
{
    int status = -1;
    checks_need(checks, child > 0 && waitpid(child, &status, 0) == child, "no child");
    checks_that(checks, !WIFSIGNALED(status), "the child was ended by signal %d", WTERMSIG(status));
    checks_that(checks, WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child's parts were lost or repeated");
}

// Forked from while workers spin, fall asleep, and sleep.
void a_forked_child_runs_and_frees(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, THREADS);
    for (long pause = 0; pool != NULL && pause < 200; pause += 10) {
        does_its_parts(pool, 10);
        threads_sleep_us(pause);
        check_child(checks, fork_user(pool));
        checks_that(checks, does_its_parts(pool, 100), "the parent's parts were lost or repeated");
    }
    ga_threads_free(pool);
}

static void *call_until_told(void *context)
{
    struct meeting *meeting = context;
    threads_meet(meeting, 1); // a round is in progress from here
    while (!atomic_load(&meeting->met)) {
        threads_sleep_us(100);
    }
    return NULL;
}

static void be_in_a_round(void *context, size_t part)
{
    if (part == 0) {
        call_until_told(context);
    }
}

static void *call_beside(void *context)
{
    struct meeting *meeting = context;
    threads_run(meeting->context, THREADS, be_in_a_round, meeting);
    return NULL;
}

// The fork is another thread's than the one in the round, which the child does not have.
void a_child_forked_in_the_middle_of_a_round_runs(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, THREADS);
    struct meeting meeting = {.context = pool};
    pthread_t thread;
    if (pool != NULL && checks_need(checks, pthread_create(&thread, NULL, call_beside, &meeting) == 0, "no thread")) {
        while (atomic_load(&meeting.arrived) == 0) {
            threads_sleep_us(100);
        }
        const pid_t child = fork_user(pool);
        threads_meet(&meeting, 0);
        check_child(checks, child);
        pthread_join(thread, NULL);
        checks_that(checks, does_its_parts(pool, 100), "the parent's parts were lost or repeated");
    }
    ga_threads_free(pool);
}

// -- Signals --------------------------------------------------------------------------------------------------------

static void read_mask(void *context, size_t part)
{
    pthread_sigmask(SIG_SETMASK, NULL, (sigset_t *)context + part);
}

static bool is_fault(int number)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i] == number) {
            return true;
        }
    }
    return false;
}

static void check_masks(struct checks *checks, const sigset_t *caller, const sigset_t *worker)
{
    sigset_t now, all;
    sigfillset(&all); // without those the C library keeps to itself
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    for (int number = 1; number <= SIGRTMAX; number++) {
        checks_that(checks, sigismember(&now, number) == sigismember(caller, number),
                    "signal %d of the caller's mask changed", number);
        if (sigismember(&all, number) == 1 && number != SIGKILL && number != SIGSTOP) {
            checks_that(checks, sigismember(worker, number) != is_fault(number), "signal %d is %sblocked", number,
                        is_fault(number) ? "" : "not ");
        }
    }
}

void workers_block_signals_and_the_caller_does_not(struct checks *checks)
{
    sigset_t before, masks[2];
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    sigaddset(&before, SIGUSR2);
    sigdelset(&before, SIGTERM);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    struct ga_threads *pool = threads_make(checks, 2);
    struct meeting meeting = {.task = read_mask, .context = masks};
    if (pool != NULL) {
        threads_run(pool, 2, threads_meet, &meeting);
        checks_need(checks, atomic_load(&meeting.met), "the worker did not come");
        check_masks(checks, &before, &masks[1]);
    }
    ga_threads_free(pool);
}

// -- Arithmetic -----------------------------------------------------------------------------------------------------

// What a thread makes of numbers that no two roundings give alike; tiny is 0 where subnormals are flushed.
struct arithmetic {
    float third, minus_third, tiny;
};

static struct arithmetic arithmetic_here(void)
{
    volatile float one = 1.0f, three = 3.0f, smallest = FLT_MIN;
    return (struct arithmetic){.third = one / three, .minus_third = -one / three, .tiny = smallest / three};
}

static void compute(void *context, size_t part)
{
    ((struct arithmetic *)context)[part] = arithmetic_here();
}

// By their bits: where subnormals are flushed, they equal 0.
static bool is_same(const struct arithmetic *a, const struct arithmetic *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// The worker's part after the caller has chosen, and that the caller's choice is left alone.
static void check_arithmetic(struct checks *checks, struct ga_threads *pool, const char *choice)
{
    const struct arithmetic before = arithmetic_here();
    struct arithmetic parts[2];
    struct meeting meeting = {.task = compute, .context = parts};
    threads_run(pool, 2, threads_meet, &meeting);
    const struct arithmetic after = arithmetic_here();
    checks_need(checks, atomic_load(&meeting.met), "the worker did not come");
    checks_that(checks, is_same(&parts[1], &before), "%s: the worker computes otherwise", choice);
    checks_that(checks, is_same(&after, &before), "%s: the caller computes otherwise than before", choice);
}

void workers_round_as_their_caller_does(struct checks *checks)
{
    static const struct {
        const char *name;
        int mode;
    } roundings[] = {{"upward", FE_UPWARD}, {"to nearest", FE_TONEAREST}, {"toward zero", FE_TOWARDZERO}};
    struct ga_threads *pool = threads_make(checks, 2);
    for (size_t i = 0; pool != NULL && i < sizeof roundings / sizeof roundings[0]; i++) {
        fesetround(roundings[i].mode);
        check_arithmetic(checks, pool, roundings[i].name);
    }
    fesetround(FE_TONEAREST);
#if defined(__SSE__)
    const unsigned int flush = 0x8040, usual = __builtin_ia32_stmxcsr(); // FTZ and DAZ
    __builtin_ia32_ldmxcsr(usual | flush);
    check_arithmetic(checks, pool, "subnormals flushed");
    checks_that(checks, arithmetic_here().tiny == 0.0f, "subnormals are not flushed here");
    __builtin_ia32_ldmxcsr(usual);
#endif
    check_arithmetic(checks, pool, "as before");
    ga_threads_free(pool);
}

// -- CPU time and threads -------------------------------------------------------------------------------------------

void idle_workers_use_no_cpu(struct checks *checks)
{
    struct ga_threads *pool = threads_make(checks, ga_threads_available() > 2 ? ga_threads_available() : 2);
    struct meeting meeting = {.arrived = 0};
    if (pool != NULL) {
        threads_run(pool, 2, threads_meet, &meeting);
        threads_sleep_us(50000); // a thousand times what workers spin
        const double before = threads_cpu_seconds();
        threads_sleep_us(500000);
        const double used = threads_cpu_seconds() - before;
        checks_that(checks, used < 0.05, "%g s of CPU in half a second without work", used);
    }
    ga_threads_free(pool);
}

void pools_leave_no_threads_behind(struct checks *checks)
{
    const size_t before = threads_count();
    for (size_t i = 0; i < threads_rounds(checks, 200); i++) {
        struct ga_threads *pool = threads_make(checks, THREADS);
        if (pool == NULL || !checks_that(checks, i % 2 == 0 || does_its_parts(pool, 3), "parts were lost")) {
            break;
        }
        ga_threads_free(pool);
    }
    ga_threads_free(NULL);
    checks_that(checks, threads_count() <= before, "%zu threads, before %zu", threads_count(), before);
}

// -- Errors ---------------------------------------------------------------------------------------------------------

void wrong_arguments_are_refused(struct checks *checks)
{
    static const size_t wrong[] = {0, GA_MAX_THREADS + 1, SIZE_MAX};
    checks_situation(checks, "arguments");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct ga_error error = {.text = ""};
        char number[32];
        struct ga_threads *pool = (struct ga_threads *)&error;
        snprintf(number, sizeof number, "%zu threads", wrong[i]);
        checks_that(checks, ga_threads_new(wrong[i], &pool, &error) == GA_ARGUMENT, "%s were taken", number);
        checks_that(checks, pool == NULL, "%s gave a pool", number);
        checks_that(checks, strstr(error.text, number) && strstr(error.text, "1..1024"), "the error: %s", error.text);
        checks_that(checks, ga_threads_new(wrong[i], &pool, NULL) == GA_ARGUMENT, "%s were taken", number);
    }
    checks_that(checks, ga_threads_new(1, NULL, NULL) == GA_ARGUMENT, "NULL was taken");
}

#if !SANITIZED

// Memory for some stacks, but not for all.
static void limit_memory(rlim_t bytes, struct rlimit *before_out)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    getrlimit(RLIMIT_AS, before_out);
    if (file != NULL && fscanf(file, "%lu", &pages) == 1) {
        struct rlimit limit = *before_out;
        limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
    if (file != NULL) {
        fclose(file);
    }
}

void threads_that_cannot_be_started_are_an_error(struct checks *checks)
{
    struct ga_error error = {.text = ""};
    struct ga_threads *pool = NULL;
    struct rlimit before;
    const size_t count = threads_count();
    checks_situation(checks, "memory for a hundred stacks");
    limit_memory((rlim_t)100 * GA_THREAD_STACK, &before);
    const enum ga_status status = ga_threads_new(GA_MAX_THREADS, &pool, &error);
    setrlimit(RLIMIT_AS, &before);
    checks_that(checks, status == GA_THREAD && pool == NULL, "status %d: %s", (int)status, error.text);
    checks_that(checks, strstr(error.text, "of 1024 could not be started"), "the error: %s", error.text);
    checks_that(checks, threads_count() == count, "%zu threads, before %zu", threads_count(), count);
    pool = threads_make(checks, THREADS);
    checks_that(checks, pool != NULL && does_its_parts(pool, 100), "the next pool does not work");
    ga_threads_free(pool);
}

#endif

void available_is_what_the_affinity_allows(struct checks *checks)
{
    cpu_set_t before, one;
    const size_t available = ga_threads_available();
    checks_situation(checks, "affinity");
    checks_need(checks, sched_getaffinity(0, sizeof before, &before) == 0, "the affinity cannot be read");
    checks_that(checks, available >= 1 && available <= GA_MAX_THREADS, "%zu CPUs", available);
    checks_that(checks, available == (size_t)CPU_COUNT(&before), "%zu CPUs of %d", available, CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
        }
    }
    checks_need(checks, sched_setaffinity(0, sizeof one, &one) == 0, "the affinity cannot be set");
    checks_that(checks, ga_threads_available() == 1, "%zu CPUs of 1", ga_threads_available());
    sched_setaffinity(0, sizeof before, &before);
}
