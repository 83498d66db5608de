// standalone_dlopen.c: the facts of dlopen.h: a program that loads models as plugins and must not notice it.
// It has runtime and models of its own, as a host may that is linked with another version of them.
#include <stdio.h>
#include <stdlib.h>

#include "dlopen.h"

enum { MAX_HOSTS = 16 };

static const struct {
    const char *name;
    host_fact *fact;
} FACTS[] = {
#define HOST_ROW(fact) {#fact, fact},
    HOST_FACTS(HOST_ROW)
#undef HOST_ROW
};

static void check_alone(struct checks *checks, struct host *host, size_t rounds)
{
    for (size_t f = 0; f < sizeof FACTS / sizeof FACTS[0]; f++) {
        const size_t done = checks->done;
        checks_subject(checks, host->path, "");
        checks_situation(checks, FACTS[f].name);
        FACTS[f].fact(checks, host, rounds);
        checks_that(checks, checks->done > done, "found nothing to check");
    }
}

// Loading and packing by the program's own runtime leaves the process as it was, too.
static bool make_all(struct checks *checks, struct host *hosts, size_t count, char *const *paths)
{
    static struct host_state before, after;
    bool ok = true;
    host_state_read(&before);
    for (size_t i = 0; i < count; i++) {
        ok = host_make(&hosts[i], checks, paths[i]) && ok;
    }
    host_state_read(&after);
    host_state_compare(checks, &before, &after);
    return ok;
}

int main(int argc, char **argv)
{
    static struct checks checks;
    static struct host hosts[MAX_HOSTS];
    const int rounds = argc > 3 ? atoi(argv[1]) : 0;
    const size_t count = argc > 2 ? (size_t)argc - 2 : 0;
    if (rounds < 1 || count > MAX_HOSTS) {
        fprintf(stderr, "usage: %s ROUNDS LIBRARY.so LIBRARY.so...\nChecks models as plugins of a program.\n", argv[0]);
        return 2;
    }
    checks = checks_new("host", 1);
    checks_name_faults(&checks);
    const bool ok = make_all(&checks, hosts, count, argv + 2);
    for (size_t i = 0; ok && i < count; i++) {
        check_alone(&checks, &hosts[i], (size_t)rounds);
        checks_situation(&checks, "side by side");
        if (i > 0) {
            host_side_by_side(&checks, &hosts[0], &hosts[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        host_drop(&hosts[i]);
    }
    printf("%s%zu checks, %zu failed\n", checks.messages, checks.done, checks.failed);
    return checks.failed == 0 && checks.done > 0 ? 0 : 1;
}
