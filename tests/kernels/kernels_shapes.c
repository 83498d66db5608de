// kernels_shapes.c: which shapes of a call a model is tried at. Chooses; allocates and runs nothing.
#include <stdio.h>

#include "kernels.h"

enum { MAX_LENGTHS = 64, MAX_KERNEL_TILE = 512 };

// -- Lengths --------------------------------------------------------------------------------------------------------

struct lengths {
    size_t list[MAX_LENGTHS];
    size_t count;
};

static void add_length(struct lengths *lengths, const struct ga_range *range, size_t length)
{
    bool is_new = length >= range->min && length <= range->max && lengths->count < MAX_LENGTHS;
    for (size_t i = 0; i < lengths->count; i++) {
        is_new = is_new && lengths->list[i] != length;
    }
    if (is_new) {
        lengths->list[lengths->count++] = length;
    }
}

// One less, the tile itself, one more.
static void add_around(struct lengths *lengths, const struct ga_range *range, size_t tile)
{
    if (tile > 0 && tile <= MAX_KERNEL_TILE) {
        add_length(lengths, range, tile);
        add_length(lengths, range, tile + 1);
        add_length(lengths, range, tile - 1);
    }
}

static struct tile tile_of(const struct ga_kernel_info *kernel)
{
    struct tile tile = {0, 0};
    if (!kernel->tile || sscanf(kernel->tile, "%zux%zu", &tile.mr, &tile.nr) != 2) {
        return (struct tile){0, 0};
    }
    return tile;
}

static void add_tiles(struct lengths *lengths, const struct ga_range *range, const struct ga_model *model)
{
    for (size_t v = 0; v < model->n_variants; v++) {
        const struct ga_variant *variant = &model->variants[v];
        for (size_t k = 0; k < variant->n_kernels; k++) {
            struct tile tile = tile_of(&variant->kernels[k]);
            add_around(lengths, range, tile.mr);
            add_around(lengths, range, tile.nr);
        }
    }
}

struct tile shapes_largest_tile(const struct ga_model *model)
{
    struct tile largest = {1, 1};
    for (size_t v = 0; v < model->n_variants; v++) {
        for (size_t k = 0; k < model->variants[v].n_kernels; k++) {
            struct tile tile = tile_of(&model->variants[v].kernels[k]);
            largest.mr = tile.mr > largest.mr ? tile.mr : largest.mr;
            largest.nr = tile.nr > largest.nr ? tile.nr : largest.nr;
        }
    }
    return largest;
}

// Lengths in the order in which they are worth trying.
static struct lengths lengths_of(const struct ga_range *range, const struct ga_range *other,
                                 const struct ga_model *model)
{
    static const size_t telling[] = {77, 13, 31, 197, 8, 3, 5, 64, 97, 128, 7, 20, 127, 129, 211, 40, 500};
    struct lengths lengths = {{0}, 0};
    add_length(&lengths, range, range->min);
    add_length(&lengths, range, range->max);
    add_length(&lengths, range, 1);
    add_length(&lengths, range, 2);
    add_length(&lengths, range, other->min);
    add_length(&lengths, range, other->max);
    add_tiles(&lengths, range, model);
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++) {
        add_length(&lengths, range, telling[i]);
    }
    add_length(&lengths, range, range->max - 1);
    return lengths;
}

size_t shapes_clamp(const struct ga_range *range, size_t length)
{
    size_t low = length < range->min ? range->min : length;
    return low > range->max ? range->max : low;
}

enum form shapes_cross_form(const struct ga_model *model)
{
    return model->v_dim == model->k_dim ? FORM_CROSS : FORM_CROSS_VALUE;
}

bool shapes_has_memory(const struct ga_model *model)
{
    return model->kind == GA_DECODER || model->kind == GA_TRANSFORMER;
}

static bool in_range(const struct ga_range *range, size_t length)
{
    return length >= range->min && length <= range->max;
}

