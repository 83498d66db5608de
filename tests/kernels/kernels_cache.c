// kernels_cache.c: facts about models with a cache of keys and values: calls of few rows, one after the other, are one
// call; what a cache holds can leave it and come back. Needs no generic kernel: a run is held against a run.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"

// -- Calls with a cache ----------------------------------------------------------------------------------------------

bool call_new_cache(struct guard *block, struct checks *checks, const struct subject *subject, size_t v, size_t batch,
                    size_t capacity)
{
    const struct ga_loaded *loaded = subject->loaded[v];
    struct ga_error error = {.status = GA_OK, .text = ""};
    struct ga_cache *cache;
    size_t bytes = ga_cache_size(subject->model, ga_loaded_variant(loaded), batch, capacity);
    if (!checks_need(checks, bytes != SIZE_MAX, "its cache's size is not to be had") ||
        !checks_need(checks, guard_make(block, bytes, GA_ALIGN, (enum guard_place)(capacity % 2)),
                     "no memory for a cache")) {
        return false;
    }
    enum ga_status status = ga_cache_init(loaded, batch, capacity, block->data, bytes, &cache, &error);
    if (!checks_need(checks, status == GA_OK && (void *)cache == block->data, "ga_cache_init: %s", error.text)) {
        guard_drop(block);
        return false;
    }
    return true;
}

// The part of a call's past rows that one call can take, from row `first` on, as a call of its own.
static bool past_part(struct call *part, const struct call *call, size_t first)
{
    const size_t most = call->model->kv_len.max, left = call->shape.past - first;
    const struct shape shape = {.batch = call->shape.batch,
                                .q_len = call->model->q_len.min,
                                .kv_len = left < most ? left : most,
                                .form = FORM_CROSS,
                                .kv_ragged = true};
    if (!call_make(part, call->model, &shape, GUARD_AT_END)) {
        return false;
    }
    const size_t width = call_width(part, CALL_KEY);
    int32_t *lengths = part->buffers[CALL_KV_LENGTHS].data;
    call_fill(part);
    for (size_t b = 0; b < shape.batch; b++) {
        size_t rows = call_past_rows(call, b) > first ? call_past_rows(call, b) - first : 0;
        lengths[b] = (int32_t)(rows < shape.kv_len ? rows : shape.kv_len);
        memcpy((float *)part->buffers[CALL_KEY].data + b * shape.kv_len * width,
               (const float *)call->buffers[CALL_PAST].data + (b * call->shape.past + first) * width,
               (size_t)lengths[b] * width * sizeof(float));
    }
    return true;
}

// Appends a call's past rows, by calls whose results nobody looks at.
bool call_fill_cache(const struct call *call, struct checks *checks, const struct subject *subject, size_t v,
                     struct ga_cache *cache)
{
    bool ok = true;
    for (size_t first = 0; ok && first < call->shape.past; first += call->model->kv_len.max) {
        struct call part;
        if (!checks_need(checks, past_part(&part, call, first), "no memory for the call")) {
            return false;
        }
        part.io.cache = cache;
        ok = call_run_once(&part, checks, subject, v);
        call_drop(&part);
    }
    return ok;
}

// Rows of sequence b that join a cache: keys, or of a stack those that go through it; and how many at most.
static size_t joining_rows(const struct call *call, size_t b)
{
    return call->model->stack ? call_q_rows(call, b) : call_kv_rows(call, b);
}

static size_t joining_len(const struct call *call)
{
    return call->model->stack ? call->shape.q_len : call->shape.kv_len;
}

static bool check_counts(const struct call *call, struct checks *checks, const struct ga_cache *cache,
                         const int32_t *before)
{
    bool ok = true;
    for (size_t b = 0; ok && b < call->shape.batch; b++) {
        size_t wanted = (size_t)before[b] + joining_rows(call, b), found = (size_t)ga_cache_lengths(cache)[b];
        ok = checks_need(checks, found == wanted, "the cache counts %zu keys of sequence %zu, expected %zu", found, b,
                         wanted);
    }
    return ok;
}

