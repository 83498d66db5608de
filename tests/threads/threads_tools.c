// threads_tools.c: what the facts about pools share. Checks nothing but that a pool could be made.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <time.h>

#include "threads_facts.h"

struct ga_threads *threads_make(struct checks *checks, size_t threads)
{
    char text[64];
    struct ga_threads *pool = NULL;
    struct ga_error error = {.text = ""};
    snprintf(text, sizeof text, "a pool of %zu", threads);
    checks_situation(checks, text);
    const enum ga_status status = ga_threads_new(threads, &pool, &error);
    checks_need(checks, status == GA_OK && pool != NULL, "not made: %s", error.text);
    return pool;
}

void threads_run(struct ga_threads *pool, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    const struct ga_parallel *parallel = ga_threads_parallel(pool);
    parallel->run(parallel->self, parts, task, context);
}

size_t threads_rounds(const struct checks *checks, size_t usual)
{
    const double rounds = checks->effort * (double)usual;
    return rounds < 1.0 ? 1 : (size_t)rounds;
}

void threads_sleep_us(long microseconds)
{
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double threads_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double threads_cpu_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

size_t threads_count(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks != NULL) {
        const struct dirent *entry = readdir(tasks);
        if (entry == NULL) {
            closedir(tasks);
            break;
        }
        count += entry->d_name[0] != '.';
    }
    return count;
}

void threads_meet(void *argument, size_t part)
{
    struct meeting *meeting = argument;
    const double end = threads_seconds() + 10.0;
    meeting->who[part] = pthread_self();
    if (meeting->task != NULL) {
        meeting->task(meeting->context, part);
    }
    atomic_fetch_add(&meeting->arrived, 1);
    while (atomic_load(&meeting->arrived) < 2 && threads_seconds() < end) {
        threads_sleep_us(20);
    }
    if (atomic_load(&meeting->arrived) == 2) {
        atomic_store(&meeting->met, true);
    }
}
