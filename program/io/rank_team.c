// rank_team.c: ranks that begin, compare what they have, and end together. What is between them is ranks.h's.
#include "rank_team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "command.h"
#include "ranks.h"

// -- Beginning ------------------------------------------------------------------------------------------------------

static void place_rank(struct ga_rank_team *team)
{
    size_t rank, count;
    ga_rank_library.on_machine(&rank, &count);
    if (!ga_placement_library.bind(rank, count, &team->place)) {
        ga_note(&team->context, "rank %zu could not be bound to CPUs %s", team->rank, team->place.cpus);
    }
}

enum ga_exit ga_ranks_begin(const struct ga_context *context, const char *timeout, struct ga_rank_team *team_out)
{
    *team_out = (struct ga_rank_team){.context = *context, .count = 1, .seconds = 300};
    const enum ga_exit code = ga_read_real(context, "timeout", timeout, 0.001, 1e6, &team_out->seconds);
    if (ga_rank_library.begin && !ga_rank_library.begin(team_out->seconds, &team_out->rank, &team_out->count)) {
        return ga_failed(context, "MPI does not start; expected the mpirun of the MPI that this program links");
    }
    if (team_out->count > 1 && ga_placement_library.bind) {
        place_rank(team_out);
    }
    return code == GA_EXIT_OK && timeout && team_out->count == 1
               ? ga_misused(context, "--timeout is for the ranks of mpirun, but this program runs alone")
               : code;
}

void ga_ranks_close(void)
{
    if (ga_rank_library.end) {
        ga_rank_library.end();
    }
}

static enum ga_exit begin_team(struct ga_rank_team *team)
{
    (void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ); // so that the lines of ranks do not mix
    team->ranks = ga_rank_library.team(team->seconds);
    team->context.is_quiet = team->rank > 0;
    if (!team->ranks) {
        team->state = GA_TEAM_OVER; // for all of them
        return ga_failed(&team->context, "%zu ranks; expected at most %d", team->count, GA_MAX_TEAM);
    }
    return team->rank == 0 || freopen("/dev/null", "w", stdout)
               ? GA_EXIT_OK
               : ga_failed(&team->context, "/dev/null: cannot be opened by rank %zu", team->rank);
}

enum ga_exit ga_rank_team_begin(const struct ga_context *context, const char *timeout, struct ga_rank_team *team_out)
{
    const enum ga_exit code = ga_ranks_begin(context, timeout, team_out);
    const enum ga_exit begun = team_out->count > 1 ? begin_team(team_out) : GA_EXIT_OK;
    return code == GA_EXIT_OK ? begun : code;
}

// -- Comparing ------------------------------------------------------------------------------------------------------

enum { FAILED, NUMBERS = 6 };

// In the order in which they are compared: a build's number changes with the instruction set too.
static const char *const others[NUMBERS] = {NULL,
                                            "another spec",
                                            "another instruction set (--isa)",
                                            "another build",
                                            "other weights",
                                            "other tokens or options"};

static void find_numbers(const struct ga_rank_team *team, const struct ga_model_instance *instance, uint64_t request,
                         uint64_t numbers[NUMBERS])
{
    const struct ga_model *model = team->context.model;
    const char *isa = instance->variant->isa;
    numbers[FAILED] = false;
    numbers[1] = ga_checksum(model->spec, strlen(model->spec));
    numbers[2] = ga_checksum(isa, strlen(isa));
    numbers[3] = instance->variant->packing ^ ((uint64_t)model->abi << 32 | model->bits_revision);
    numbers[4] = instance->weights;
    numbers[5] = request;
}

// Tells all ranks these numbers, and sees theirs; all come to the same result. Rank 0 names the first one that differs
// from it; one that failed has said why itself.
static enum ga_exit meet(struct ga_rank_team *team, const uint64_t own[NUMBERS])
{
    uint64_t all[GA_MAX_TEAM * NUMBERS];
    const size_t end = team->count * NUMBERS;
    size_t i = NUMBERS;
    bool any_failed = false;
    if (!ga_rank_library.tell(own, NUMBERS, all)) {
        return GA_EXIT_FAILED; // ga_rank_team_end says why
    }
    for (size_t r = 0; r < team->count; r++) {
        any_failed = any_failed || all[r * NUMBERS + FAILED];
    }
    while (!any_failed && i < end && all[i] == all[i % NUMBERS]) {
        i++;
    }
    if (i == end) {
        return GA_EXIT_OK;
    }
    team->state = GA_TEAM_OVER;
    return any_failed || team->rank > 0
               ? GA_EXIT_FAILED
               : ga_failed(&team->context, "rank %zu has %s than rank 0", i / NUMBERS, others[i % NUMBERS]);
}

enum ga_exit ga_rank_team_agree(struct ga_rank_team *team, const struct ga_model_instance *instance, uint64_t request)
{
    uint64_t own[NUMBERS];
    if (team->count == 1) {
        return GA_EXIT_OK;
    }
    find_numbers(team, instance, request, own);
    const enum ga_exit code = meet(team, own);
    team->state = code == GA_EXIT_OK ? GA_TEAM_AGREED : team->state;
    return code;
}

void ga_rank_note_sockets(const struct ga_rank_team *team, size_t threads)
{
    struct ga_place place = team->place;
    const bool is_known = threads > 1 && ga_placement_library.plan &&
                          (team->count > 1 || ga_placement_library.plan(0, 1, &place)) && place.n_sockets > 1;
    if (is_known && threads > place.n_cpus / place.n_sockets && team->rank == 0) {
        ga_note(&team->context,
                "%zu threads use %zu sockets, of which each reads the other's memory: start a process for each socket, "
                "by mpirun -n %zu or --shard",
                threads, place.n_sockets, place.n_sockets);
    }
}

// -- Ending ---------------------------------------------------------------------------------------------------------

static void abandon(const struct ga_rank_team *team)
{
    const char *trouble = ga_rank_library.trouble();
    if (trouble) {
        (void)ga_failed(&team->context, "rank %zu: %s", team->rank, trouble);
    }
    fflush(NULL);
    ga_rank_library.abandon();
}

enum ga_exit ga_rank_team_end(struct ga_rank_team *team, enum ga_exit code)
{
    const bool is_ok = code == GA_EXIT_OK;
    if (team->count > 1 && (is_ok || team->state == GA_TEAM_BEGUN)) {
        const enum ga_exit all = meet(team, (const uint64_t[NUMBERS]){[FAILED] = !is_ok});
        code = is_ok ? all : code;
    }
    if (team->count > 1 && code != GA_EXIT_OK && team->state != GA_TEAM_OVER) {
        abandon(team);
    }
    ga_ranks_close();
    return code;
}
