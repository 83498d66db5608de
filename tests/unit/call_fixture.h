// call_fixture.h: hand-written models whose kernels do nothing, and a sound call of each with every pointer in memory
// of its own, for the tests of where a call's pointers may point. Checks nothing by itself.
#ifndef TESTS_CALL_FIXTURE_H
#define TESTS_CALL_FIXTURE_H

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "model.h"

// Widths that are all different, so that no extent passes for another.
enum { BATCH = 2, Q_LEN = 3, KV_LEN = 5, D_MODEL = 4, K_DIM = 6, V_DIM = 8, D_OUT = 10, D_HEAD = 3, HEADS = 2 };
enum { LAYERS = 2, LOGITS = 7, LABELS = 9, COLUMNS = KV_LEN + 1, Q_ROWS = BATCH * Q_LEN, K_ROWS = BATCH * KV_LEN };

// -- Models and their calls -----------------------------------------------------------------------------------------

static size_t runs; // how often a kernel was called

static inline void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed, (void)io, (void)scratch;
    runs++;
}

enum { SCRATCH = 128, PACKED = 192, CAPACITY = 9, LANE = 512 };

static inline size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return SCRATCH;
}

#define LAYOUT                            \
    {                                     \
        .key_panel = 4, .value_stride = 5 \
    }
#define CACHE .cache = LAYOUT, .memory_cache = LAYOUT
static const struct ga_variant variant[] = {
    {.isa = "scalar", .packed_bytes = PACKED, .scratch_bytes = fake_scratch, .run = fake_run, CACHE}};
#define GIVES \
    .pool = GA_POOL_MEAN, .d_embedding = D_MODEL, .logits = GA_LOGITS_LINEAR, .n_logits = LOGITS, .n_labels = LABELS
#define HAS .n_layers = LAYERS, .token_types = 2, .sublayer = true, .attention = true, .cross_attention = true, GIVES
static const struct ga_stack of_numbers = {HAS, .memory_mask = GA_MASK_ADDITIVE};
static const struct ga_stack of_bytes = {HAS, .memory_mask = GA_MASK_BOOL};

#define SHAPE                                                                                               \
    .abi = GA_ABI, .d_model = D_MODEL, .d_out = D_OUT, .n_heads = HEADS, .n_kv_heads = 1, .d_head = D_HEAD, \
    .variants = variant, .n_variants = 1, .q_len = {1, 8}, .kv_len = {1, 8}, .lengths = true, .cache = 16,  \
    .cache_dtype = GA_F32

#define WHOLE(sides)                                                                                           \
    SHAPE, .k_dim = D_MODEL, .v_dim = D_MODEL, .kind = GA_TRANSFORMER, .stack = &(sides), .encoder = &(sides), \
           .vocab_size = 10, .src_vocab_size = 10

enum { LAYER = 1, NUMBERS = 2, BYTES = 4, STACKS = NUMBERS | BYTES, ALL = LAYER | STACKS };

static const struct {
    int call;
    struct ga_model model;
} models[] = {
    {LAYER,
     {SHAPE, .name = "layer", .k_dim = K_DIM, .v_dim = V_DIM, .extra_keys = 1, .attention_output = true,
      .attention_mean_output = true, .rope = {.positions = 16}, .mask = GA_MASK_BOOL,
      .intermediates = {true, true, true, true, true, true, true, true, true}}},
    {NUMBERS, {WHOLE(of_numbers), .name = "numbers", .mask = GA_MASK_ADDITIVE}},
    {BYTES, {WHOLE(of_bytes), .name = "bytes", .mask = GA_MASK_BOOL}},
};
enum { N_MODELS = sizeof models / sizeof *models };

struct field {
    const char *name;
    size_t at;    // in struct ga_io
    int calls;    // that have it
    size_t count; // its elements
    size_t width; // of one, in bytes
    bool is_written;
};

#define AT(field) #field, offsetof(struct ga_io, field)
#define INTERMEDIATE(name, which) name, offsetof(struct ga_io, intermediates[which]), LAYER