bool call_run_with(struct call *call, struct checks *checks, const struct subject *subject, size_t v,
                   struct ga_cache *cache)
{
    char text[CHECKS_SITUATION];
    int32_t *before = malloc((call->shape.batch + 1) * sizeof *before);
    checks_situation(checks, call_text(call, text));
    checks_subject(checks, call->model->name, ga_loaded_variant(subject->loaded[v])->isa);
    if (!checks_need(checks, before != NULL, "no memory for lengths")) {
        return false;
    }
    memcpy(before, ga_cache_lengths(cache), call->shape.batch * sizeof *before);
    call->io.cache = cache;
    bool ok = call_run_once(call, checks, subject, v) && check_counts(call, checks, cache, before);
    call->io.cache = NULL;
    free(before);
    return ok;
}

bool call_run_cached(struct call *call, struct checks *checks, const struct subject *subject, size_t v)
{
    struct guard block;
    size_t capacity = call->shape.past + joining_len(call);
    if (!call_new_cache(&block, checks, subject, v, call->shape.batch, capacity ? capacity : 1)) {
        return false;
    }
    bool ok =
        call_fill_cache(call, checks, subject, v, block.data) && call_run_with(call, checks, subject, v, block.data);
    ok = checks_need(checks, guard_intact(&block), "wrote outside the cache") && ok;
    guard_drop(&block);
    return ok;
}

static const double CACHE_BUDGET = 1e8;

// -- Steps ----------------------------------------------------------------------------------------------------------

enum { STEP_KINDS = 5, LONG_STEP = 29 };

// Rows the step numbered t offers sequence b, in each kind of walk: one by one, by threes, a long prefix and singly,
// and mixtures in which sequences get different numbers, none at times.
static size_t step_rows(size_t kind, size_t t, size_t b, size_t total)
{
    static const size_t mixed[] = {5, 1, 0, 16, 2, 33, 1, 7};
    const size_t rows[STEP_KINDS] = {
        1,
        3,
        t == 0 && total > 4 ? total - 4 : 1,
        mixed[(t + b) % (sizeof mixed / sizeof mixed[0])],
        t % 3 == b % 3 ? 0 : LONG_STEP,
    };
    return rows[kind];
}

// One step as a call of its own: rows done[b] .. of each sequence of the whole call, as many as the kind offers.
static bool step_make(struct call *step, const struct call *whole, size_t kind, size_t t, const size_t *done)
{
    static const enum memory_later later[STEP_KINDS] = {MEMORY_NOTHING, MEMORY_SPOILED, MEMORY_AGAIN, MEMORY_NOTHING,
                                                        MEMORY_SPOILED};
    struct shape shape = whole->shape;
    const size_t d_model = whole->model->d_model;
    shape.q_len = whole->shape.q_len < LONG_STEP + 4 ? whole->shape.q_len : LONG_STEP + 4;
    shape.q_len = t == 0 && kind == 2 ? whole->shape.q_len : shape.q_len;
    shape.kv_len = shapes_has_memory(whole->model) ? whole->shape.kv_len : shape.q_len;
    shape.q_ragged = true;
    if (!call_make(step, whole->model, &shape, GUARD_AT_END)) {
        return false;
    }
    int32_t *lengths = step->buffers[CALL_Q_LENGTHS].data;
    for (size_t b = 0; b < shape.batch; b++) {
        size_t left = call_q_rows(whole, b) - done[b], rows = step_rows(kind, t, b, call_q_rows(whole, b));
        rows = rows < left ? rows : left;
        lengths[b] = (int32_t)(rows < shape.q_len ? rows : shape.q_len);
        memcpy((float *)step->buffers[CALL_QUERY].data + b * call_q_elements(step),
               (const float *)whole->buffers[CALL_QUERY].data + b * call_q_elements(whole) + done[b] * d_model,
               (size_t)lengths[b] * d_model * sizeof(float));
    }
    if (shapes_has_memory(whole->model)) {
        memory_give(step, whole, done, later[kind]);
    }
    return true;
}

