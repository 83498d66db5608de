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
    enum kernel_sets sets;
} FACTS[] = {
#define KERNEL_ROW(fact, who, sets) {#fact, fact, kernels_for_##who, KERNEL_SETS_##sets},
    KERNEL_FACTS(KERNEL_ROW)
#undef KERNEL_ROW
};

enum { N_FACTS = sizeof FACTS / sizeof *FACTS };

static bool is_fact(const char *word)
{
    bool found = false;
    for (size_t f = 0; f < N_FACTS; f++) {
        found = found || strcmp(FACTS[f].name, word) == 0;
    }
    return found;
}

// Of the words that are facts, or of those that are parts of models' names: whether there is none, or one is in name.
static bool is_wanted(const char *name, bool of_facts, char *const *words, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (is_fact(words[i]) == of_facts) {
            if (strstr(name, words[i])) {
                return true;
            }
            any = true;
        }
    }
    return !any;
}

static size_t check_model(const struct ga_model *model, double effort, char *const *words, int count, size_t *done)
{
    static struct checks checks;
    size_t failed = 0;
    for (size_t f = 0; f < N_FACTS; f++) {
        if (!FACTS[f].is_about(model) || !is_wanted(FACTS[f].name, true, words, count)) {
            continue;
        }
        checks = checks_new(FACTS[f].name, effort);
        checks.one_set = FACTS[f].sets == KERNEL_SETS_ONE;
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
                "usage: %s PERCENT [PART OF A MODEL'S NAME, OR A FACT...]\n"
                "Checks the models of this build with PERCENT of the usual work (100: as ninja check does).\n",
                argv[0]);
        return 2;
    }
    size_t failed = 0, done = 0, models = 0;
    kernels_name_skipped();
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (is_wanted(ga_test_models[m]->name, false, argv + 2, argc - 2)) {
            failed += check_model(ga_test_models[m], atoi(argv[1]) / 100.0, argv + 2, argc - 2, &done);
            models++;
        }
    }
    printf("%zu models, %zu checks, %zu failed\n", models, done, failed);
    return failed == 0 && models > 0 ? 0 : 1;
}