static const struct field fields[] = {
    {AT(output), ALL, Q_ROWS *D_OUT, 4, true},
    {AT(attention), LAYER, Q_ROWS *HEADS *COLUMNS, 4, true},
    {AT(attention_mean), LAYER, Q_ROWS *COLUMNS, 4, true},
    {INTERMEDIATE("q_proj", GA_Q_PROJ), Q_ROWS *HEADS *D_HEAD, 4, true},
    {INTERMEDIATE("k_proj", GA_K_PROJ), K_ROWS *D_HEAD, 4, true},
    {INTERMEDIATE("v_proj", GA_V_PROJ), K_ROWS *D_HEAD, 4, true},
    {INTERMEDIATE("q_heads", GA_Q_HEADS), Q_ROWS *HEADS *D_HEAD, 4, true},
    {INTERMEDIATE("k_heads", GA_K_HEADS), K_ROWS *D_HEAD, 4, true},
    {INTERMEDIATE("v_heads", GA_V_HEADS), K_ROWS *D_HEAD, 4, true},
    {INTERMEDIATE("scores", GA_SCORES), Q_ROWS *HEADS *KV_LEN, 4, true},
    {INTERMEDIATE("x_heads", GA_X_HEADS), Q_ROWS *HEADS *D_HEAD, 4, true},
    {INTERMEDIATE("x_concat", GA_X_CONCAT), Q_ROWS *HEADS *D_HEAD, 4, true},
    {AT(embedding), STACKS, BATCH *D_MODEL, 4, true},
    {AT(logits), STACKS, Q_ROWS *LOGITS, 4, true},
    {AT(last_logits), STACKS, BATCH *LOGITS, 4, true},
    {AT(class_logits), STACKS, BATCH *LABELS, 4, true},
    {AT(memory), STACKS, K_ROWS *D_MODEL, 4, true},
    {AT(query), LAYER, Q_ROWS *D_MODEL, 4, false},
    {AT(key), LAYER, K_ROWS *K_DIM, 4, false},
    {AT(value), LAYER, K_ROWS *V_DIM, 4, false},
    {AT(position), LAYER, BATCH, 4, false},
    {AT(kv_position), LAYER, BATCH, 4, false},
    {AT(mask), LAYER, Q_ROWS *HEADS *KV_LEN, 1, false},
    {AT(mask), BYTES, Q_ROWS *HEADS *Q_LEN, 1, false},
    {AT(src_mask), BYTES, K_ROWS *HEADS *KV_LEN, 1, false},
    {AT(memory_mask), BYTES, Q_ROWS *HEADS *KV_LEN, 1, false},
    {AT(additive_mask), NUMBERS, Q_ROWS *HEADS *Q_LEN, 4, false},
    {AT(src_additive_mask), NUMBERS, K_ROWS *HEADS *KV_LEN, 4, false},
    {AT(memory_additive_mask), NUMBERS, Q_ROWS *HEADS *KV_LEN, 4, false},
    {AT(tokens), STACKS, Q_ROWS, 4, false},
    {AT(token_types), STACKS, Q_ROWS, 4, false},
    {AT(sublayer), STACKS, Q_ROWS *D_MODEL, 4, false},
    {AT(key_tokens), STACKS, K_ROWS, 4, false},
    {AT(q_lengths), ALL, BATCH, 4, false},
    {AT(kv_lengths), ALL, BATCH, 4, false},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

// Zeros are sound contents of every field: no rows, token 0, place 0, nothing added.
static _Alignas(GA_ALIGN) unsigned char lanes[N_FIELDS][LANE], pair[4 * LANE];

// Objects that are not tensors have room for one before and after them.
#define ROOM(name, bytes) static _Alignas(GA_ALIGN) unsigned char name[LANE + (bytes) + GA_ALIGN + LANE]
ROOM(scratch_room, SCRATCH + 8 * GA_ALIGN);
ROOM(packed_room, PACKED);
ROOM(handle_room, sizeof(struct ga_loaded));
ROOM(io_room, sizeof(struct ga_io));
ROOM(parallel_room, sizeof(struct ga_parallel));
ROOM(list_room, (LAYERS + 1) * sizeof(float *));
ROOM(attention_room, LAYERS * sizeof(float *));
ROOM(cross_room, LAYERS * sizeof(float *));
ROOM(source_room, LAYERS * sizeof(float *));
ROOM(cache_room, 16384);

struct object {
    const char *name;
    unsigned char *start;
    size_t bytes;
    bool is_written;
};
enum {
    SCRATCH_OBJECT,
    CACHE_OBJECT,
    PACKED_OBJECT,
    HANDLE_OBJECT,
    IO_OBJECT,
    PARALLEL_OBJECT,
    LIST_OBJECT,
    ATTENTION_OBJECT,
    CROSS_OBJECT,
    SOURCE_OBJECT,
    N_OBJECTS
};
static struct object objects[N_OBJECTS];

static struct ga_io *io;         // in io_room
static struct ga_loaded *loaded; // in handle_room
static float **hidden;           // in list_room; NULL but where a test sets one
static float **attention;        // likewise, in attention_room
static float **cross;            // in cross_room
static float **source;           // in source_room

static inline void run_parts(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    (void)self, (void)parts, (void)task, (void)context;
}

static inline void put(const struct field *field, const unsigned char *address)
{
    memcpy((unsigned char *)io + field->at, &address, sizeof address);
}

static inline bool has(size_t m, const struct field *field)
{
    return (models[m].call & field->calls) != 0;
}

// A sound call with all fields there are, each in a lane of its own.
static inline void point(size_t m)
{
    const size_t keys = models[m].model.stack == NULL ? KV_LEN : Q_LEN;
    *io = (struct ga_io){.batch = BATCH,
                         .q_len = Q_LEN,
                         .kv_len = KV_LEN,
                         .mask_strides = {HEADS * Q_LEN * keys, Q_LEN * keys, keys, 1},
                         .src_mask_strides = {HEADS * KV_LEN * KV_LEN, KV_LEN * KV_LEN, KV_LEN, 1},
                         .memory_mask_strides = {HEADS * Q_LEN * KV_LEN, Q_LEN * KV_LEN, KV_LEN, 1},
                         .parallel = (const struct ga_parallel *)(const void *)objects[PARALLEL_OBJECT].start,
                         .cache = (struct ga_cache *)(void *)objects[CACHE_OBJECT].start};
    memset(hidden, 0, (LAYERS + 1) * sizeof *hidden);
    memset(attention, 0, LAYERS * sizeof *attention);
    memset(cross, 0, LAYERS * sizeof *cross);
    memset(source, 0, LAYERS * sizeof *source);
    if (models[m].model.stack != NULL) {
        io->hidden = hidden;
        io->layer_attention = attention;
        io->layer_cross_attention = cross;
        io->src_layer_attention = source;
    }
    for (size_t f = 0; f < N_FIELDS; f++) {
        if (has(m, &fields[f])) {
            put(&fields[f], lanes[f]);
        }
    }
}

static inline void make(size_t m)
{
    const struct ga_model *model = &models[m].model;
    const size_t cache_bytes = ga_cache_size(model, variant, BATCH, CAPACITY);
    const size_t list_bytes = model->stack == NULL ? 0 : (LAYERS + 1) * sizeof *hidden;
    const size_t attention_bytes = model->stack == NULL ? 0 : LAYERS * sizeof *attention;
    const size_t scratch_bytes = ga_model_scratch_size(model, variant, BATCH, Q_LEN, KV_LEN, 1);
    const struct object made[N_OBJECTS] = {
        {"scratch", scratch_room + LANE, scratch_bytes, true},
        {"cache", cache_room + LANE, cache_bytes, true},
        {"the packed weights", packed_room + LANE, PACKED, false},
        {"the handle of the packed weights", handle_room + LANE, sizeof *loaded, false},
        {"io", io_room + LANE, sizeof *io, false},
        {"parallel", parallel_room + LANE, sizeof *io->parallel, false},
        {"the list hidden", list_room + LANE, list_bytes, false},
        {"the list layer_attention", attention_room + LANE, attention_bytes, false},
        {"the list layer_cross_attention", cross_room + LANE, attention_bytes, false},
        {"the list src_layer_attention", source_room + LANE, attention_bytes, false},
    };
    memcpy(objects, made, sizeof made);
    cr_assert_leq(cache_bytes, sizeof cache_room - (size_t)2 * LANE);
    cr_assert(scratch_bytes > SCRATCH && scratch_bytes <= sizeof scratch_room - (size_t)2 * LANE);
    loaded = (struct ga_loaded *)(void *)objects[HANDLE_OBJECT].start;
    *loaded = (struct ga_loaded){model, variant, objects[PACKED_OBJECT].start};
    io = (struct ga_io *)(void *)objects[IO_OBJECT].start;
    hidden = (float **)(void *)objects[LIST_OBJECT].start;
    attention = (float **)(void *)objects[ATTENTION_OBJECT].start;
    cross = (float **)(void *)objects[CROSS_OBJECT].start;
    source = (float **)(void *)objects[SOURCE_OBJECT].start;
    *(struct ga_parallel *)(void *)objects[PARALLEL_OBJECT].start = (struct ga_parallel){1, run_parts, NULL};
    struct ga_cache *cache = NULL;
    cr_assert_eq(ga_cache_init(loaded, BATCH, CAPACITY, objects[CACHE_OBJECT].start, cache_bytes, &cache, NULL), GA_OK);
    point(m);
}

// -- One call -------------------------------------------------------------------------------------------------------

static inline enum ga_status run(struct ga_error *error)
{
    *error = (struct ga_error){.text = ""};
    return ga_model_run(loaded, io, objects[SCRATCH_OBJECT].start, objects[SCRATCH_OBJECT].bytes, error);
}

static inline void expect_taken(const char *what, const char *other)
{
    struct ga_error error;
    const size_t before = runs;
    cr_expect_eq(run(&error), GA_OK, "%s beside %s: %s", what, other, error.text);
    cr_expect_eq(runs, before + 1, "%s beside %s", what, other);
}

// Both are named; the kernel does not run.
static inline void expect_refused(const char *what, const char *other)
{
    struct ga_error error;
    const size_t before = runs;
    cr_expect_eq(run(&error), GA_ARGUMENT, "%s over %s: %s", what, other, error.text);
    cr_expect(strstr(error.text, what) && strstr(error.text, "overlaps") && strstr(error.text, other), "%s over %s: %s",
              what, other, error.text);
    cr_expect_eq(runs, before, "%s over %s", what, other);
}

static inline size_t bytes_of(const struct field *field)
{
    return field->count * field->width;
}

#endif
