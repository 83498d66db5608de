// test_threads.c: the facts of threads_facts.h under Criterion, one test for each. Checks nothing itself.
#include <criterion/criterion.h>

#include "threads_facts.h"

static void check(threads_fact *fact, const char *name)
{
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
