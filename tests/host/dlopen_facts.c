// dlopen_facts.c: facts of dlopen.h: that models come, run and go without a trace but their results.
#define _GNU_SOURCE // RTLD_LOCAL and its like
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dlopen.h"

// -- Tools ----------------------------------------------------------------------------------------------------------

// Opens, loads and runs on one thread; a copy of the output, or NULL after a failed check. The library is open then.
static float *run_alone(struct checks *checks, struct host *host)
{
    float *output = NULL;
    if (host_open(host, checks, RTLD_NOW | RTLD_LOCAL) && host_load(host, checks) &&
        checks_need(checks, host_run(host, NULL), "the call failed")) {
        output = malloc(host_output_bytes(host));
        checks_need(checks, output != NULL, "no memory for the output");
    }
    if (output) {
        memcpy(output, host_output(host), host_output_bytes(host));
    }
    return output;
}

static bool gives(struct host *host, const struct ga_parallel *parallel, const float *output)
{
    return host_run(host, parallel) && memcmp(host_output(host), output, host_output_bytes(host)) == 0;
}

static struct ga_threads *make_pool(struct checks *checks, const struct host *host)
{
    struct ga_threads *pool = NULL;
    struct ga_error error = {.text = ""};
    const enum ga_status status = host->library.ga_threads_new(HOST_THREADS, &pool, &error);
    checks_need(checks, status == GA_OK, "%s", error.text);
    return pool;
}

// -- The process ----------------------------------------------------------------------------------------------------

// Comes, runs on one thread and on a pool, and goes; every step leaves the process as it was.
static void come_and_go(struct checks *checks, struct host *host)
{
    static struct host_state before, after; // too large for a stack
    host_state_read(&before);
    float *output = run_alone(checks, host);
    struct ga_threads *pool = output ? make_pool(checks, host) : NULL;
    if (pool) {
        const struct ga_parallel *parallel = host->library.ga_threads_parallel(pool);
        host_state_read(&after);
        host_state_compare(checks, &before, &after);
        checks_that(checks, gives(host, parallel, output), "the pool's bits are others");
        host_state_read(&after);
        host_state_compare(checks, &before, &after);
        host->library.ga_threads_free(pool);
    }
    free(output);
    host_close(host);
    host_state_read(&after);
    host_state_compare(checks, &before, &after);
}

void the_process_is_as_it_was(struct checks *checks, struct host *host, size_t rounds)
{
    (void)rounds;
    come_and_go(checks, host);
}

static void do_nothing(int number)
{
    (void)number;
}

// Another rounding, subnormals flushed, a mask and handlers of signals, a locale, a umask.
static void be_unusual(void)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGRTMIN + 3);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGUSR1, do_nothing);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGFPE, do_nothing);
    setlocale(LC_ALL, "C.UTF-8");
    umask(0137);
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    const unsigned int flush = 0x8040; // FTZ and DAZ
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush);
#endif
}

// In a child, so that what is unusual ends with it. The output is near the usual one: rounded otherwise, but no other
// number.
static void run_unusually(struct checks *checks, struct host *host, const float *usual)
{
    const double factor = 1e-3;
    double largest = 0, furthest = 0;
    const size_t count = host_output_bytes(host) / sizeof(float);
    be_unusual();
    come_and_go(checks, host);
    for (size_t i = 0; i < count; i++) {
        const double wanted = (double)usual[i], error = fabs((double)host_output(host)[i] - wanted);
        largest = fmax(largest, fabs(wanted));
        furthest = error <= furthest ? furthest : error; // NaN included
    }
    checks_that(checks, furthest <= factor * largest, "rounded up, an output of at most %g is off by %g", largest,
                furthest);
}

// A child counts its own failures, and tells them on stderr and by its exit code.
static void begin_child(struct checks *checks)
{
    checks_end_in(60);
    checks->failed = 0;
    checks->messages[0] = '\0';
}

static void check_child(struct checks *checks, pid_t child)
{
    int status = -1;
    const bool came = child > 0 && waitpid(child, &status, 0) == child;
    checks_that(checks, came && status == 0, "a child ended with status %x", (unsigned)status);
}

static void end_child(const struct checks *checks)
{
    (void)!write(STDERR_FILENO, checks->messages, strlen(checks->messages));
    _exit(checks->failed == 0 ? 0 : 1);
}

