// call_aliasing.c: where the pointers of one call point: aligned, and apart from what is written. Looks at no content.
#include <stdint.h>
#include <string.h>

#include "cache.h"
#include "call.h"
#include "watch.h"

enum { ELEMENT_BYTES = 4 }; // every element of struct ga_io, float or int32_t, but mask's
_Static_assert(sizeof(float) == ELEMENT_BYTES && sizeof(int32_t) == ELEMENT_BYTES, "one width for all spans");

// Four bytes an element.
static struct ga_span elements(const char *name, const void *start, size_t count)
{
    return (struct ga_span){name, start, count * ELEMENT_BYTES, ELEMENT_BYTES};
}

enum { N_GIVEN = 8, N_OUTPUTS = N_GIVEN + GA_INTERMEDIATES };

static void output_spans(const struct ga_model *model, const struct ga_io *call, struct ga_span spans[N_OUTPUTS])
{
    const size_t rows = call->batch * call->q_len, keys = call->kv_len + model->extra_keys;
    const size_t n_logits = model->stack == NULL ? 0 : model->stack->n_logits;
    const size_t n_labels = model->stack == NULL ? 0 : model->stack->n_labels;
    const size_t d_embedding = model->stack == NULL ? 0 : model->stack->d_embedding;
    const struct ga_span given[] = {
        elements("output", call->output, rows * model->d_out),
        elements("attention", call->attention, rows * model->n_heads * keys),
        elements("attention_mean", call->attention_mean, rows * keys),
        elements("embedding", call->embedding, call->batch * d_embedding),
        elements("logits", call->logits, rows * n_logits),
        elements("last_logits", call->last_logits, call->batch * n_logits),
        elements("class_logits", call->class_logits, call->batch * n_labels),
        elements("memory", call->memory, call->batch * call->kv_len * model->d_model),
    };
    _Static_assert(sizeof given / sizeof *given == N_GIVEN, "all of them");
    memcpy(spans, given, sizeof given);
    for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
        const enum ga_intermediate which = (enum ga_intermediate)i;
        size_t shape[4];
        size_t count = 1;
        const size_t rank = ga_intermediate_shape(model, which, call->batch, call->q_len, call->kv_len, shape);
        for (size_t axis = 0; axis < rank; axis++) {
            count *= shape[axis];
        }
        spans[N_GIVEN + i] = elements(ga_intermediate_name(which), call->intermediates[i], count);
    }
}

// Outputs, scratch and cache, which are written, then what is read. A new field of struct ga_io is a row here, or in
// the table above where it is written.
enum { N_WRITTEN = N_OUTPUTS + 2, N_READ = 28, N_SPANS = N_WRITTEN + N_READ };

// A list of so many pointers, or none.
static struct ga_span pointers(const char *name, float *const *list, size_t count)
{
    return (struct ga_span){name, list, list == NULL ? 0 : count * sizeof *list, _Alignof(float *)};
}

// Rows of what is read, of a call whose masks reach so far.
static void input_spans(const struct ga_loaded *loaded, const struct ga_io *io, const struct ga_io *call,
                        const size_t mask_extents[GA_CALL_MASKS], struct ga_span spans[N_READ])
{
    const struct ga_model *model = loaded->model;
    const size_t batch = call->batch, rows = batch * call->q_len, key_rows = batch * call->kv_len;
    const size_t layers = model->stack == NULL ? 0 : model->stack->n_layers;
    const size_t source_layers = model->encoder == NULL ? 0 : model->encoder->n_layers;
    const struct ga_span read[] = {
        elements("query", call->query, rows * model->d_model),
        elements("sublayer", call->sublayer, rows * model->d_model),
        elements("tokens", call->tokens, rows),
        elements("token_types", call->token_types, rows),
        elements("key_tokens", call->key_tokens, key_rows),
        elements("key", call->key, key_rows * model->k_dim),
        elements("value", call->value, key_rows * model->v_dim),
        elements("q_lengths", call->q_lengths, batch),
        elements("kv_lengths", call->kv_lengths, batch),
        elements("position", call->position, batch),
        elements("kv_position", call->kv_position, batch),
        elements("additive_mask", call->additive_mask, mask_extents[0]),
        elements("src_additive_mask", call->src_additive_mask, mask_extents[1]),
        elements("memory_additive_mask", call->memory_additive_mask, mask_extents[2]),
        {"mask", call->mask, mask_extents[0], 1},
        {"src_mask", call->src_mask, mask_extents[1], 1},
        {"memory_mask", call->memory_mask, mask_extents[2], 1},
        {"the packed weights", loaded->packed, loaded->variant->packed_bytes, GA_ALIGN},
        {"the handle of the packed weights", loaded, sizeof *loaded, _Alignof(struct ga_loaded)},
        {"io", io, sizeof *io, _Alignof(struct ga_io)},
        {"parallel", call->parallel, sizeof *call->parallel, _Alignof(struct ga_parallel)},
        {"arithmetic", call->arithmetic, GA_LINEARS * sizeof *call->arithmetic, _Alignof(enum ga_arithmetic)},
        {"watch", call->watch, sizeof *call->watch, _Alignof(struct ga_watch)},
        {"ranks", call->ranks, sizeof *call->ranks, _Alignof(struct ga_ranks)},
        pointers("the list hidden", call->hidden, layers + 1),
        pointers("the list layer_attention", call->layer_attention, layers),
        pointers("the list layer_cross_attention", call->layer_cross_attention, layers),
        pointers("the list src_layer_attention", call->src_layer_attention, source_layers),
    };
    _Static_assert(sizeof read / sizeof *read == N_READ, "all of them");
    memcpy(spans, read, sizeof read);
}

