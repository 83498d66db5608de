// kernels_call.c: one call's buffers, each between guard pages, and the run that watches over them. Compares nothing.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"
#include "support/reference.h"

// -- Sizes ----------------------------------------------------------------------------------------------------------

size_t call_q_rows(const struct call *call, size_t b)
{
    return reference_q_rows(&call->io, b);
}

size_t call_kv_rows(const struct call *call, size_t b)
{
    return reference_kv_rows(&call->io, b);
}

size_t call_past_rows(const struct call *call, size_t b)
{
    const int32_t *lengths = call->buffers[CALL_PAST_LENGTHS].data;
    return call->shape.past > 0 ? (size_t)lengths[b] : 0;
}

bool call_sees(const struct call *call, size_t b, size_t i, size_t j)
{
    return reference_sees(call->model, i, j, call_q_rows(call, b), call_kv_rows(call, b));
}

bool call_attends(const struct call *call, size_t b, size_t h, size_t i, size_t j)
{
    return call_sees(call, b, i, j) && reference_allows(&call->io, b, h, i, j);
}

size_t call_keys_seen(const struct call *call, size_t b, size_t h, size_t i)
{
    size_t seen = 0;
    for (size_t j = 0; j < call_kv_rows(call, b); j++) {
        seen += call_attends(call, b, h, i, j);
    }
    return seen;
}

bool call_has_full_range(const struct call *call, size_t b, size_t i)
{
    const struct ga_model *model = call->model;
    return i < call_q_rows(call, b) &&
           (model->fills || model->extra_keys > 0 || (model->masked_uniform && call_kv_rows(call, b) > 0));
}

enum call_buffer call_key_buffer(const struct call *call, size_t *rows_out)
{
    bool cross = call->io.key != NULL;
    *rows_out = cross ? call->shape.kv_len : call->shape.q_len;
    return cross ? CALL_KEY : CALL_QUERY;
}

// -- Making ---------------------------------------------------------------------------------------------------------

// Whether the call says where its sequences start: two calls of three, where the model takes it.
static bool has_position(const struct call *call)
{
    return call->model->rope.positions > 0 && call->model->cache == 0 && call->shape.seed % 3 != 0;
}

// Elements of each buffer, all of four bytes but those of masks; -1 where the call has no such buffer.
static void count_elements(const struct call *call, ptrdiff_t counts[N_CALL_BUFFERS])
{
    const struct shape *shape = &call->shape;
    const size_t key_rows = shape->batch * shape->kv_len;
    const size_t past = shape->batch * shape->past * call->model->k_dim;
    const size_t means = shape->batch * shape->q_len * call_columns(call);
    const struct {
        bool present;
        size_t count;
    } wanted[N_CALL_BUFFERS] = {
        [CALL_QUERY] = {shape->form != FORM_TOKENS, shape->batch * call_q_elements(call)},
        [CALL_TOKENS] = {shape->form == FORM_TOKENS, shape->batch * shape->q_len},
        [CALL_KEY] = {shape->form == FORM_CROSS || shape->form == FORM_CROSS_VALUE, key_rows * call->model->k_dim},
        [CALL_VALUE] = {shape->form == FORM_CROSS_VALUE, key_rows * call->model->v_dim},
        [CALL_SUBLAYER] = {call->model->stack && call->model->stack->sublayer, shape->batch * call_q_elements(call)},
        [CALL_Q_LENGTHS] = {shape->q_ragged, shape->batch},
        [CALL_KV_LENGTHS] = {shape->kv_ragged, shape->batch},
        [CALL_POSITION] = {has_position(call), shape->batch},
        [CALL_KV_POSITION] = {has_position(call) && shape->seed % 3 == 1, shape->batch},
        [CALL_PAST] = {shape->past > 0, past},
        [CALL_PAST_LENGTHS] = {shape->past > 0, shape->batch},
        [CALL_OUTPUT] = {true, shape->batch * call_out_elements(call)},
        [CALL_ATTENTION] = {call->model->attention_output, means * call->model->n_heads},
        [CALL_ATTENTION_MEAN] = {call->model->attention_mean_output, means},
    };
    for (size_t t = 0; t < N_CALL_BUFFERS; t++) {
        counts[t] = wanted[t].present ? (ptrdiff_t)wanted[t].count : -1;
    }
    for (size_t m = 0; m < CALL_MASKS; m++) {
        size_t strides[4];
        counts[CALL_MASK + m] = call_mask_elements(call, m, strides);
    }
}

