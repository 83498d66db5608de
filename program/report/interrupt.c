// interrupt.c: handlers of signals that set a flag once. The flag is the process's, as signals are.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM};

enum { SIGNALS = sizeof numbers / sizeof *numbers };

static volatile sig_atomic_t was_interrupted;
static struct sigaction before[SIGNALS];

static void note(int number)
{
    (void)number;
    was_interrupted = 1;
}

void ga_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    was_interrupted = 0;
    for (size_t i = 0; i < SIGNALS; i++) {
        if (sigaction(numbers[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL); // without it the signal ends the process, as it did
        }
    }
}

bool ga_interrupted(void)
{
    return was_interrupted != 0;
}

void ga_interrupt_end(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)sigaction(numbers[i], &before[i], NULL);
    }
}
