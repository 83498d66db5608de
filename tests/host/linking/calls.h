// calls.h: a user's calls of two small models, in what C and C++ have in common. Says one line a model, which is the
// same however the library was linked: its name, its instruction set and a hash of what it gives.
#ifndef TESTS_LINKING_CALLS_H
#define TESTS_LINKING_CALLS_H

#include <stdio.h>
#include <stdlib.h>

#include "causal_64_4_right.h"
#include "genattn/arena.h"
#include "genattn/pack_file.h"
#include "genattn/threads.h"
#include "small_24_3.h"

enum { ROWS = 9, THREADS = 2, MOST_ROLES = 16 };

typedef enum ga_status call_run(const struct ga_loaded *, const struct ga_io *, void *, size_t);
typedef size_t call_scratch(size_t, size_t, size_t, size_t);

static float *call_floats(size_t count)
{
    float *floats = (float *)malloc(count * sizeof(float));
    for (size_t i = 0; floats && i < count; i++) {
        floats[i] = (float)((int)(i * 37 % 101) - 50) / 256.0F;
    }
    return floats;
}

static unsigned long call_hash(const float *floats, size_t count)
{
    const unsigned char *bytes = (const unsigned char *)floats;
    unsigned long hash = 5381;
    for (size_t i = 0; i < count * sizeof(float); i++) {
        hash = (hash * 33 + bytes[i]) & 0xffffffffUL;
    }
    return hash;
}

static int call_failed(const struct ga_model *model, const char *what, enum ga_status status)
{
    printf("%s: %s: status %d\n", model->name, what, (int)status);
    return 1;
}

// Packs weights that are made up; NULL after a message.
static const struct ga_loaded *call_pack(const struct ga_model *model)
{
    const struct ga_variant *variant = NULL;
    const struct ga_loaded *loaded = NULL;
    struct ga_weight_view views[MOST_ROLES];
    enum ga_status status = ga_model_variant(model, NULL, &variant, NULL);
    for (size_t i = 0; i < model->n_roles; i++) {
        const struct ga_weight_role *role = &model->roles[i];
        const size_t columns = role->rank == 2 ? role->shape[1] : 1;
        views[i].data = call_floats(role->shape[0] * columns);
        views[i].row_stride = columns;
        views[i].col_stride = 1;
    }
    if (status == GA_OK) {
        const size_t size = ga_model_packed_size(variant);
        status = ga_model_pack(model, variant, views, ga_block_new(size), size, &loaded, NULL);
    }
    for (size_t i = 0; i < model->n_roles; i++) {
        free((void *)views[i].data);
    }
    if (status != GA_OK) {
        call_failed(model, "packing", status);
    }
    return loaded;
}

// Runs on one thread, then on a pool. 0 where both give the same.
static int call_both(const struct ga_loaded *loaded, call_run *run, call_scratch *scratch_size)
{
    const struct ga_model *model = ga_loaded_model(loaded);
    const size_t count = ROWS * model->d_model, size = scratch_size(1, ROWS, ROWS, THREADS);
    float *query = call_floats(count), *output = call_floats(count), *again = call_floats(count);
    void *scratch = ga_block_new(size);
    struct ga_threads *pool = NULL;
    struct ga_io io;
    memset(&io, 0, sizeof io);
    io.batch = 1, io.q_len = ROWS, io.query = query, io.output = output;
    enum ga_status status = run(loaded, &io, scratch, size);
    if (status != GA_OK) {
        return call_failed(model, "a call", status);
    }
    status = ga_threads_new(THREADS, &pool, NULL);
    if (status != GA_OK) {
        return call_failed(model, "a pool", status);
    }
    io.parallel = ga_threads_parallel(pool);
    io.output = again;
    status = run(loaded, &io, scratch, size);
    if (status != GA_OK || memcmp(output, again, count * sizeof(float)) != 0) {
        return call_failed(model, "a call on threads", status);
    }
    ga_threads_free(pool);
    printf("%s %s %08lx\n", model->name, ga_loaded_variant(loaded)->isa, call_hash(output, count));
    ga_block_free(scratch);
    free(query), free(output), free(again);
    return 0;
}

// Weights of one model are refused by another's run, and two handles of one model are taken for that.
static int call_stranger(const struct ga_loaded *loaded, const struct ga_model *model, call_run *other)
{
    struct ga_io io;
    memset(&io, 0, sizeof io);
    const enum ga_status status = other(loaded, &io, NULL, 0);
    return status == GA_ARGUMENT && ga_model_same(ga_loaded_model(loaded), model)
               ? 0
               : call_failed(model, "another model's run", status);
}

// One model, or two in one program. 0 where all was well.
static int calls(void)
{
    const struct ga_loaded *loaded = call_pack(&small_24_3_model);
    int failed = loaded == NULL || call_both(loaded, small_24_3_run, small_24_3_scratch_size);
#if defined(TWO_MODELS)
    const struct ga_loaded *second = call_pack(&causal_64_4_right_model);
    failed = failed || second == NULL || call_both(second, causal_64_4_right_run, causal_64_4_right_scratch_size) ||
             call_stranger(loaded, &small_24_3_model, causal_64_4_right_run) ||
             call_stranger(second, &causal_64_4_right_model, small_24_3_run);
    ga_block_free((void *)second);
#else
    (void)call_stranger;
#endif
    ga_block_free((void *)loaded);
    return failed;
}

#endif