void an_unusual_process_is_as_it_was(struct checks *checks, struct host *host, size_t rounds)
{
    (void)rounds;
    float *usual = run_alone(checks, host);
    host_close(host);
    const pid_t child = usual ? fork() : -1;
    if (child == 0) {
        begin_child(checks);
        run_unusually(checks, host, usual);
        end_child(checks);
    }
    check_child(checks, child);
    free(usual);
}

// A host that lets these trap would be ended by a call that raises them.
void calls_raise_no_exceptions_of_arithmetic(struct checks *checks, struct host *host, size_t rounds)
{
    (void)rounds;
    float *output = run_alone(checks, host);
    if (output) {
        feclearexcept(FE_ALL_EXCEPT);
        checks_need(checks, host_run(host, NULL), "the call failed");
        const int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
        checks_that(checks, raised == 0, "a call raised%s%s%s", raised & FE_INVALID ? " invalid" : "",
                    raised & FE_DIVBYZERO ? " division by zero" : "", raised & FE_OVERFLOW ? " overflow" : "");
    }
    free(output);
    host_close(host);
}

// -- Forks and signals ----------------------------------------------------------------------------------------------

void calls_run_in_parent_and_child(struct checks *checks, struct host *host, size_t rounds)
{
    float *output = run_alone(checks, host);
    struct ga_threads *pool = output ? make_pool(checks, host) : NULL;
    const struct ga_parallel *parallel = pool ? host->library.ga_threads_parallel(pool) : NULL;
    for (size_t round = 0; pool && round < rounds; round++) {
        checks_that(checks, gives(host, parallel, output), "the parent's bits are others before the fork");
        const pid_t child = fork();
        if (child == 0) {
            begin_child(checks);
            checks_that(checks, gives(host, parallel, output), "the child's bits are others");
            host->library.ga_threads_free(pool);
            pool = make_pool(checks, host); // the child may have workers of its own
            checks_that(checks, pool && gives(host, host->library.ga_threads_parallel(pool), output),
                        "the bits of the child's own pool are others");
            end_child(checks);
        }
        checks_that(checks, gives(host, parallel, output), "the parent's bits are others after the fork");
        check_child(checks, child);
    }
    if (pool) {
        host->library.ga_threads_free(pool);
    }
    free(output);
    host_close(host);
}

static pthread_t main_thread;
static volatile sig_atomic_t alarms, alarms_elsewhere;

static void count_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
    alarms_elsewhere = alarms_elsewhere + !pthread_equal(pthread_self(), main_thread);
}

static void alarm_every(long microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

// Calls on the pool until so many alarms came or there were enough rounds; false where one gives other bits.
static bool call_through_alarms(struct host *host, const struct ga_threads *pool, const float *output, size_t rounds,
                                int enough)
{
    bool same = true;
    for (size_t round = 0; same && round < rounds && alarms < enough; round++) {
        same = gives(host, host->library.ga_threads_parallel(pool), output);
    }
    return same;
}

// While the host's thread has them blocked, the process's signals wait for it: no worker takes one.
static void check_blocked(struct checks *checks, struct host *host, const struct ga_threads *pool, const float *output)
{
    enum { ROUNDS = 200 }; // of some ten microseconds at least, so several alarms
    sigset_t alarm_only, pending;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, NULL);
    const int before = alarms;
    checks_that(checks, call_through_alarms(host, pool, output, ROUNDS, before + 1), "calls give other bits");
    do {
        sigpending(&pending);
    } while (alarms == before && sigismember(&pending, SIGALRM) != 1);
    checks_that(checks, alarms == before, "a worker took a signal that the host had blocked");
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
}

// A timer of the process's interrupts calls; its handler runs on the host's thread, whatever the workers are doing.
void signals_go_to_the_host_alone(struct checks *checks, struct host *host, size_t rounds)
{
    enum { ALARMS = 20, MOST_ROUNDS = 20000 }; // some seconds
    (void)rounds;
    float *output = run_alone(checks, host);
    struct ga_threads *pool = output ? make_pool(checks, host) : NULL;
    main_thread = pthread_self();
    alarms = alarms_elsewhere = 0;
    if (pool) {
        signal(SIGALRM, count_alarm);
        alarm_every(500);
        checks_that(checks, call_through_alarms(host, pool, output, MOST_ROUNDS, ALARMS), "calls give other bits");
        checks_that(checks, alarms >= ALARMS, "of %d signals %d came", ALARMS, (int)alarms);
        check_blocked(checks, host, pool, output);
        alarm_every(0);
        checks_that(checks, alarms_elsewhere == 0, "%d of %d signals came to a worker", (int)alarms_elsewhere,
                    (int)alarms);
        signal(SIGALRM, SIG_DFL);
        host->library.ga_threads_free(pool);
    }
    free(output);
    host_close(host);
}