static bool make_buffers(struct call *call, enum guard_place place)
{
    ptrdiff_t counts[N_CALL_BUFFERS];
    bool ok = true;
    count_elements(call, counts);
    for (size_t t = 0; ok && t < N_CALL_BUFFERS; t++) {
        const bool is_mask = t >= CALL_MASK && t < CALL_MASK + CALL_MASKS;
        const size_t width = is_mask ? call_mask_width(call->model, t - CALL_MASK) : sizeof(float);
        ok = counts[t] < 0 || guard_make(&call->buffers[t], (size_t)counts[t] * width, width, place);
    }
    return ok;
}

static void point_io(struct call *call)
{
    struct guard *buffers = call->buffers;
    call->io = (struct ga_io){
        .batch = call->shape.batch,
        .q_len = call->shape.q_len,
        .kv_len = buffers[CALL_KEY].data ? call->shape.kv_len : 0,
        .query = buffers[CALL_QUERY].data,
        .tokens = buffers[CALL_TOKENS].data,
        .key = buffers[CALL_KEY].data,
        .value = buffers[CALL_VALUE].data,
        .sublayer = buffers[CALL_SUBLAYER].data,
        .q_lengths = buffers[CALL_Q_LENGTHS].data,
        .kv_lengths = buffers[CALL_KV_LENGTHS].data,
        .output = buffers[CALL_OUTPUT].data,
        .attention = buffers[CALL_ATTENTION].data,
        .attention_mean = buffers[CALL_ATTENTION_MEAN].data,
        .position = buffers[CALL_POSITION].data,
        .kv_position = buffers[CALL_KV_POSITION].data,
    };
    call_point_masks(call);
}

static void fill_lengths(struct call *call)
{
    int32_t *q_lengths = call->buffers[CALL_Q_LENGTHS].data, *kv_lengths = call->buffers[CALL_KV_LENGTHS].data;
    int32_t *past_lengths = call->buffers[CALL_PAST_LENGTHS].data;
    for (size_t b = 0; b < call->shape.batch; b++) {
        if (q_lengths) {
            q_lengths[b] = shapes_q_length(&call->shape, b);
        }
        if (past_lengths) {
            past_lengths[b] = shapes_past_length(&call->shape, b);
        }
        if (kv_lengths) {
            kv_lengths[b] = shapes_kv_length(&call->shape, b);
        }
    }
}

// Each sequence starts where it likes, the first one as late as it may.
static void fill_positions(struct call *call)
{
    const size_t positions = call->model->rope.positions;
    const struct {
        int32_t *first;
        size_t length;
    } parts[] = {
        {call->buffers[CALL_POSITION].data, call->shape.q_len},
        {call->buffers[CALL_KV_POSITION].data, call->shape.kv_len},
    };
    struct rng rng = rng_seeded(call->shape.seed + 3000);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        for (size_t b = 0; parts[p].first && b < call->shape.batch; b++) {
            const size_t most = positions - parts[p].length;
            parts[p].first[b] = (int32_t)(b == 0 ? most : rng_below(&rng, most + 1));
        }
    }
}

bool call_make(struct call *call, const struct ga_model *model, const struct shape *shape, enum guard_place place)
{
    *call = (struct call){.model = model, .shape = *shape, .place = place};
    if (!make_buffers(call, place)) {
        call_drop(call);
        return false;
    }
    point_io(call);
    fill_lengths(call);
    fill_positions(call);
    return true;
}

bool call_copy(struct call *call, const struct call *from, enum guard_place place)
{
    if (!call_make(call, from->model, &from->shape, place)) {
        return false;
    }
    for (size_t t = 0; t < CALL_OUTPUT; t++) {
        if (call->buffers[t].bytes > 0) {
            memcpy(call->buffers[t].data, from->buffers[t].data, call->buffers[t].bytes);
        }
    }
    return true;
}

void call_drop(struct call *call)
{
    for (size_t t = 0; t < N_CALL_BUFFERS; t++) {
        guard_drop(&call->buffers[t]);
    }
}

// -- Filling --------------------------------------------------------------------------------------------------------

double call_row_size(const struct ga_model *model)
{
    return model->stack && model->stack->embedding_scale != 0 ? 1 / model->stack->embedding_scale : 1;
}

