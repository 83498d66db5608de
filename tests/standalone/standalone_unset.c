// standalone_unset.c: a call whose query nobody wrote, and a look at what it gave: the memory sanitizer and valgrind
// must tell of it, or they tell of nothing. Says so where it comes to its end; exits 0 even then, for who runs it to
// judge.
#include <stdio.h>

#include "kernels.h"

static void run_unset(struct checks *checks, const struct subject *subject, struct call *call)
{
    guard_blank(&call->buffers[CALL_QUERY]);
    guard_blank(&call->buffers[CALL_TOKENS]);
    if (call_run(call, checks, subject, subject->n_loaded - 1) && call->io.output[0] > 0) {
        printf("the first number is above 0\n");
    }
}

int main(void)
{
    struct checks checks = checks_new("unset numbers", 1);
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (ga_test_models[m]->vocab_size == 0) {
            kernels_each_call(&checks, ga_test_models[m], weights_random, 0, run_unset);
            break;
        }
    }
    printf("nothing was said of unset numbers\n");
    return checks.failed == 0 ? 0 : 1;
}
