// soak.c: the facts of kernels.h at random calls for as long as is asked: shapes, lengths, masks, batches, places,
// threads, cached rows and weights that a seed chooses, one seed a round. Says how to repeat a round that fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

enum { PROGRESS_SECONDS = 10, MAX_MODELS = 64 };

static const struct {
    const char *name;
    kernel_fact *fact;
    bool (*is_about)(const struct ga_model *model);
} FACTS[] = {
#define KERNEL_ROW(fact, who, sets) {#fact, fact, kernels_for_##who},
    KERNEL_FACTS(KERNEL_ROW)
#undef KERNEL_ROW
};
enum { N_FACTS = sizeof FACTS / sizeof FACTS[0] };

// What was asked on the command line.
struct soak {
    const char *program;
    double seconds;         // after which no round begins
    uint64_t first, rounds; // seeds first .. first + rounds - 1
    const char *part;       // of the names of the models wanted, or ""
};

// What the rounds of one model came to.
struct tally {
    const struct ga_model *model;
    size_t rounds, failed, checks;
    double worst;
};

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Facts that choose their calls themselves, and so say the same in every round.
static bool is_of_its_own_calls(kernel_fact *fact)
{
    return fact == every_tile_height_gives_the_same_bits || fact == strided_weights_pack_the_same ||
           fact == weights_are_rounded_to_nearest || fact == activations_are_within_a_few_ulp;
}

// -- One round ------------------------------------------------------------------------------------------------------

static bool run_fact(const struct soak *soak, struct tally *tally, size_t f, uint64_t seed)
{
    static struct checks checks;
    checks = checks_new(FACTS[f].name, 1);
    checks.seed = seed;
    checks_name_faults(&checks);
    FACTS[f].fact(&checks, tally->model);
    tally->checks += checks.done;
    tally->worst = checks.worst > tally->worst ? checks.worst : tally->worst;
    if (checks.failed > 0) {
        printf("%s: %zu of %zu checks failed:%s\n  again: %s --seed %llu --rounds 1 %s\n", FACTS[f].name, checks.failed,
               checks.done, checks.messages, soak->program, (unsigned long long)seed, tally->model->name);
        fflush(stdout);
    }
    return checks.failed == 0;
}

// All facts about the model at the call that the seed chooses. A round that found nothing to check has failed.
static void run_round(const struct soak *soak, struct tally *tally, uint64_t seed)
{
    const size_t before = tally->checks;
    bool ok = true;
    for (size_t f = 0; f < N_FACTS; f++) {
        if (FACTS[f].is_about(tally->model) && !is_of_its_own_calls(FACTS[f].fact)) {
            ok = run_fact(soak, tally, f, seed) && ok;
        }
    }
    tally->rounds++;
    tally->failed += !ok || tally->checks == before;
}

// -- All rounds -----------------------------------------------------------------------------------------------------

static struct tally sum_of(const struct tally *tallies, size_t count)
{
    struct tally sum = {.model = NULL};
    for (size_t m = 0; m < count; m++) {
        sum.rounds += tallies[m].rounds;
        sum.failed += tallies[m].failed;
        sum.checks += tallies[m].checks;
        sum.worst = tallies[m].worst > sum.worst ? tallies[m].worst : sum.worst;
    }
    return sum;
}

static void print_progress(const struct tally *tallies, size_t count, uint64_t seed, double seconds)
{
    const struct tally sum = sum_of(tallies, count);
    printf("%.0f s: %zu rounds over %zu models, %zu checks, %zu rounds failed, largest error %.2f of the tolerance, at "
           "seed %llu\n",
           seconds, sum.rounds, count, sum.checks, sum.failed, sum.worst, (unsigned long long)seed);
    fflush(stdout);
}

static void run_rounds(const struct soak *soak, struct tally *tallies, size_t count)
{
    const double start = now();
    double said = start;
    uint64_t seed = soak->first;
    for (uint64_t i = 0; i < soak->rounds && now() - start < soak->seconds; i++, seed++) {
        run_round(soak, &tallies[count > 1 ? seed % count : 0], seed);
        if (now() - said >= (double)PROGRESS_SECONDS) {
            said = now();
            print_progress(tallies, count, seed, said - start);
        }
    }
    printf("seeds %llu to %llu, %.0f s\n", (unsigned long long)soak->first, (unsigned long long)seed - 1,
           now() - start);
}

static int summary(const struct tally *tallies, size_t count)
{
    const struct tally sum = sum_of(tallies, count);
    for (size_t m = 0; m < count; m++) {
        printf("%-20s %6zu rounds, %9zu checks, largest error %.2f of the tolerance\n", tallies[m].model->name,
               tallies[m].rounds, tallies[m].checks, tallies[m].worst);
    }
    printf("%zu passed, %zu failed\n", sum.rounds - sum.failed, sum.failed);
    return sum.failed == 0 && sum.rounds > 0 ? 0 : 1;
}

// -- Command line ---------------------------------------------------------------------------------------------------

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--seconds S] [--seed FIRST] [--rounds N] [PART OF A MODEL'S NAME]\n"
            "Holds the models of this build against the generic kernel at random calls, one seed a round: for S\n"
            "seconds (60), from FIRST on (the clock), N rounds at most.\n",
            program);
    return 2;
}

// Whole numbers; false where text is none.
static bool read_number(const char *text, uint64_t *number_out)
{
    char *end;
    *number_out = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

static bool read_arguments(int argc, char **argv, struct soak *soak)
{
    uint64_t seconds = 60;
    bool ok = true;
    *soak = (struct soak){argv[0], 0, (uint64_t)now() * 1000, UINT64_MAX, ""};
    for (int i = 1; ok && i < argc; i++) {
        uint64_t *to = strcmp(argv[i], "--seconds") == 0  ? &seconds
                       : strcmp(argv[i], "--seed") == 0   ? &soak->first
                       : strcmp(argv[i], "--rounds") == 0 ? &soak->rounds
                                                          : NULL;
        ok = argv[i][0] != '-' || (to && i + 1 < argc && read_number(argv[i + 1], to));
        if (argv[i][0] != '-') {
            soak->part = argv[i];
        }
        i += to != NULL;
    }
    soak->seconds = (double)seconds;
    return ok && soak->first > 0; // a seed of 0 asks for no random call
}

int main(int argc, char **argv)
{
    struct soak soak;
    struct tally tallies[MAX_MODELS];
    size_t count = 0;
    if (!read_arguments(argc, argv, &soak)) {
        return usage(argv[0]);
    }
    kernels_name_skipped();
    for (size_t m = 0; m < n_ga_test_models && count < MAX_MODELS; m++) {
        if (strstr(ga_test_models[m]->name, soak.part)) {
            tallies[count++] = (struct tally){.model = ga_test_models[m]};
        }
    }
    if (count == 0) {
        fprintf(stderr, "%s: no model of this build has \"%s\" in its name\n", argv[0], soak.part);
        return 2;
    }
    run_rounds(&soak, tallies, count);
    return summary(tallies, count);
}
