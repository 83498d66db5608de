// test_threads.c: the facts of threads_facts.h under Criterion, one test for each. Checks nothing itself.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "threads_facts.h"

// What an emulator of one program has of its own: its last signals, its threads, its memory.
static const char *const OF_THE_SYSTEM[] = {"workers_block_signals_and_the_caller_does_not",
                                            "pools_leave_no_threads_behind",
                                            "threads_that_cannot_be_started_are_an_error"};

static void skip_where_emulated(const char *name)
{
    for (size_t i = 0; getenv("GA_EMULATED") && i < sizeof OF_THE_SYSTEM / sizeof *OF_THE_SYSTEM; i++) {
        if (strcmp(name, OF_THE_SYSTEM[i]) == 0) {
            cr_skip_test("%s: signals, threads and limits of memory are the emulator's", name);
        }
    }
}

static void check(threads_fact *fact, const char *name)
{
    skip_where_emulated(name);
    static struct checks checks; // outlives the test, for the fault handler
    checks = checks_new(name, 1);
    checks_subject(&checks, "threads", "");
    checks_name_faults(&checks);
    fact(&checks);
    cr_assert(checks.done > 0, "%s found nothing to check", name);
    cr_assert(checks.failed == 0, "%s: %zu of %zu checks failed:%s", name, checks.failed, checks.done, checks.messages);
}

// clang-format off
#define THREADS_TEST(fact)                   \
    Test(threads, fact, .timeout = 120)      \
    {                                        \
        check(fact, #fact);                  \
    }
// clang-format on
THREADS_FACTS(THREADS_TEST)
