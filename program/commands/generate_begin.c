// generate_begin.c: how `generate` begins, from a file and from a text alike: the walk over tokens, and that all ranks
// begin the same one. Generates nothing.
#include "checksum.h"
#include "generate.h"

// A number for the tokens of a walk and how it goes on.
static uint64_t request_of(const struct ga_token_walk *walk)
{
    const struct ga_parallel *parallel = walk->instance->parallel;
    const struct ga_sampling *sampling = &walk->start.sampling;
    const double numbers[] = {sampling->temperature,   sampling->top_p,
                              (double)sampling->top_k, (double)walk->start.stop,
                              walk->start.recompute,   (double)walk->batch,
                              (double)walk->capacity,  (double)walk->start.added,
                              sampling->is_softmax,    (double)(parallel ? parallel->threads : 1)};
    const size_t bytes = walk->batch * sizeof *walk->tokens;
    const uint64_t parts[] = {ga_checksum(numbers, sizeof numbers), sampling->seed, ga_checksum(walk->lengths, bytes),
                              ga_checksum(walk->tokens, walk->capacity * bytes)};
    return ga_checksum(parts, sizeof parts);
}

enum ga_exit ga_generating_begin(struct ga_generating *generating, struct ga_token_walk *walk_out)
{
    struct ga_rank_team *team = &generating->team;
    const struct ga_model_instance *instance = generating->instance;
    enum ga_exit code = ga_token_walk_open(generating->context, instance, &generating->start, walk_out);
    code = code == GA_EXIT_OK ? ga_rank_team_agree(team, instance, request_of(walk_out)) : code;
    return code == GA_EXIT_OK ? ga_rank_team_plan(team, instance) : code;
}
