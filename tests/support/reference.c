// reference.c: what both precisions of the generic kernel share, and its two instances.
#include "reference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modifier_weights.h"
#include "reference_place.h"
#include "reference_rotary.h"
#include "reference_rounded.h"
#include "rounding.h"

enum { MAX_PART_ROLES = 2048 };

ptrdiff_t reference_away(const struct ga_model *model, size_t i, size_t j, size_t q_rows, size_t kv_rows)
{
    const ptrdiff_t moved = model->causal == GA_CAUSAL_BOTTOM_RIGHT ? (ptrdiff_t)kv_rows - (ptrdiff_t)q_rows : 0;
    return (ptrdiff_t)j - ((ptrdiff_t)i + moved);
}

ptrdiff_t reference_row_away(const struct reference_row *row, size_t j)
{
    return reference_away(row->model, row->i, j, reference_q_rows(row->io, row->b), reference_kv_rows(row->io, row->b));
}

bool reference_sees(const struct ga_model *model, size_t i, size_t j, size_t q_rows, size_t kv_rows)
{
    const ptrdiff_t away = reference_away(model, i, j, q_rows, kv_rows);
    if (i >= q_rows || j >= kv_rows || (model->causal != GA_CAUSAL_NONE && away > 0)) {
        return false;
    }
    const ptrdiff_t window = (ptrdiff_t)model->window;
    return window == 0 || (away > -window && !(model->window_both && away >= window));
}

// Where the element for these four lies in the call's mask.
static size_t mask_at(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j)
{
    const size_t *strides = io->mask_strides;
    return b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
}

float reference_added(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j)
{
    return io->additive_mask ? io->additive_mask[mask_at(io, b, h, i, j)] : 0;
}

bool reference_shows(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j)
{
    return !io->mask || io->mask[mask_at(io, b, h, i, j)];
}

bool reference_allows(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j)
{
    return reference_shows(io, b, h, i, j) && reference_added(io, b, h, i, j) > -INFINITY;
}

size_t reference_kv_len(const struct ga_io *io)
{
    return io->key || io->key_tokens ? io->kv_len : io->q_len;
}

size_t reference_q_rows(const struct ga_io *io, size_t b)
{
    return io->q_lengths ? (size_t)io->q_lengths[b] : io->q_len;
}

size_t reference_kv_rows(const struct ga_io *io, size_t b)
{
    if (io->kv_lengths) {
        return (size_t)io->kv_lengths[b];
    }
    return io->key || io->key_tokens ? io->kv_len : reference_q_rows(io, b);
}

size_t reference_kv_used(const struct ga_model *model, const struct ga_io *io, size_t b)
{
    return model->fills_padding ? reference_kv_len(io) : reference_kv_rows(io, b);
}

size_t reference_q_place(const struct ga_io *io, size_t b)
{
    return io->position ? (size_t)io->position[b] : 0;
}

size_t reference_kv_place(const struct ga_io *io, size_t b)
{
    if (io->kv_position) {
        return (size_t)io->kv_position[b];
    }
    return io->key ? 0 : reference_q_place(io, b);
}

const struct ga_weight_view *reference_role(const struct ga_model *model, const struct ga_weight_view *roles,
                                            const char *name)
{
    for (size_t r = 0; r < model->n_roles; r++) {
        if (strcmp(model->roles[r].name, name) == 0) {
            return &roles[r];
        }
    }
    return NULL;
}

// Row number `at` of a table, as it is given.
static void given_row(const struct ga_model *model, const struct ga_weight_view *table, size_t at, float *row)
{
    for (size_t d = 0; d < model->d_model; d++) {
        row[d] = table->data[at * table->row_stride + d * table->col_stride];
    }
}

void reference_table_row(const struct ga_model *model, const struct ga_weight_view *table, size_t at, float *row)
{
    given_row(model, table, at, row);
    rounding_row(model->embedding_dtype, model->d_model, row);
}

