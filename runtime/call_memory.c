// call_memory.c: where the pointers of one call point: aligned, and apart from what is written. Looks at no content.
#include <stdint.h>
#include <string.h>

#include "cache.h"
#include "call.h"

struct span {
    const char *name;
    const void *start; // NULL: absent
    size_t bytes;
};

enum { ELEMENT_BYTES = 4 }; // every element of struct ga_io, float or int32_t, but mask's
_Static_assert(sizeof(float) == ELEMENT_BYTES && sizeof(int32_t) == ELEMENT_BYTES, "one width for all spans");

static bool spans_overlap(const struct span *a, const struct span *b)
{
    const uintptr_t a_start = (uintptr_t)a->start;
    const uintptr_t b_start = (uintptr_t)b->start;
    const bool given = a->start != NULL && b->start != NULL;
    return given && a_start < b_start + b->bytes && b_start < a_start + a->bytes;
}

enum { N_GIVEN = 7, N_OUTPUTS = N_GIVEN + GA_INTERMEDIATES };

static void output_spans(const struct ga_model *model, const struct ga_io *call, struct span spans[N_OUTPUTS])
{
    const size_t ids = call->batch * call->q_len * ELEMENT_BYTES;
    spans[0] = (struct span){"output", call->output, ids * model->d_out};
    spans[1] = (struct span){"attention", call->attention, ids * model->n_heads * (call->kv_len + model->extra_keys)};
    spans[2] = (struct span){"attention_mean", call->attention_mean, ids * (call->kv_len + model->extra_keys)};
    const size_t n_logits = model->stack == NULL ? 0 : model->stack->n_logits;
    const size_t sequences = call->batch * ELEMENT_BYTES;
    spans[3] = (struct span){"embedding", call->embedding, sequences * model->d_model};
    spans[4] = (struct span){"logits", call->logits, ids * n_logits};
    spans[5] = (struct span){"last_logits", call->last_logits, sequences * n_logits};
    spans[6] = (struct span){"memory", call->memory, sequences * call->kv_len * model->d_model};
    for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
        const enum ga_intermediate which = (enum ga_intermediate)i;
        size_t shape[4];
        size_t bytes = ELEMENT_BYTES;
        const size_t rank = ga_intermediate_shape(model, which, call->batch, call->q_len, call->kv_len, shape);
        for (size_t axis = 0; axis < rank; axis++) {
            bytes *= shape[axis];
        }
        spans[N_GIVEN + i] = (struct span){ga_intermediate_name(which), call->intermediates[i], bytes};
    }
}

enum { N_BYTES = GA_CALL_MASKS };

// The first n_written of the spans overlap no other; the last N_BYTES need no alignment.
static enum ga_status check_spans(const struct ga_model *model, const struct span *spans, size_t count,
                                  size_t n_written, struct ga_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (i + N_BYTES < count && (uintptr_t)spans[i].start % ELEMENT_BYTES != 0) {
            return ga_fail(error, GA_ALIGNMENT, "%s: %s is not aligned to its elements of %d bytes", model->name,
                           spans[i].name, ELEMENT_BYTES);
        }
        for (size_t j = 0; j < n_written && j < i; j++) {
            if (spans_overlap(&spans[i], &spans[j])) {
                return ga_fail(error, GA_ARGUMENT, "%s: %s overlaps %s; expected memory of its own", model->name,
                               spans[j].name, spans[i].name);
            }
        }
    }
    return GA_OK;
}

// The rows that a stack's layers leave, where they are asked for: as other outputs, and apart from each other.
static enum ga_status check_hidden(const struct ga_model *model, const struct ga_io *call, const struct span *spans,
                                   size_t count, struct ga_error *error)
{
    const size_t bytes = call->batch * call->q_len * model->d_model * ELEMENT_BYTES;
    const size_t n = call->hidden == NULL ? 0 : model->stack->n_layers + 1;
    for (size_t i = 0; i < n; i++) {
        const struct span hidden = {"hidden", call->hidden[i], bytes};
        bool apart = true;
        if ((uintptr_t)hidden.start % ELEMENT_BYTES != 0) {
            return ga_fail(error, GA_ALIGNMENT, "%s: hidden[%zu] is not aligned to its elements of %d bytes",
                           model->name, i, ELEMENT_BYTES);
        }
        for (size_t j = 0; j < count; j++) {
            apart = apart && !spans_overlap(&hidden, &spans[j]);
        }
        for (size_t j = 0; j < i; j++) {
            const struct span earlier = {"hidden", call->hidden[j], bytes};
            apart = apart && !spans_overlap(&hidden, &earlier);
        }
        if (!apart) {
            return ga_fail(error, GA_ARGUMENT, "%s: hidden[%zu] overlaps another tensor; expected memory of its own",
                           model->name, i);
        }
    }
    return GA_OK;
}

enum ga_status ga_call_memory(const struct ga_model *model, const struct ga_io *call, const void *scratch,
                              size_t scratch_bytes, struct ga_error *error)
{
    const size_t lengths = call->batch * ELEMENT_BYTES;
    const size_t ids = lengths * call->q_len;
    const size_t key_rows = lengths * call->kv_len;
    struct ga_call_mask masks[GA_CALL_MASKS];
    size_t extents[GA_CALL_MASKS];
    ga_call_masks(model, call, masks);
    for (size_t i = 0; i < GA_CALL_MASKS; i++) {
        if (!ga_call_mask_extent(&masks[i], &extents[i])) {
            return ga_fail(error, GA_OVERFLOW, "%s: %s reach beyond memory", model->name, masks[i].strides_name);
        }
    }
    const struct span others[] = {
        {"scratch", scratch, scratch_bytes},
        {"cache", call->cache, call->cache == NULL ? 0 : ga_cache_bytes(call->cache)},
        {"query", call->query, ids * model->d_model},
        {"tokens", call->tokens, ids},
        {"token_types", call->token_types, ids},
        {"key_tokens", call->key_tokens, key_rows},
        {"key", call->key, key_rows * model->k_dim},
        {"value", call->value, key_rows * model->v_dim},
        {"q_lengths", call->q_lengths, lengths},
        {"kv_lengths", call->kv_lengths, lengths},
        {"position", call->position, lengths},
        {"kv_position", call->kv_position, lengths},
        {"additive_mask", call->additive_mask, extents[0] * ELEMENT_BYTES},
        {"src_additive_mask", call->src_additive_mask, extents[1] * ELEMENT_BYTES},
        {"mask", call->mask, extents[0]}, // the last N_BYTES, of single bytes
        {"src_mask", call->src_mask, extents[1]},
    };
    enum { N_OTHERS = sizeof others / sizeof *others };
    struct span spans[N_OUTPUTS + N_OTHERS];
    output_spans(model, call, spans);
    memcpy(spans + N_OUTPUTS, others, sizeof others);
    const enum ga_status status = check_spans(model, spans, N_OUTPUTS + N_OTHERS, N_OUTPUTS + 2, error);
    return status == GA_OK ? check_hidden(model, call, spans, N_OUTPUTS + N_OTHERS, error) : status;
}
