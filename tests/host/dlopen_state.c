// dlopen_state.c: what a library could change without its host's knowledge, as text that is compared line by line; and
// what a process holds. Linux's own files and calls; reads only.
#define _GNU_SOURCE // environ, sched_getaffinity
#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "dlopen.h"

static void say(struct host_state *state, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static void say(struct host_state *state, const char *format, ...)
{
    const size_t used = strlen(state->text);
    va_list values;
    va_start(values, format);
    vsnprintf(state->text + used, sizeof state->text - used, format, values);
    va_end(values);
}

// -- A thread's own -------------------------------------------------------------------------------------------------

static void print_arithmetic(struct host_state *state)
{
    say(state, "rounding %d\n", fegetround());
#if defined(__x86_64__)
    unsigned short control = 0;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    say(state, "MXCSR %x\nx87 control %x\n", __builtin_ia32_stmxcsr() & ~0x3fu, control); // without what was raised
#endif
}

static void print_affinity(struct host_state *state)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    say(state, "CPUs %d\nscheduler %d, priority %d\n", CPU_COUNT(&set), sched_getscheduler(0),
        getpriority(PRIO_PROCESS, 0));
}

static void print_signals(struct host_state *state)
{
    stack_t stack;
    sigset_t mask;
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigaltstack(NULL, &stack);
    say(state, "signal stack %p\n", stack.ss_sp);
    for (int number = 1; number < SIGRTMAX; number++) {
        struct sigaction action = {.sa_flags = 0};
        if (sigaction(number, NULL, &action) == 0) {
            say(state, "signal %d: blocked %d, handler %lx, flags %x\n", number, sigismember(&mask, number),
                (unsigned long)action.sa_handler, (unsigned)action.sa_flags);
        }
    }
}

// -- The process's --------------------------------------------------------------------------------------------------

// The lines of /proc/self/status about signals: pending, blocked, ignored and caught ones of the whole process. Without
// the two that the C library keeps to itself and catches from the first thread on.
static void print_status(struct host_state *state)
{
    char line[256], name[16];
    unsigned long long set = 0;
    const unsigned long long own = 3ull << 31;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        const bool about = (strncmp(line, "Sig", 3) == 0 && line[3] != 'Q') || strncmp(line, "ShdPnd", 6) == 0;
        if (about && sscanf(line, "%15[A-Za-z]: %llx", name, &set) == 2) {
            say(state, "%s %llx\n", name, set & ~own);
        }
    }
    if (file) {
        fclose(file);
    }
}

static void print_files(struct host_state *state)
{
    enum { MOST = 256 };
    for (int file = 0; file < MOST; file++) {
        const int flags = fcntl(file, F_GETFD);
        if (flags >= 0) {
            say(state, "file %d: flags %d, mode %x, at %ld\n", file, flags, (unsigned)fcntl(file, F_GETFL),
                (long)lseek(file, 0, SEEK_CUR));
        }
    }
}

static void print_environment(struct host_state *state)
{
    unsigned long sum = 5381;
    for (char **entry = environ; entry && *entry; entry++) {
        for (const char *c = *entry; *c; c++) {
            sum = sum * 33 + (unsigned char)*c;
        }
    }
    say(state, "environment at %p, sum %lx\n", (void *)environ, sum);
}

static void print_place(struct host_state *state)
{
    char folder[HOST_PATH] = "";
    const mode_t mask = umask(0);
    umask(mask);
    say(state, "folder %s\numask %o\nlocale %s\n", getcwd(folder, sizeof folder) ? folder : "?", (unsigned)mask,
        setlocale(LC_ALL, NULL));
}

static void print_limits(struct host_state *state)
{
    static const int limits[] = {RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_STACK};
    static const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit = {0, 0};
        getrlimit((unsigned)limits[i], &limit);
        say(state, "limit %d: %lx of %lx\n", limits[i], (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
    }
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        struct itimerval timer = {{0, 0}, {0, 0}};
        getitimer((__itimer_which_t)timers[i], &timer);
        say(state, "timer %d: %s\n", timers[i], timer.it_value.tv_sec || timer.it_value.tv_usec ? "runs" : "off");
    }
}

void host_state_read(struct host_state *state)
{
    state->text[0] = '\0';
    print_arithmetic(state);
    print_affinity(state);
    print_signals(state);
    print_status(state);
    print_files(state);
    print_environment(state);
    print_place(state);
    print_limits(state);
}

void host_state_compare(struct checks *checks, const struct host_state *before, const struct host_state *after)
{
    const char *old = before->text, *now = after->text;
    while (*old && *now) {
        const size_t length = strcspn(old, "\n"), other = strcspn(now, "\n");
        if (!checks_that(checks, length == other && strncmp(old, now, length) == 0, "\"%.*s\" became \"%.*s\"",
                         (int)length, old, (int)other, now)) {
            return;
        }
        old += length + 1;
        now += other + 1;
    }
}

// -- Sizes ----------------------------------------------------------------------------------------------------------

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static size_t count_lines(const char *path)
{
    size_t count = 0;
    FILE *file = fopen(path, "r");
    for (int c = file ? fgetc(file) : EOF; c != EOF; c = fgetc(file)) {
        count += c == '\n';
    }
    if (file) {
        fclose(file);
    }
    return count;
}

struct host_size host_size_now(void)
{
    size_t mapped = 0, resident = 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%zu %zu", &mapped, &resident) != 2) {
        mapped = resident = 0;
    }
    if (file) {
        fclose(file);
    }
    return (struct host_size){
        .resident = resident * page,
        .mapped = mapped * page,
        .maps = count_lines("/proc/self/maps"),
        .files = count_entries("/proc/self/fd"),
        .threads = count_entries("/proc/self/task"),
    };
}
