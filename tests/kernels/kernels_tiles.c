// kernels_tiles.c: the fact that a row's result does not depend on how many rows are with it in a register tile, at
// every height of a tile and every way a panel of keys can end: kernels that few lengths would reach.
#include <string.h>

#include "kernels.h"

enum { NARROWEST_VECTOR = 8, PAST_A_PANEL = 3, POSITIONS_OF_BOTH = 1, MOST_SEQUENCES = 16 };

// A call of queries real queries and keys real keys in each sequence, as padding where the model has lengths and the
// number is no length of its own. False: no call of this model, or no memory.
static bool call_of(struct call *call, const struct ga_model *model, size_t queries, size_t keys)
{
    struct shape shape = {
        .batch = model->batch ? model->batch : 1,
        .q_len = shapes_clamp(&model->q_len, queries),
        .kv_len = shapes_clamp(&model->kv_len, keys),
        .form = shapes_cross_form(model),
        .seed = POSITIONS_OF_BOTH,
    };
    shape.q_ragged = shape.q_len != queries;
    shape.kv_ragged = shape.kv_len != keys;
    if (shape.q_len < queries || shape.kv_len < keys || ((shape.q_ragged || shape.kv_ragged) && !model->lengths) ||
        !call_make(call, model, &shape, GUARD_AT_END)) {
        return false;
    }
    int32_t *q_lengths = call->buffers[CALL_Q_LENGTHS].data, *kv_lengths = call->buffers[CALL_KV_LENGTHS].data;
    for (size_t b = 0; b < shape.batch; b++) {
        if (q_lengths) {
            q_lengths[b] = (int32_t)queries;
        }
        if (kv_lengths) {
            kv_lengths[b] = (int32_t)keys;
        }
    }
    return true;
}

// Each sequence's query starts `first` places later than the other call's, and its keys where those start; late has
// room for the places. False where there are not as many.
static bool set_positions(struct call *part, const struct call *whole, size_t first, int32_t late[MOST_SEQUENCES])
{
    const size_t positions = part->model->rope.positions;
    const int32_t *from = whole->io.position, *from_keys = whole->io.kv_position;
    int32_t *to_keys = part->buffers[CALL_KV_POSITION].data;
    bool fits = part->shape.batch <= MOST_SEQUENCES;
    for (size_t b = 0; fits && positions > 0 && b < part->shape.batch; b++) {
        late[b] = (int32_t)first + (from ? from[b] : 0);
        fits = fits && (size_t)late[b] + part->shape.q_len <= positions;
        if (to_keys) {
            to_keys[b] = from_keys[b];
        }
    }
    part->io.position = positions > 0 ? late : NULL;
    return fits;
}

// Copies the first rows of each sequence's query, from row `first` of the other call's on, and all its keys.
static void copy_part(struct call *part, const struct call *whole, size_t first, size_t rows)
{
    const size_t heads = call_heads(whole, CALL_QUERY), width = call_width(whole, CALL_QUERY);
    float *to = part->buffers[CALL_QUERY].data;
    const float *from = whole->buffers[CALL_QUERY].data;
    if (part->buffers[CALL_MASK].data) { // which has finite numbers for rows of padding too
        memset(part->buffers[CALL_MASK].data, 0, part->buffers[CALL_MASK].bytes);
    }
    for (size_t b = 0; b < whole->shape.batch; b++) {
        for (size_t h = 0; h < heads; h++) {
            memcpy(to + call_row_at(part, CALL_QUERY, b, h, 0), from + call_row_at(whole, CALL_QUERY, b, h, first),
                   rows * width * sizeof *to);
        }
        call_copy_masks(part, b, whole, b, first);
    }
    memcpy(part->buffers[CALL_KEY].data, whole->buffers[CALL_KEY].data, whole->buffers[CALL_KEY].bytes);
    if (whole->buffers[CALL_VALUE].data) {
        memcpy(part->buffers[CALL_VALUE].data, whole->buffers[CALL_VALUE].data, whole->buffers[CALL_VALUE].bytes);
    }
}

// The first `rows` queries of the whole call again, or the last where queries are counted from the end.
static void compare_part(struct checks *checks, const struct subject *subject, size_t v, const struct call *whole,
                         size_t rows)
{
    const struct ga_model *model = subject->model;
    const size_t keys = call_kv_rows(whole, 0), queries = call_q_rows(whole, 0);
    size_t first = model->causal == GA_CAUSAL_BOTTOM_RIGHT ? queries - rows : 0;
    int32_t late[MOST_SEQUENCES];
    struct call part;
    if (!call_of(&part, model, rows, keys)) {
        return;
    }
    copy_part(&part, whole, first, rows);
    const bool fits = set_positions(&part, whole, first, late);
    for (size_t b = 0; fits && call_run(&part, checks, subject, v) && b < part.shape.batch; b++) {
        expect_same_rows(checks, (struct place){&part, b, 0}, (struct place){whole, b, first}, rows, keys);
    }
    call_drop(&part);
}

// The tallest tile against the generic kernel, then all lower ones against the tallest.
static void compare_heights(struct checks *checks, const struct subject *subject, size_t queries, size_t keys)
{
    struct expected expected;
    struct call whole;
    if (!call_of(&whole, subject->model, queries, keys)) {
        return;
    }
    call_fill(&whole);
    if (checks_need(checks, expected_make(&expected, subject, &whole), "no memory for the generic kernel")) {
        for (size_t v = 0; v < subject->n_loaded && call_run(&whole, checks, subject, v); v++) {
            expect_layer(checks, subject, &whole, &expected, 0);
            for (size_t rows = 1; rows < queries; rows++) {
                compare_part(checks, subject, v, &whole, rows);
            }
        }
        expected_drop(&expected);
    }
    call_drop(&whole);
}

void every_tile_height_gives_the_same_bits(struct checks *checks, const struct ga_model *model)
{
    struct tile tile = shapes_largest_tile(model);
    size_t queries = tile.mr < model->q_len.max ? tile.mr : model->q_len.max;
    struct subject subject;
    if (subject_make(&subject, checks, model, weights_random, false)) {
        for (size_t keys = 1; keys < tile.nr; keys += NARROWEST_VECTOR) {
            compare_heights(checks, &subject, queries, keys);
        }
        compare_heights(checks, &subject, queries, tile.nr);
        compare_heights(checks, &subject, queries, tile.nr + PAST_A_PANEL);
    }
    subject_drop(&subject);
}
