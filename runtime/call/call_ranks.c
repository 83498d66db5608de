// call_ranks.c: the ranks that divide a call: their rules, their columns, and a gather that fails at most once. Moves
// no bytes: the caller's function does.
#include "call_ranks.h"

#include "call.h"

static bool asks_for_weights(const struct ga_io *io)
{
    return io->layer_attention != NULL || io->layer_cross_attention != NULL || io->src_layer_attention != NULL;
}

// Nothing is gathered after what failed: the ranks may be at different steps.
static bool gather(void *self, void *data, size_t rows, size_t stride, const size_t *ends)
{
    struct ga_gathering *gathering = self;
    const struct ga_ranks *given = &gathering->given;
    gathering->failed = gathering->failed || !given->gather(given->self, data, rows, stride, ends);
    return !gathering->failed;
}

enum ga_status ga_call_ranks(const struct ga_model *model, const struct ga_io *io, struct ga_gathering *gathering_out,
                             struct ga_error *error)
{
    const bool is_aligned = ga_is_aligned(io->ranks, _Alignof(struct ga_ranks));
    const bool is_given = is_aligned && io->ranks != NULL;
    struct ga_ranks given = {.size = 1};
    if (is_given) {
        given = *io->ranks;
    }
    const struct ga_call_rule rules[] = {
        {!is_aligned, GA_ALIGNMENT, "ranks is not aligned as a struct ga_ranks must be"},
        {is_given && (given.size > GA_MAX_TEAM || given.rank >= given.size), GA_ARGUMENT,
         "ranks->rank or ranks->size is out of range; expected a size of 1..64 and a rank below it"},
        {is_given && given.gather == NULL, GA_ARGUMENT, "ranks->gather is NULL; expected a function"},
        {is_given && model->stack == NULL, GA_UNSUPPORTED,
         "ranks are given, but the model is one attention layer; ranks divide whole models"},
        {is_given && asks_for_weights(io), GA_UNSUPPORTED,
         "ranks are given with layer_attention, layer_cross_attention or src_layer_attention, but each rank has the "
         "weights of its own heads alone"},
    };
    _Static_assert(GA_MAX_TEAM == 64, "as the sentence says");
    *gathering_out = (struct ga_gathering){{given.rank, given.size, gather, gathering_out}, given, false};
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

const struct ga_ranks *ga_call_divided(const struct ga_gathering *gathering)
{
    return gathering->ranks.size > 1 ? &gathering->ranks : NULL;
}

// -- In a call ------------------------------------------------------------------------------------------------------

// Where the columns of ranks before this one end.
static size_t column_of(const struct ga_ranks *ranks, size_t rank, size_t width, size_t block)
{
    const size_t blocks = (width + block - 1) / block, column = blocks * rank / ranks->size * block;
    return column < width ? column : width;
}

size_t ga_ranks_first(const struct ga_ranks *ranks, size_t width, size_t block)
{
    return ranks == NULL ? 0 : column_of(ranks, ranks->rank, width, block);
}

size_t ga_ranks_end(const struct ga_ranks *ranks, size_t width, size_t block)
{
    return ranks == NULL ? width : column_of(ranks, ranks->rank + 1, width, block);
}

void ga_ranks_gather(const struct ga_ranks *ranks, float *x, size_t rows, size_t stride, size_t width, size_t block)
{
    size_t ends[GA_MAX_TEAM];
    if (ranks == NULL || rows * width == 0) {
        return;
    }
    for (size_t rank = 0; rank < ranks->size; rank++) {
        ends[rank] = column_of(ranks, rank + 1, width, block) * sizeof *x;
    }
    (void)ranks->gather(ranks->self, x, rows, stride * sizeof *x, ends);
}