// What a stack gives layer by layer: a list of pointers, each NULL or memory of the caller's.
struct list {
    const char *name;
    float *const *pointers; // NULL: absent
    size_t length, count;   // elements that each points to
};

enum { N_LISTS = 4 };

static void find_lists(const struct ga_model *model, const struct ga_io *call, struct list lists[N_LISTS])
{
    const size_t rows = call->batch * call->q_len, layers = model->stack == NULL ? 0 : model->stack->n_layers;
    const size_t source_layers = model->encoder == NULL ? 0 : model->encoder->n_layers;
    const size_t weights = rows * model->n_heads, source_weights = call->batch * call->kv_len * model->n_heads;
    lists[0] = (struct list){"hidden", call->hidden, layers + 1, rows * model->d_model};
    lists[1] = (struct list){"layer_attention", call->layer_attention, layers, weights * call->q_len};
    lists[2] = (struct list){"layer_cross_attention", call->layer_cross_attention, layers, weights * call->kv_len};
    lists[3] =
        (struct list){"src_layer_attention", call->src_layer_attention, source_layers, source_weights * call->kv_len};
}

// Whether entry i of a list overlaps none of the entries before it.
static bool is_disjoint_in(const struct ga_span *entry, const struct list *list, size_t i)
{
    bool disjoint = true;
    for (size_t j = 0; list->pointers != NULL && j < i; j++) {
        const struct ga_span earlier = elements(list->name, list->pointers[j], list->count);
        disjoint = disjoint && !ga_spans_overlap(entry, &earlier);
    }
    return disjoint;
}

// As other outputs, and apart from each other: entry i of list l.
static enum ga_status check_entry(const struct ga_model *model, const struct list lists[N_LISTS], size_t l, size_t i,
                                  const struct ga_span spans[N_SPANS], struct ga_error *error)
{
    const struct list *list = &lists[l];
    const struct ga_span entry = elements(list->name, list->pointers[i], list->count);
    if (!ga_is_aligned(entry.start, ELEMENT_BYTES)) {
        return ga_fail(error, GA_ALIGNMENT, "%s: %s[%zu] is not aligned to its elements of %d bytes", model->name,
                       list->name, i, ELEMENT_BYTES);
    }
    bool disjoint = is_disjoint_in(&entry, list, i);
    for (size_t j = 0; j < N_SPANS; j++) {
        disjoint = disjoint && !ga_spans_overlap(&entry, &spans[j]);
    }
    for (size_t j = 0; j < l; j++) {
        disjoint = disjoint && is_disjoint_in(&entry, &lists[j], lists[j].length);
    }
    return disjoint ? GA_OK
                    : ga_fail(error, GA_ARGUMENT, "%s: %s[%zu] overlaps another tensor; expected memory of its own",
                              model->name, list->name, i);
}

static enum ga_status check_lists(const struct ga_model *model, const struct ga_io *call,
                                  const struct ga_span spans[N_SPANS], struct ga_error *error)
{
    struct list lists[N_LISTS];
    enum ga_status status = GA_OK;
    find_lists(model, call, lists);
    for (size_t l = 0; l < N_LISTS; l++) {
        for (size_t i = 0; lists[l].pointers != NULL && status == GA_OK && i < lists[l].length; i++) {
            status = check_entry(model, lists, l, i, spans, error);
        }
    }
    return status;
}

enum ga_status ga_call_aliasing(const struct ga_loaded *loaded, const struct ga_io *io, const struct ga_io *call,
                                const void *scratch, size_t scratch_bytes, struct ga_error *error)
{
    const struct ga_model *model = loaded->model;
    struct ga_call_mask masks[GA_CALL_MASKS];
    size_t extents[GA_CALL_MASKS];
    ga_call_masks(model, call, masks);
    for (size_t i = 0; i < GA_CALL_MASKS; i++) {
        if (!ga_call_mask_extent(&masks[i], &extents[i])) {
            return ga_fail(error, GA_OVERFLOW, "%s: %s reach beyond memory", model->name, masks[i].strides_name);
        }
    }
    struct ga_span spans[N_SPANS];
    const size_t cache_bytes = call->cache == NULL ? 0 : ga_cache_bytes(call->cache);
    output_spans(model, call, spans);
    spans[N_OUTPUTS] = (struct ga_span){"scratch", scratch, scratch_bytes, GA_ALIGN};
    spans[N_OUTPUTS + 1] = (struct ga_span){"cache", call->cache, cache_bytes, GA_ALIGN};
    input_spans(loaded, io, call, extents, spans + N_WRITTEN);
    const enum ga_status status = ga_call_spans(model->name, spans, N_SPANS, N_WRITTEN, error);
    return status == GA_OK ? check_lists(model, call, spans, error) : status;
}
