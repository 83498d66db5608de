// rank_team.c: ranks that begin, compare what they have, and end together. What is between them is ranks.h's.
#include "rank_team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "ranks.h"

// -- Beginning ------------------------------------------------------------------------------------------------------

static enum ga_exit begin_team(struct ga_rank_team *team, double seconds)
{
    (void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ); // so that the lines of ranks do not mix
    team->ranks = ga_rank_library.team(seconds);
    team->context.is_quiet = team->rank > 0;
    if (!team->ranks) {
        return ga_failed(&team->context, "%zu ranks; expected at most %d", team->count, GA_MAX_RANKS);
    }
    return team->rank == 0 || freopen("/dev/null", "w", stdout)
               ? GA_EXIT_OK
               : ga_failed(&team->context, "/dev/null: cannot be opened by rank %zu", team->rank);
}

enum ga_exit ga_rank_team_begin(const struct ga_context *context, double seconds, struct ga_rank_team *team_out)
{
    *team_out = (struct ga_rank_team){.context = *context, .count = 1};
    if (ga_rank_library.begin && !ga_rank_library.begin(&team_out->rank, &team_out->count)) {
        return ga_failed(context, "MPI does not start");
    }
    return team_out->count > 1 ? begin_team(team_out, seconds) : GA_EXIT_OK;
}

// -- Comparing ------------------------------------------------------------------------------------------------------

enum { NUMBERS = 5 };

// In the order in which they are compared: a build's number changes with the instruction set too.
static const char *const others[NUMBERS] = {"another spec", "another instruction set (--isa)", "another build",
                                            "other weights", "other tokens or options"};

static void find_numbers(const struct ga_rank_team *team, const struct ga_model_instance *instance, uint64_t request,
                         uint64_t numbers[NUMBERS])
{
    const struct ga_model *model = team->context.model;
    const char *isa = instance->variant->isa;
    numbers[0] = ga_checksum(model->spec, strlen(model->spec));
    numbers[1] = ga_checksum(isa, strlen(isa));
    numbers[2] = instance->variant->packing ^ ((uint64_t)model->abi << 32 | model->bits_revision);
    numbers[3] = instance->weights;
    numbers[4] = request;
}

// Rank 0 names the first rank that differs from it.
static enum ga_exit compare(const struct ga_rank_team *team, const uint64_t *all)
{
    for (size_t i = NUMBERS; i < team->count * NUMBERS; i++) {
        if (all[i] != all[i % NUMBERS]) {
            return team->rank == 0
                       ? ga_failed(&team->context, "rank %zu has %s than rank 0", i / NUMBERS, others[i % NUMBERS])
                       : GA_EXIT_FAILED;
        }
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_rank_team_agree(const struct ga_rank_team *team, const struct ga_model_instance *instance,
                                uint64_t request)
{
    uint64_t own[NUMBERS], all[GA_MAX_RANKS * NUMBERS];
    if (team->count == 1) {
        return GA_EXIT_OK;
    }
    find_numbers(team, instance, request, own);
    if (!ga_rank_library.tell(own, NUMBERS, all)) {
        return GA_EXIT_FAILED; // ga_rank_team_end says why
    }
    const enum ga_exit code = compare(team, all);
    return ga_rank_library.all(code == GA_EXIT_OK) ? code : GA_EXIT_FAILED;
}

// -- Ending ---------------------------------------------------------------------------------------------------------

enum ga_exit ga_rank_team_end(const struct ga_rank_team *team, enum ga_exit code)
{
    const char *trouble = ga_rank_library.trouble ? ga_rank_library.trouble() : NULL;
    if (team->count > 1 && code != GA_EXIT_OK) {
        if (trouble) {
            (void)ga_failed(&team->context, "rank %zu: %s", team->rank, trouble);
        }
        fflush(NULL);
        ga_rank_library.abandon();
    }
    if (ga_rank_library.end) {
        ga_rank_library.end();
    }
    return code;
}
