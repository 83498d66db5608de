// standalone_kernels.c: the facts of kernels.h from a plain main(), for sanitizers, valgrind and emulators, which do
// not get along with a framework that runs each test in a process of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static const struct {
    const char *name;
    kernel_fact *fact;
    bool (*is_about)(const struct ga_model *model);
} FACTS[] = {
#define KERNEL_ROW(fact, who) {#fact, fact, kernels_for_##who},
    KERNEL_FACTS(KERNEL_ROW)
#undef KERNEL_ROW
};

// True where no name is given or one of names[count] is part of the name.
static bool is_wanted(const char *name, char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strstr(name, names[i])) {
            return true;
        }
    }
    return count == 0;
}

static size_t check_model(const struct ga_model *model, double effort, size_t *done)
{
    static struct checks checks;
    size_t failed = 0;
    for (size_t f = 0; f < sizeof FACTS / sizeof FACTS[0]; f++) {
        if (!FACTS[f].is_about(model)) {
            continue;
        }
        checks = checks_new(FACTS[f].name, effort);
        checks_name_faults(&checks);
        kernels_check(&checks, FACTS[f].fact, model);
        if (checks.failed > 0) {
            printf("%s: %zu of %zu checks failed:%s\n", FACTS[f].name, checks.failed, checks.done, checks.messages);
        }
        *done += checks.done;
        failed += checks.failed;
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (argc < 2 || atoi(argv[1]) < 1) {
        fprintf(stderr,
                "usage: %s PERCENT [PART OF A MODEL'S NAME...]\n"
                "Checks the models of this build with PERCENT of the usual work (100: as ninja check does).\n",
                argv[0]);
        return 2;
    }
    size_t failed = 0, done = 0, models = 0;
    kernels_name_skipped();
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (is_wanted(ga_test_models[m]->name, argv + 2, argc - 2)) {
            failed += check_model(ga_test_models[m], atoi(argv[1]) / 100.0, &done);
            models++;
        }
    }
    printf("%zu models, %zu checks, %zu failed\n", models, done, failed);
    return failed == 0 && models > 0 ? 0 : 1;
}
