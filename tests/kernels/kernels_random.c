// kernels_random.c: the shape of a call that a seed chooses, for runs without end: any that the model takes. Chooses;
// allocates and runs nothing.
#include "kernels.h"

enum { FEW_SEQUENCES = 4, MANY_SEQUENCES = 24, ONE_IN = 12 };

// A length of the range: one in four from its short end, as the kernels' tails are there.
static size_t any_length(struct rng *rng, const struct ga_range *range)
{
    const size_t lengths = range->max - range->min + 1;
    const size_t few = lengths < 20 ? lengths : 20;
    return range->min + rng_below(rng, rng_below(rng, 4) == 0 ? few : lengths);
}

static size_t any_batch(struct rng *rng, const struct ga_model *model)
{
    const size_t most = rng_below(rng, ONE_IN) == 0 ? MANY_SEQUENCES : FEW_SEQUENCES;
    const size_t batch = 1 + rng_below(rng, most);
    return model->batch ? model->batch : batch;
}

// Whether a call of the model may bring its keys along, or its own rows are keys.
static bool takes_cross(const struct ga_model *model)
{
    return model->kind != GA_ENCODER;
}

static bool takes_self(const struct ga_model *model)
{
    return !shapes_has_memory(model) && model->k_dim == model->d_model && model->v_dim == model->d_model &&
           model->q_len.min <= model->kv_len.max && model->kv_len.min <= model->q_len.max;
}

static enum form any_form(struct rng *rng, const struct ga_model *model)
{
    const bool cross = takes_cross(model) && (!takes_self(model) || rng_below(rng, 2) == 0);
    const bool value = !model->stack && rng_below(rng, 2) == 0;
    if (cross) {
        return value ? FORM_CROSS_VALUE : shapes_cross_form(model);
    }
    return model->vocab_size > 0 && rng_below(rng, 2) == 0 ? FORM_TOKENS : FORM_SELF;
}

// The ids of keys beyond a query's length are not ids that a call has to hold, so that tokens go by one length, and a
// stack's own rows do in any case.
static void choose_lengths(struct rng *rng, const struct ga_model *model, struct shape *shape)
{
    const bool cross = shape->form == FORM_CROSS || shape->form == FORM_CROSS_VALUE;
    const bool apart = cross || (shape->form == FORM_SELF && !model->stack);
    shape->q_len = any_length(rng, &model->q_len);
    shape->kv_len = cross ? any_length(rng, &model->kv_len) : shapes_clamp(&model->kv_len, shape->q_len);
    shape->q_len = cross ? shape->q_len : shape->kv_len;
    shape->q_ragged = model->lengths && rng_below(rng, 3) > 0;
    shape->kv_ragged = model->lengths && apart && rng_below(rng, 3) > 0;
    shape->any_length = rng_below(rng, 2) == 0;
}

static void choose_past(struct rng *rng, const struct ga_model *model, struct shape *shape)
{
    const size_t room = shapes_past_room(model, shape);
    shape->past = rng_below(rng, 3) > 0 ? rng_below(rng, room + 1) : 0;
}

static struct shape any_shape(struct rng *rng, const struct ga_model *model)
{
    struct shape shape = {.seed = rng_bits(rng) >> 8, .batch = any_batch(rng, model), .form = any_form(rng, model)};
    choose_lengths(rng, model, &shape);
    choose_past(rng, model, &shape);
    return shape;
}

struct shapes shapes_random(const struct ga_model *model, uint64_t seed, double most)
{
    enum { TRIES = 50 };
    struct rng rng = rng_seeded(seed);
    struct shape cheapest = any_shape(&rng, model);
    for (size_t i = 0; i < TRIES && shapes_cost(model, &cheapest) > most; i++) {
        const struct shape shape = any_shape(&rng, model);
        cheapest = shapes_cost(model, &shape) < shapes_cost(model, &cheapest) ? shape : cheapest;
    }
    return (struct shapes){.list = {cheapest}, .count = 1};
}