static bool take_step(struct checks *checks, const struct subject *subject, size_t v, const struct call *whole,
                      struct call *step, size_t *done, struct ga_cache *cache)
{
    bool ok = call_run_with(step, checks, subject, v, cache);
    for (size_t b = 0; ok && b < whole->shape.batch; b++) {
        size_t rows = call_q_rows(step, b);
        expect_same_rows(checks, (struct place){step, b, 0}, (struct place){whole, b, done[b]}, rows, 0);
        done[b] += rows;
    }
    return ok;
}

static bool is_done(const struct call *whole, const size_t *done)
{
    bool all = true;
    for (size_t b = 0; b < whole->shape.batch; b++) {
        all = all && done[b] == call_q_rows(whole, b);
    }
    return all;
}

enum { MAX_BATCH = 64 };

static void walk(struct checks *checks, const struct subject *subject, size_t v, const struct call *whole, size_t kind)
{
    size_t done[MAX_BATCH] = {0};
    struct guard block;
    if (!call_new_cache(&block, checks, subject, v, whole->shape.batch, whole->shape.q_len)) {
        return;
    }
    bool ok = true;
    for (size_t t = 0; ok && !is_done(whole, done); t++) {
        struct call step;
        ok = checks_need(checks, step_make(&step, whole, kind, t, done), "no memory for the call");
        if (ok) {
            ok = take_step(checks, subject, v, whole, &step, done, block.data);
            call_drop(&step);
        }
    }
    checks_need(checks, guard_intact(&block), "wrote outside the cache");
    guard_drop(&block);
}

// All rows of a call that starts with an empty cache, and the same rows in steps.
static void compare_steps(struct checks *checks, const struct subject *subject, struct call *call)
{
    call->shape.past = 0;
    const bool has_memory = shapes_has_memory(call->model);
    const bool fits = has_memory || (call->shape.form == FORM_SELF && !call->shape.kv_ragged);
    if (!fits || call->shape.batch > MAX_BATCH) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded && call_run(call, checks, subject, v); v++) {
        for (size_t kind = 0; kind < STEP_KINDS; kind++) {
            walk(checks, subject, v, call, kind);
        }
    }
}

void steps_give_the_bits_of_one_call(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, CACHE_BUDGET, compare_steps);
}

// -- Out and in -----------------------------------------------------------------------------------------------------

// The last real row of each sequence as a call of its own, which q_len of 1 can hold.
static bool last_rows_make(struct call *last, const struct call *call)
{
    struct shape shape = call->shape;
    const size_t width = call_width(call, CALL_QUERY);
    shape.q_len = 1;
    shape.kv_len = shapes_has_memory(call->model) ? call->shape.kv_len : 1;
    shape.q_ragged = true;
    if (!call_make(last, call->model, &shape, GUARD_AT_END)) {
        return false;
    }
    int32_t *lengths = last->buffers[CALL_Q_LENGTHS].data;
    memory_copy(last, call);
    for (size_t b = 0; b < shape.batch; b++) {
        const size_t rows = call_q_rows(call, b);
        lengths[b] = rows > 0;
        if (rows > 0) {
            memcpy((float *)last->buffers[CALL_QUERY].data + b * width,
                   (const float *)call->buffers[CALL_QUERY].data + (b * call->shape.q_len + rows - 1) * width,
                   width * sizeof(float));
        }
    }
    return true;
}

// Of a stack, whose keys are made by a call's own rows: the last row of each sequence anew, after those before it.
static void look_again_last(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                            struct ga_cache *cache)
{
    struct call last;
    bool ok = checks_need(checks, last_rows_make(&last, call), "no memory for the call");
    if (!ok) {
        return;
    }
    for (size_t b = 0; ok && b < call->shape.batch; b++) {
        const size_t held = (size_t)ga_cache_lengths(cache)[b];
        ok = call_q_rows(call, b) == 0 || ga_cache_cut(cache, b, held - 1, NULL) == GA_OK;
    }
    if (checks_need(checks, ok, "a sequence cannot be cut") && call_run_with(&last, checks, subject, v, cache)) {
        for (size_t b = 0; b < call->shape.batch; b++) {
            const size_t rows = call_q_rows(call, b);
            if (rows > 0) {
                expect_same_rows(checks, (struct place){&last, b, 0}, (struct place){call, b, rows - 1}, 1, 0);
            }
        }
    }
    call_drop(&last);
}