void reference_token_row(const struct ga_model *model, const struct ga_weight_view *roles, size_t token, float *row)
{
    const struct ga_weight_view *table = reference_role(model, roles, "embedding");
    const bool is_tied = model->stack && model->stack->logits_tied && model->weights_dtype == GA_STORAGE_F32;
    const enum ga_arithmetic logits = model->arithmetic[GA_LINEAR_LOGITS];
    if (is_tied && ((model->embedding_dtype == GA_I8 && logits == GA_ARITHMETIC_INT8) ||
                    (model->embedding_dtype == GA_BF16 && logits == GA_ARITHMETIC_BF16))) {
        given_row(model, table, token, row);
        reference_rounded_row(logits, model->d_model, row);
    } else {
        reference_table_row(model, table, token, row);
    }
}

const float *reference_idle_weight(const char *role)
{
    for (size_t w = 0; modifier_weights[w].role; w++) {
        if (strcmp(role, modifier_weights[w].role) == 0) {
            return &modifier_weights[w].idle;
        }
    }
    return NULL;
}

// Where the value of a field begins, whose name is so long, in text from a table's first brace or before it on; NULL of
// none.
static const char *value_of(const char *table, const char *field, size_t length)
{
    size_t depth = 0; // the table's own fields are in one pair of braces
    for (const char *at = table; *at != '\0'; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        const bool begins = depth == 1 && *at == ' ' && strncmp(at + 1, field, length) == 0;
        if (begins && strncmp(at + 1 + length, " = ", 3) == 0) {
            return at + 1 + length + 3;
        }
        if (*at == '}' && depth == 0) {
            break;
        }
    }
    return NULL;
}

double reference_number(const struct ga_model *model, const char *field, double otherwise)
{
    const char *dot = strchr(field, '.'), *at = model->spec;
    if (dot) {
        at = value_of(at, field, (size_t)(dot - field));
        field = dot + 1;
    }
    at = at ? value_of(at, field, strlen(field)) : NULL;
    return at ? strtod(at, NULL) : otherwise;
}

// -- Whole models ---------------------------------------------------------------------------------------------------

// A part of a whole model as a model of its own: its roles by their names in the part.
struct part_model {
    struct ga_model model;
    struct ga_weight_role roles[MAX_PART_ROLES];
    struct ga_weight_view views[MAX_PART_ROLES];
};

static void part_add(struct part_model *part, const struct ga_weight_role *role, const struct ga_weight_view *view,
                     size_t prefix)
{
    if (part->model.n_roles < MAX_PART_ROLES) {
        part->views[part->model.n_roles] = *view;
        part->roles[part->model.n_roles] = *role;
        part->roles[part->model.n_roles++].name += prefix;
    }
}

static void part_make(struct part_model *part, const struct ga_model *model, const struct ga_weight_view *roles,
                      const char *prefix)
{
    const size_t length = strlen(prefix);
    part->model = *model;
    part->model.roles = part->roles;
    part->model.n_roles = 0;
    for (size_t r = 0; r < model->n_roles; r++) {
        if (strncmp(model->roles[r].name, prefix, length) == 0) {
            part_add(part, &model->roles[r], &roles[r], length);
        }
    }
}

// What a layer's attention has of its kind.
static void take_kind(struct ga_model *layer, const struct ga_model *kind)
{
    layer->spec = kind->spec;
    layer->causal = kind->causal;
    layer->scale = kind->scale;
    layer->window = kind->window;
    layer->window_both = kind->window_both;
    layer->softcap = kind->softcap;
    layer->alibi = kind->alibi;
    layer->rope = kind->rope;
}

// One layer of a stack, or its attention to the memory, as a layer. Weights of score modifiers outside the layers are
// those of each layer's own attention.
static void layer_make(struct part_model *layer, const struct ga_model *model, const struct ga_weight_view *roles,
                       size_t index, const char *part)
{
    char prefix[48];
    snprintf(prefix, sizeof prefix, "layers.%zu.%s", index, part);
    part_make(layer, model, roles, prefix);
    for (size_t r = 0; r < model->n_roles && part[0] == '\0'; r++) {
        if (reference_idle_weight(model->roles[r].name)) {
            part_add(layer, &model->roles[r], &roles[r], 0);
        }
    }
    layer->model.kind = GA_MHA;
    layer->model.stack = NULL;
    if (model->layer_kinds) {
        take_kind(&layer->model, &model->layer_kinds[model->kind_of_layer[index]]);
    }
}

