// checks.c: the bookkeeping of checks.h, the handler that gives a fault its name, and the end of what hangs.
#define _DEFAULT_SOURCE
#include "checks.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
enum { N_FAULTS = sizeof FAULTS / sizeof FAULTS[0] };

static const struct checks *named;
static struct sigaction before[N_FAULTS];

struct checks checks_new(const char *fact, double effort)
{
    return (struct checks){.fact = fact, .effort = effort};
}

void checks_subject(struct checks *checks, const char *model, const char *part)
{
    snprintf(checks->subject, sizeof checks->subject, "%s %s", model, part);
}

void checks_situation(struct checks *checks, const char *situation)
{
    snprintf(checks->situation, sizeof checks->situation, "%s", situation);
}

static void keep(struct checks *checks, const char *format, va_list values)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 0)))
#endif
    ;

static void keep(struct checks *checks, const char *format, va_list values)
{
    char message[400];
    size_t used = strlen(checks->messages), room = sizeof checks->messages - used;
    vsnprintf(message, sizeof message, format, values);
    int length = snprintf(checks->messages + used, room, "\n  %s: %s: %s", checks->subject, checks->situation, message);
    if (length < 0 || (size_t)length >= room) {
        checks->messages[used] = '\0';
    }
    checks->failed++;
}

bool checks_that(struct checks *checks, bool ok, const char *format, ...)
{
    va_list values;
    checks->done++;
    if (!ok) {
        va_start(values, format);
        keep(checks, format, values);
        va_end(values);
    }
    return ok;
}

bool checks_need(struct checks *checks, bool ok, const char *format, ...)
{
    va_list values;
    if (!ok) {
        va_start(values, format);
        keep(checks, format, values);
        va_end(values);
    }
    return ok;
}

// write() alone: nothing else is safe in a handler. What it says cannot be helped if it fails.
static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

// Names the fault and puts the former handler back; returning runs into the same fault again, now unhandled.
static void on_fault(int number)
{
    const char *const parts[] = {"\nfault in ", named->fact, ": ", named->subject, ": ", named->situation, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        say(parts[i]);
    }
    for (size_t i = 0; i < N_FAULTS; i++) {
        if (FAULTS[i] == number) {
            sigaction(number, &before[i], NULL);
        }
    }
}

void checks_name_faults(const struct checks *checks)
{
    struct sigaction action = {.sa_handler = on_fault};
    bool installed = named != NULL;
    named = checks;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_FAULTS && !installed; i++) {
        sigaction(FAULTS[i], &action, &before[i]);
    }
}

void checks_end_in(unsigned int seconds)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(seconds);
}
