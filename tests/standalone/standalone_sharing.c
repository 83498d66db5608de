// standalone_sharing.c: the facts of sharing.h from a plain main(), for the thread sanitizer above all: models whose
// calls share weights and threads, so that what one call writes and another reads is seen.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sharing.h"

static const struct {
    const char *name;
    sharing_fact *fact;
} FACTS[] = {
#define SHARING_ROW(fact) {#fact, fact},
    SHARING_FACTS(SHARING_ROW)
#undef SHARING_ROW
};

static void check_variant(struct checks *checks, const struct subject *subject, size_t v, size_t rounds)
{
    const struct sharing sharing = {.checks = checks, .subject = subject, .v = v, .rounds = rounds};
    for (size_t f = 0; f < sizeof FACTS / sizeof FACTS[0]; f++) {
        const size_t done = checks->done;
        checks_subject(checks, subject->model->name, ga_loaded_variant(subject->loaded[v])->isa);
        checks_situation(checks, FACTS[f].name);
        FACTS[f].fact(&sharing);
        checks_that(checks, checks->done > done, "found nothing to check");
    }
}

static void check_model(struct checks *checks, const struct ga_model *model, size_t rounds)
{
    static struct subject subject;
    if (subject_make(&subject, checks, model, weights_random, false)) {
        for (size_t v = 0; v < subject.n_loaded; v++) {
            check_variant(checks, &subject, v, rounds);
        }
    }
    subject_drop(&subject);
}

static const struct ga_model *find_model(const char *name)
{
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (strcmp(ga_test_models[m]->name, name) == 0) {
            return ga_test_models[m];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct checks checks;
    const int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1) {
        fprintf(stderr, "usage: %s ROUNDS MODEL...\nChecks calls that share weights and threads.\n", argv[0]);
        return 2;
    }
    checks = checks_new("sharing", 1);
    checks_name_faults(&checks);
    for (int i = 2; i < argc; i++) {
        const struct ga_model *model = find_model(argv[i]);
        checks_subject(&checks, argv[i], "");
        if (checks_need(&checks, model != NULL, "no such model in this build")) {
            check_model(&checks, model, (size_t)rounds);
        }
    }
    printf("%s%zu checks, %zu failed\n", checks.messages, checks.done, checks.failed);
    return checks.failed == 0 && checks.done > 0 ? 0 : 1;
}