// The sides of a transformer.
static void encoder_make(struct part_model *side, const struct ga_model *model, const struct ga_weight_view *roles)
{
    part_make(side, model, roles, "encoder.");
    side->model.kind = GA_ENCODER;
    side->model.stack = model->encoder;
    side->model.causal = GA_CAUSAL_NONE;
    side->model.cache_dtype = GA_F32; // it has no cache
}

static void decoder_make(struct part_model *side, const struct ga_model *model, const struct ga_weight_view *roles)
{
    part_make(side, model, roles, "decoder.");
    side->model.kind = GA_DECODER;
}

// A decoder layer's attention to its memory, which has no places and no order.
static void memory_make(struct part_model *layer, const struct ga_model *model, const struct ga_weight_view *roles,
                        size_t index)
{
    layer_make(layer, model, roles, index, "memory_");
    layer->model.causal = GA_CAUSAL_NONE;
    layer->model.window = 0;
    layer->model.spec = ""; // score modifiers are of the layer's own attention
    layer->model.alibi = false;
    layer->model.rope.positions = layer->model.rope.rotary_dim = 0;
    layer->model.qk_norm.kind = GA_NORM_NONE;
}

// The call of a layer's own attention, and how many rows a sequence of either kind holds at most.
static struct ga_io self_call(const struct ga_io *io)
{
    struct ga_io own = *io;
    own.key = own.value = NULL;
    own.key_tokens = NULL;
    own.kv_lengths = NULL;
    return own;
}

// The call of its attention to a memory, which has a mask of its own.
static struct ga_io memory_call(const struct ga_io *io)
{
    struct ga_io over = *io;
    over.mask = io->memory_mask;
    over.additive_mask = io->memory_additive_mask;
    memcpy(over.mask_strides, io->memory_mask_strides, sizeof over.mask_strides);
    return over;
}

// A transformer's source as a call of its encoder.
static struct ga_io source_call(const struct ga_io *io)
{
    struct ga_io source = {.batch = io->batch,
                           .q_len = io->kv_len,
                           .query = io->key,
                           .tokens = io->key_tokens,
                           .q_lengths = io->kv_lengths,
                           .mask = io->src_mask,
                           .additive_mask = io->src_additive_mask};
    memcpy(source.mask_strides, io->src_mask_strides, sizeof source.mask_strides);
    return source;
}

static size_t most_rows(const struct ga_io *io)
{
    const size_t kv_len = reference_kv_len(io);
    return kv_len > io->q_len ? kv_len : io->q_len;
}

#define REAL double
#define MATH(name) name
#define IN_REAL(name) name##_f64
#include "reference_linear.h"

#include "score_modifiers.h"

#include "reference_attention.h"
#include "reference_layer.h"

#include "reference_stack.h"

#include "reference_outputs.h"

void reference_idle_scores(const struct ga_model *model, const struct ga_io *io, size_t b, size_t h, size_t i,
                           double *scores)
{
    static const float zero = 0;
    struct ga_weight_view idle[MAX_PART_ROLES];
    for (size_t r = 0; r < model->n_roles && r < MAX_PART_ROLES; r++) {
        const float *weight = reference_idle_weight(model->roles[r].name);
        idle[r] = (struct ga_weight_view){.data = weight ? weight : &zero};
    }
    const struct reference_row row = {model, idle, io, b, h, i, NULL, NULL, 0};
    const size_t kv_rows = reference_kv_used(model, io, b);
    modify_scores_f64(&row, kv_rows, kv_rows + model->extra_keys, scores);
}
#undef REAL
#undef MATH
#undef IN_REAL

#define REAL float
#define MATH(name) name##f
#define IN_REAL(name) name##_f32
#include "reference_linear.h"

#include "score_modifiers.h"

#include "reference_attention.h"
#include "reference_layer.h"

#include "reference_stack.h"

#include "reference_outputs.h"