// -- Shapes ---------------------------------------------------------------------------------------------------------

static int32_t ragged_length(const struct shape *shape, uint64_t which, size_t b, size_t most)
{
    const uint64_t seed = shape->seed + which;
    struct rng rng = rng_seeded(seed * 64 + b);
    const size_t any = rng_below(&rng, most + 1);
    const size_t turns[] = {most, 1, any, 0, most / 2, most - 1};
    size_t turn = (b + (size_t)seed) % (sizeof turns / sizeof turns[0]);
    return (int32_t)(shape->any_length ? any : turns[turn]);
}

int32_t shapes_q_length(const struct shape *shape, size_t b)
{
    return ragged_length(shape, 0, b, shape->q_len);
}

int32_t shapes_kv_length(const struct shape *shape, size_t b)
{
    return ragged_length(shape, 1, b, shape->kv_len);
}

int32_t shapes_past_length(const struct shape *shape, size_t b)
{
    return ragged_length(shape, 2, b, shape->past);
}

double shapes_cost(const struct ga_model *model, const struct shape *shape)
{
    double q_sides = (double)(model->d_model + model->d_out), kv_sides = (double)(model->k_dim + model->v_dim),
           total = 0;
    double width = (double)(model->n_heads * model->d_head), kv_width = (double)(model->n_kv_heads * model->d_head);
    for (size_t b = 0; b < shape->batch; b++) {
        double q = shape->q_ragged ? shapes_q_length(shape, b) : (double)shape->q_len;
        double kv = shape->kv_ragged ? shapes_kv_length(shape, b) : (double)shape->kv_len;
        double keys = kv + shapes_past_length(shape, b);
        total += q * q_sides * width + keys * kv_sides * kv_width + 2 * q * keys * width;
        if (model->stack) {
            total += q * (double)model->d_model * (double)model->stack->d_ff * (model->stack->ffn_gated ? 3 : 2);
        }
    }
    return model->stack ? total * (double)model->stack->n_layers : total;
}

// They stand for keys and values alike, so that these must be of one width, and a stack's are made layer by layer.
size_t shapes_past_room(const struct ga_model *model, const struct shape *shape)
{
    const bool can = kernels_for_cached(model) && model->k_dim == model->v_dim && !model->stack;
    return can ? model->cache - shape->kv_len : 0;
}

// Rows before a call: in turn none, as many as there is room for, and some that end within a panel or before it.
static size_t past_of(const struct ga_model *model, const struct shape *shape)
{
    const size_t room = shapes_past_room(model, shape);
    const size_t turns[] = {0, room, 33, 128, 1, room / 2, 15};
    const size_t past = turns[shape->seed % (sizeof turns / sizeof turns[0])];
    return past < room ? past : room;
}

static bool has_form(const struct shapes *shapes, enum form form)
{
    bool found = false;
    for (size_t i = 0; i < shapes->count; i++) {
        found = found || shapes->list[i].form == form;
    }
    return found;
}

// The shape with few rows, of which a fact about earlier or later rows still has some.
static struct shape shortest(const struct ga_model *model, struct shape shape)
{
    enum { FEW = 3 };
    const size_t q = shapes_clamp(&model->q_len, FEW), kv = shapes_clamp(&model->kv_len, FEW), both = q > kv ? q : kv;
    const bool is_cross = shape.form != FORM_SELF && shape.form != FORM_TOKENS;
    shape.q_len = is_cross ? q : both;
    shape.kv_len = is_cross ? kv : both;
    shape.q_ragged = shape.kv_ragged = false;
    return shape;
}