// The queries of a call once more, with a cache that holds what the call appended, so that nothing joins.
static void look_again(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                       struct ga_cache *cache)
{
    struct call again;
    if (call->model->stack) {
        look_again_last(checks, subject, v, call, cache);
        return;
    }
    if (!checks_need(checks, call_copy(&again, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    again.io.key = again.io.query;
    again.io.value = call->model->v_dim == call->model->k_dim ? NULL : again.io.query; // of no rows, as key is
    again.io.kv_len = 0;
    again.io.kv_lengths = NULL;
    if (call->model->rope.positions > 0 && !call->io.key && call->shape.past > 0) {
        again.io.position = again.buffers[CALL_PAST_LENGTHS].data;
    }
    if (call_run_with(&again, checks, subject, v, cache)) {
        expect_same(checks, &again, call);
    }
    call_drop(&again);
}

// Writes what each sequence holds to one array, and reads it into the other cache; false where a check failed.
static bool pass_on(struct checks *checks, const struct ga_model *model, const struct ga_cache *from,
                    struct ga_cache *to, size_t batch)
{
    const size_t rows = ga_cache_capacity(from) + 1, layers = model->stack ? model->stack->n_layers : 1;
    const size_t elements = layers * model->n_kv_heads * rows * model->d_head;
    float *both = malloc(2 * elements * sizeof *both);
    bool ok = checks_need(checks, both != NULL, "no memory");
    for (size_t b = 0; ok && b < batch; b++) {
        struct ga_error error = {.status = GA_OK, .text = ""};
        size_t length = (size_t)ga_cache_lengths(from)[b];
        ok = ga_cache_get(from, b, both, both + elements, rows, &error) == GA_OK &&
             ga_cache_put(to, b, both, both + elements, rows, length / 3, &error) == GA_OK &&
             ga_cache_put(to, b, both, both + elements, rows, length, &error) == GA_OK &&
             ga_cache_cut(to, b, 0, &error) == GA_OK &&
             ga_cache_put(to, b, both, both + elements, rows, length, &error) == GA_OK;
        checks_need(checks, ok, "%s", error.text);
    }
    free(both);
    return ok;
}

// Room for what pass_on puts in before it cuts.
static size_t roomy(const struct call *call)
{
    size_t keys = call->shape.past + joining_len(call), most = call->model->cache;
    return keys + keys / 3 + 1 < most ? keys + keys / 3 + 1 : most;
}

static void move_cache(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                       struct ga_cache *cache, size_t bytes)
{
    struct guard other, copy;
    const size_t batch = call->shape.batch, keys = call->shape.past + joining_len(call);
    if (checks_need(checks, guard_make(&copy, bytes, GA_ALIGN, GUARD_AT_START), "no memory for a cache")) {
        memcpy(copy.data, cache, bytes);
        look_again(checks, subject, v, call, copy.data);
        guard_drop(&copy);
    }
    if (roomy(call) > keys + keys / 3 && call_new_cache(&other, checks, subject, v, batch, roomy(call))) {
        if (pass_on(checks, call->model, cache, other.data, batch)) {
            look_again(checks, subject, v, call, other.data);
        }
        checks_need(checks, guard_intact(&other), "wrote outside the cache");
        guard_drop(&other);
    }
}

static void write_out_and_in(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t keys = call->shape.past + joining_len(call);
    struct guard block;
    for (size_t v = 0; call->shape.form != FORM_TOKENS && v < subject->n_loaded; v++) {
        if (!call_new_cache(&block, checks, subject, v, call->shape.batch, keys)) {
            return;
        }
        if (call_fill_cache(call, checks, subject, v, block.data) &&
            call_run_with(call, checks, subject, v, block.data)) {
            move_cache(checks, subject, v, call, block.data, block.bytes);
        }
        guard_drop(&block);
    }
}

void a_cache_written_out_and_in_is_the_same(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, CACHE_BUDGET, write_out_and_in);
}