void call_fill(struct call *call)
{
    static const enum call_buffer floats[] = {CALL_QUERY, CALL_KEY, CALL_VALUE, CALL_SUBLAYER, CALL_PAST};
    struct rng rng = rng_seeded(call->shape.seed + 1000);
    for (size_t t = 0; t < sizeof floats / sizeof floats[0]; t++) {
        const struct guard *buffer = &call->buffers[floats[t]];
        const double factor = floats[t] == CALL_QUERY ? call_row_size(call->model) : 1;
        rng_fill_normal(&rng, buffer->data, buffer->bytes / sizeof(float), (float)factor);
    }
    int32_t *tokens = call->buffers[CALL_TOKENS].data;
    for (size_t i = 0; i < call->buffers[CALL_TOKENS].bytes / sizeof *tokens; i++) {
        tokens[i] = (int32_t)rng_below(&rng, call->model->vocab_size);
    }
    call_fill_masks(call, &rng);
}

// Copies rows of width elements of four bytes, as many as both sequences have.
static void copy_rows(const struct guard *to, size_t to_first, size_t to_len, const struct guard *from,
                      size_t from_first, size_t from_len, size_t width)
{
    size_t rows = to_len < from_len ? to_len : from_len;
    if (to->data && from->data) {
        memcpy((float *)to->data + to_first * to_len * width, (const float *)from->data + from_first * from_len * width,
               rows * width * sizeof(float));
    }
}

void call_copy_sequence(struct call *call, size_t slot, const struct call *from, size_t b)
{
    const struct {
        enum call_buffer buffer;
        size_t to_len, from_len, width;
    } parts[] = {
        {CALL_QUERY, call->shape.q_len, from->shape.q_len, call_width(call, CALL_QUERY)},
        {CALL_TOKENS, call->shape.q_len, from->shape.q_len, 1},
        {CALL_KEY, call->shape.kv_len, from->shape.kv_len, call_width(call, CALL_KEY)},
        {CALL_VALUE, call->shape.kv_len, from->shape.kv_len, call_width(call, CALL_VALUE)},
        {CALL_SUBLAYER, call->shape.q_len, from->shape.q_len, call_width(call, CALL_SUBLAYER)},
        {CALL_Q_LENGTHS, 1, 1, 1},
        {CALL_KV_LENGTHS, 1, 1, 1},
        {CALL_POSITION, 1, 1, 1},
        {CALL_KV_POSITION, 1, 1, 1},
        {CALL_PAST, call->shape.past, from->shape.past, call_width(call, CALL_PAST)},
        {CALL_PAST_LENGTHS, 1, 1, 1},
    };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        enum call_buffer t = parts[p].buffer;
        const size_t heads = t < CALL_Q_LENGTHS && t != CALL_TOKENS ? call_heads(call, t) : 1;
        for (size_t h = 0; h < heads; h++) {
            copy_rows(&call->buffers[t], slot * heads + h, parts[p].to_len, &from->buffers[t], b * heads + h,
                      parts[p].from_len, parts[p].width);
        }
    }
    call_copy_masks(call, slot, from, b, 0);
}

// -- Words ----------------------------------------------------------------------------------------------------------

static void append(char text[CHECKS_SITUATION], const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static void append(char text[CHECKS_SITUATION], const char *format, ...)
{
    size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, CHECKS_SITUATION - used, format, values);
    va_end(values);
}

static void append_lengths(char text[CHECKS_SITUATION], const int32_t *lengths, size_t batch)
{
    enum { SHOWN = 4 };
    for (size_t b = 0; lengths && b < batch && b < SHOWN; b++) {
        append(text, "%s%ld", b ? "," : " real [", (long)lengths[b]);
    }
    append(text, "%s", !lengths ? "" : batch > SHOWN ? ",...]" : "]");
}

