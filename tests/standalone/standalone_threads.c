// standalone_threads.c: the facts of threads_facts.h from a plain main(), for sanitizers, which do not get along with a
// framework that runs each test in a process of its own.
#include <stdio.h>
#include <stdlib.h>

#include "threads_facts.h"

static const struct {
    const char *name;
    threads_fact *fact;
} FACTS[] = {
#define THREADS_ROW(fact) {#fact, fact},
    THREADS_FACTS(THREADS_ROW)
#undef THREADS_ROW
};

int main(int argc, char **argv)
{
    static struct checks checks;
    const int percent = argc == 2 ? atoi(argv[1]) : 0;
    size_t failed = 0, done = 0;
    if (percent < 1) {
        fprintf(stderr, "usage: %s PERCENT\nChecks the pool of threads with PERCENT of the usual work.\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i++) {
        checks = checks_new(FACTS[i].name, percent / 100.0);
        checks_subject(&checks, "threads", "");
        checks_name_faults(&checks);
        FACTS[i].fact(&checks);
        checks_that(&checks, checks.done > 0, "found nothing to check");
        if (checks.failed > 0) {
            printf("%s: %zu of %zu checks failed:%s\n", FACTS[i].name, checks.failed, checks.done, checks.messages);
        }
        done += checks.done;
        failed += checks.failed;
    }
    printf("%zu checks, %zu failed\n", done, failed);
    return failed == 0 ? 0 : 1;
}