// Adds the shape if the budget allows it. The first one of each form always, if need be with few rows: facts about the
// form have something to check in a large model, too.
static void add_shape(struct shapes *shapes, const struct ga_model *model, struct shape shape, double *budget)
{
    const bool is_first = !has_form(shapes, shape.form);
    if (is_first && shapes->count > 0 && shapes_cost(model, &shape) > *budget) {
        shape = shortest(model, shape);
    }
    shape.past = past_of(model, &shape);
    double price = shapes_cost(model, &shape);
    if (shapes->count == MAX_SHAPES || (price > *budget && !is_first)) {
        shapes->left_out++;
        return;
    }
    *budget -= price;
    shapes->list[shapes->count++] = shape;
}

static enum form self_form(const struct ga_model *model, size_t k)
{
    return model->vocab_size > 0 && k % 3 != 0 ? FORM_TOKENS : FORM_SELF;
}

// Self-attention at q_len: batches of 1, 2, 3 in turn; every other shape is ragged, by one length a sequence or by two.
// The ids of keys beyond a query's length are not ids that a call has to hold, so tokens go by one.
static struct shape self_shape(const struct ga_model *model, size_t q_len, size_t k)
{
    enum form form = self_form(model, k);
    return (struct shape){
        .batch = model->batch ? model->batch : 1 + k % 3,
        .q_len = q_len,
        .kv_len = q_len,
        .form = form,
        .q_ragged = model->lengths && k % 2 == 0,
        .kv_ragged = model->lengths && k % 4 == 2 && form == FORM_SELF && !model->stack,
        .seed = 2 * k,
    };
}

static struct shape cross_shape(const struct ga_model *model, size_t q_len, size_t kv_len, size_t k)
{
    return (struct shape){
        .batch = model->batch ? model->batch : 1 + (k + 2) % 3,
        .q_len = q_len,
        .kv_len = kv_len,
        .form = k % 2 || model->stack ? shapes_cross_form(model) : FORM_CROSS_VALUE,
        .q_ragged = model->lengths && k % 4 >= 2,
        .kv_ragged = model->lengths && k % 4 <= 2,
        .seed = 2 * k + 1,
    };
}

// Many short sequences, as a kernel may take several at a time: enough that their rows do not fit into one such group.
static struct shape crowd_shape(const struct ga_model *model)
{
    enum { CROWD = 61, Q_LEN = 19, KV_LEN = 23 };
    return (struct shape){
        .batch = model->batch ? model->batch : CROWD,
        .q_len = shapes_clamp(&model->q_len, Q_LEN),
        .kv_len = shapes_clamp(&model->kv_len, model->kind == GA_ENCODER ? Q_LEN : KV_LEN),
        .form = shapes_has_memory(model) ? FORM_CROSS
                : model->stack           ? FORM_SELF
                                         : FORM_CROSS_VALUE,
        .q_ragged = model->lengths,
        .kv_ragged = model->lengths && model->kind != GA_ENCODER,
        .seed = 1,
    };
}

struct shapes shapes_of(const struct ga_model *model, double budget)
{
    struct shapes shapes = {.count = 0};
    struct lengths q = lengths_of(&model->q_len, &model->kv_len, model);
    struct lengths kv = lengths_of(&model->kv_len, &model->q_len, model);
    size_t rounds = q.count > kv.count ? q.count : kv.count;
    const bool same_inputs = model->k_dim == model->d_model && model->v_dim == model->d_model;
    // Ranges of one length still meet each form and each way of being ragged.
    rounds = rounds < 4 ? 4 : rounds;
    for (size_t k = 0; k < rounds; k++) {
        if (k == 2) {
            add_shape(&shapes, model, crowd_shape(model), &budget);
        }
        size_t q_len = q.list[k % q.count], kv_len = kv.list[(k * 7 + 3) % kv.count];
        if (in_range(&model->kv_len, q_len) && same_inputs && !shapes_has_memory(model)) {
            add_shape(&shapes, model, self_shape(model, q_len, k), &budget);
        }
        if (model->kind != GA_ENCODER) { // whose keys are its own rows
            add_shape(&shapes, model, cross_shape(model, q_len, kv_len, k), &budget);
        }
    }
    return shapes;
}