// "cross, batch 2, q_len 7 real [7,1], kv_len 13"; returns text.
const char *call_text(const struct call *call, char text[CHECKS_SITUATION])
{
    static const char *const forms[] = {
        [FORM_SELF] = "self",
        [FORM_TOKENS] = "tokens",
        [FORM_CROSS] = "cross",
        [FORM_CROSS_VALUE] = "cross with value",
    };
    const struct shape *shape = &call->shape;
    text[0] = '\0';
    append(text, "%s, batch %zu, q_len %zu", forms[shape->form], shape->batch, shape->q_len);
    append_lengths(text, call->io.q_lengths, shape->batch);
    append(text, ", kv_len %zu", shape->kv_len);
    append_lengths(text, call->io.kv_lengths, shape->batch);
    append(text, "%s", call->io.position ? call->io.kv_position ? ", own positions of both" : ", own positions" : "");
    if (shape->past > 0) {
        append(text, ", past %zu", shape->past);
        append_lengths(text, call->buffers[CALL_PAST_LENGTHS].data, shape->batch);
    }
    return text;
}

// -- Running --------------------------------------------------------------------------------------------------------

static bool check_intact(struct checks *checks, const struct call *call, const struct guard *scratch)
{
    static const char *const names[N_CALL_BUFFERS] = {
        [CALL_QUERY] = "query",
        [CALL_TOKENS] = "tokens",
        [CALL_KEY] = "key",
        [CALL_VALUE] = "value",
        [CALL_SUBLAYER] = "sublayer",
        [CALL_Q_LENGTHS] = "q_lengths",
        [CALL_KV_LENGTHS] = "kv_lengths",
        [CALL_POSITION] = "position",
        [CALL_KV_POSITION] = "kv_position",
        [CALL_MASK] = "mask",
        [CALL_SRC_MASK] = "src_mask",
        [CALL_MEMORY_MASK] = "memory_mask",
        [CALL_OUTPUT] = "output",
        [CALL_ATTENTION] = "attention",
        [CALL_ATTENTION_MEAN] = "attention_mean",
        [CALL_PAST] = "past",
        [CALL_PAST_LENGTHS] = "past lengths",
    };
    bool ok = checks_need(checks, guard_intact(scratch), "wrote outside scratch");
    for (size_t t = CALL_OUTPUT; t < N_CALL_BUFFERS; t++) {
        ok = checks_need(checks, guard_intact(&call->buffers[t]), "wrote outside %s", names[t]) && ok;
    }
    return ok;
}

static enum ga_status run_sealed(struct call *call, const struct ga_loaded *loaded, const struct guard *scratch,
                                 struct ga_error *error)
{
    for (size_t t = 0; t < CALL_OUTPUT; t++) {
        guard_seal(&call->buffers[t]);
    }
    enum ga_status status = ga_model_run(loaded, &call->io, scratch->data, scratch->bytes, error);
    for (size_t t = 0; t < CALL_OUTPUT; t++) {
        guard_open(&call->buffers[t]);
    }
    return status;
}

// A run with whatever cache io points to.
bool call_run_once(struct call *call, struct checks *checks, const struct subject *subject, size_t v)
{
    const struct ga_variant *variant = ga_loaded_variant(subject->loaded[v]);
    const struct shape *shape = &call->shape;
    struct ga_error error = {.status = GA_OK, .text = ""};
    struct guard scratch;
    size_t bytes = ga_model_scratch_size(call->model, variant, shape->batch, shape->q_len, shape->kv_len,
                                         call->io.parallel ? call->io.parallel->threads : 1);
    if (!checks_need(checks, bytes != SIZE_MAX, "its scratch size is not to be had") ||
        !checks_need(checks, guard_make(&scratch, bytes, GA_ALIGN, (enum guard_place)(call->place % 2)),
                     "no memory for scratch")) {
        return false;
    }
    guard_blank(&call->buffers[CALL_OUTPUT]);
    guard_blank(&call->buffers[CALL_ATTENTION]);
    guard_blank(&call->buffers[CALL_ATTENTION_MEAN]);
    enum ga_status status = run_sealed(call, subject->loaded[v], &scratch, &error);
    bool ok = checks_need(checks, status == GA_OK, "%s: %s", ga_status_text(status), error.text);
    ok = check_intact(checks, call, &scratch) && ok;
    guard_drop(&scratch);
    return ok;
}

bool call_run(struct call *call, struct checks *checks, const struct subject *subject, size_t v)
{
    char text[CHECKS_SITUATION];
    checks_situation(checks, call_text(call, text));
    checks_subject(checks, call->model->name, ga_loaded_variant(subject->loaded[v])->isa);
    return call->model->cache ? call_run_cached(call, checks, subject, v) : call_run_once(call, checks, subject, v);
}