// -- Coming and going -----------------------------------------------------------------------------------------------

static bool come_run_go(struct checks *checks, struct host *host, const float *output)
{
    struct ga_threads *pool = NULL;
    bool ok = host_open(host, checks, RTLD_NOW | RTLD_LOCAL) && host_load(host, checks);
    pool = ok ? make_pool(checks, host) : NULL;
    ok = ok && pool &&
         checks_need(checks, gives(host, host->library.ga_threads_parallel(pool), output), "the bits are others");
    if (pool) {
        host->library.ga_threads_free(pool);
    }
    host_close(host);
    return ok;
}

// A thread that was joined stands in /proc for a moment longer.
static struct host_size size_settled(size_t threads)
{
    struct host_size size = host_size_now();
    for (int i = 0; i < 1000 && size.threads > threads; i++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        size = host_size_now();
    }
    return size;
}

// After the first rounds, in which the C library keeps stacks and arenas, nothing grows.
void coming_and_going_leaves_nothing(struct checks *checks, struct host *host, size_t rounds)
{
    enum { FIRST = 10, SLACK = 256 * 1024 };
    float *output = run_alone(checks, host);
    bool ok = output != NULL;
    struct host_size first = {0}, last;
    host_close(host);
    for (size_t round = 0; ok && round < FIRST + rounds; round++) {
        ok = come_run_go(checks, host, output);
        if (round + 1 == FIRST) {
            first = size_settled(1);
        }
    }
    last = size_settled(1);
    checks_that(checks, last.files == first.files, "%zu files, before %zu", last.files, first.files);
    checks_that(checks, last.threads == first.threads, "%zu threads, before %zu", last.threads, first.threads);
    checks_that(checks, last.maps <= first.maps, "%zu mappings, before %zu", last.maps, first.maps);
    checks_that(checks, last.mapped <= first.mapped, "%zu bytes mapped, before %zu", last.mapped, first.mapped);
    checks_that(checks, last.resident <= first.resident + SLACK, "%zu bytes resident, before %zu", last.resident,
                first.resident);
    free(output);
}

// -- Side by side ---------------------------------------------------------------------------------------------------

// Each in turn, then the first one without the second.
static void run_both(struct checks *checks, struct host *const hosts[2], float *const outputs[2], int flags)
{
    enum { TURNS = 3 };
    bool ok = true;
    for (size_t i = 0; i < 2; i++) {
        ok = ok && host_open(hosts[i], checks, flags) && host_load(hosts[i], checks);
    }
    for (size_t turn = 0; ok && turn < 2 * TURNS; turn++) {
        ok = checks_that(checks, gives(hosts[turn % 2], NULL, outputs[turn % 2]),
                         "with %s beside it its bits are others", hosts[1 - turn % 2]->path);
    }
    checks_that(checks, ok && hosts[0]->library.model != hosts[1]->library.model, "both are one model");
    host_close(hosts[1]);
    checks_that(checks, ok && gives(hosts[0], NULL, outputs[0]), "once %s has gone its bits are others",
                hosts[1]->path);
    host_close(hosts[0]);
}

void host_side_by_side(struct checks *checks, struct host *first, struct host *second)
{
    struct host *const hosts[2] = {first, second};
    float *outputs[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        checks_subject(checks, hosts[i]->path, "");
        outputs[i] = run_alone(checks, hosts[i]);
        host_close(hosts[i]);
    }
    if (outputs[0] && outputs[1]) {
        run_both(checks, hosts, outputs, RTLD_NOW | RTLD_LOCAL);
        run_both(checks, hosts, outputs, RTLD_NOW | RTLD_GLOBAL); // each takes its own names all the same
    }
    free(outputs[0]);
    free(outputs[1]);
}
