// model.c: the checks every call passes before a generated kernel runs, and the block that holds packed weights. Knows
// no kernel and no file, allocates nothing, keeps nothing.
#include "model.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "cache.h"
#include "call.h"
#include "cpu.h"
#include "pack_weights.h"
#include "stored_floats.h"

// The first of n pointers that is NULL, by name; NULL where none is.
static const char *first_null(const void *const *pointers, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (pointers[i] == NULL) {
            return names[i];
        }
    }
    return NULL;
}

static enum ga_status fail_null(struct ga_error *error, const char *call, const char *name)
{
    return ga_fail(error, GA_ARGUMENT, "%s: %s is NULL", call, name);
}

// Appends word to text[size] after a comma, cut to fit.
static void list_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", word);
}

// The linker copies a model, but never what it points to.
bool ga_model_same(const struct ga_model *a, const struct ga_model *b)
{
    return a != NULL && b != NULL && a->variants == b->variants;
}

// -- Variants -------------------------------------------------------------------------------------------------------

enum { LIST_TEXT = 160 };

static const char *variant_names(const struct ga_model *model, char *text)
{
    text[0] = '\0';
    for (size_t i = 0; i < model->n_variants; i++) {
        list_word(text, LIST_TEXT, model->variants[i].isa);
    }
    return text;
}

// The features in a set, in words.
static const char *feature_names(uint32_t set, char *text)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } features[] = {
#define GA_CPU_ROW(name, word, ...) {GA_CPU_##name, word},
        GA_CPU_LIST(GA_CPU_ROW)
#undef GA_CPU_ROW
    };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if ((set & features[i].bit) != 0) {
            list_word(text, LIST_TEXT, features[i].name);
        }
    }
    return text;
}

static enum ga_status check_cpu(const struct ga_model *model, const struct ga_variant *variant, struct ga_error *error)
{
    const struct ga_cpu_found found = ga_cpu_find(variant->cpu);
    const uint32_t lacking = variant->cpu & ~found.usable & ~found.disabled;
    char text[LIST_TEXT];
    if (found.usable == variant->cpu) {
        return GA_OK;
    }
    if (lacking == 0) {
        const bool is_amx = (found.disabled & (GA_CPU_AMX_TILE | GA_CPU_AMX_INT8)) == found.disabled;
        return ga_fail(error, GA_CPU, "%s: isa '%s' needs %s, which this CPU has, but %s", model->name, variant->isa,
                       feature_names(found.disabled, text),
                       is_amx ? "this process may not use; call ga_cpu_allow_amx() first, or allow_amx() of a binding"
                              : "the operating system has not enabled (XCR0)");
    }
    return ga_fail(error, GA_CPU, "%s: isa '%s' needs %s, which this CPU lacks", model->name, variant->isa,
                   feature_names(lacking, text));
}

// The first variant that a CPU with these features runs, and as fast as any; NULL where none is.
static const struct ga_variant *first_variant(const struct ga_model *model, uint32_t usable, bool is_fast)
{
    for (size_t i = 0; i < model->n_variants; i++) {
        const struct ga_variant *variant = &model->variants[i];
        if (((variant->cpu | (is_fast ? variant->prefers : 0)) & ~usable) == 0) {
            return variant;
        }
    }
    return NULL;
}

static enum ga_status best_variant(const struct ga_model *model, const struct ga_variant **variant_out,
                                   struct ga_error *error)
{
    uint32_t asked = 0, usable; // of all at once: asking takes time
    for (size_t i = 0; i < model->n_variants; i++) {
        asked |= model->variants[i].cpu | model->variants[i].prefers;
    }
    usable = ga_cpu_find(asked).usable;
    const struct ga_variant *fast = first_variant(model, usable, true);
    *variant_out = fast ? fast : first_variant(model, usable, false);
    if (*variant_out) {
        return GA_OK;
    }
    char text[LIST_TEXT];
    return ga_fail(error, GA_CPU, "%s: this CPU runs none of the build's isas (%s); build with isa scalar too",
                   model->name, variant_names(model, text));
}

enum ga_status ga_model_variant(const struct ga_model *model, const char *isa, const struct ga_variant **variant_out,
                                struct ga_error *error)
{
    if (model == NULL || variant_out == NULL) {
        return fail_null(error, "ga_model_variant", model == NULL ? "model" : "variant_out");
    }
    *variant_out = NULL;
    enum ga_status status = ga_call_abi(model, error);
    if (status != GA_OK || isa == NULL) {
        return status != GA_OK ? status : best_variant(model, variant_out, error);
    }
    for (size_t i = 0; i < model->n_variants; i++) {
        if (strcmp(model->variants[i].isa, isa) == 0) {
            status = check_cpu(model, &model->variants[i], error);
            *variant_out = status == GA_OK ? &model->variants[i] : NULL;
            return status;
        }
    }
    char text[LIST_TEXT];
    return ga_fail(error, GA_UNSUPPORTED, "%s: isa '%s' is not in this build; it has %s", model->name, isa,
                   variant_names(model, text));
}

// -- Packing --------------------------------------------------------------------------------------------------------

size_t ga_model_packed_size(const struct ga_variant *variant)
{
    if (variant == NULL) {
        return SIZE_MAX;
    }
    return variant->packed_bytes > SIZE_MAX - GA_LOADED_BYTES ? SIZE_MAX : GA_LOADED_BYTES + variant->packed_bytes;
}

// Bytes from the first element of a role's view to just after its last, of blocks those that the elements are in; false
// where that is more than memory. bytes: of a block.
static bool view_bytes(const struct ga_weight_role *role, const struct ga_weight_view *view, size_t elements,
                       size_t bytes, size_t *bytes_out)
{
    const size_t strides[GA_ROLE_MAX_RANK] = {view->row_stride, view->col_stride};
    const size_t most = PTRDIFF_MAX / bytes;
    size_t last = 0;
    for (size_t axis = 0; axis < role->rank; axis++) {
        const size_t steps = role->shape[axis] - 1;
        if (steps > 0 && strides[axis] > (most - 1 - last) / steps) {
            return false;
        }
        last += steps * strides[axis];
    }
    *bytes_out = (last / elements + 1) * bytes;
    return true;
}

// The elements that a view has, of which the type is known, in a block of so many elements.
static enum ga_status check_elements(const struct ga_model *model, const struct ga_weight_role *role,
                                     const struct ga_weight_view *view, struct ga_span *span_out,
                                     struct ga_error *error)
{
    const enum ga_dtype dtype = view->data != NULL ? GA_F32 : view->dtype;
    size_t bytes = 0;
    const size_t elements = ga_dtype_block(dtype, &bytes);
    if (ga_float_reader_of(dtype) == NULL) {
        return ga_fail(error, GA_DTYPE, "%s: weight %s is of type %s; expected F64, F32, F16, BF16 or blocks of them",
                       model->name, role->name, ga_dtype_name(dtype));
    }
    *span_out = view->data != NULL ? (struct ga_span){role->name, view->data, 0, sizeof *view->data}
                                   : (struct ga_span){role->name, view->stored, 0, 1};
    if (!ga_is_aligned(span_out->start, span_out->alignment)) {
        return ga_fail(error, GA_ALIGNMENT, "%s: weight %s is not aligned to %zu bytes", model->name, role->name,
                       sizeof *view->data);
    }
    return view_bytes(role, view, elements, bytes, &span_out->bytes)
               ? GA_OK
               : ga_fail(error, GA_OVERFLOW, "%s: the strides of weight %s reach beyond memory", model->name,
                         role->name);
}

// block: where the weights are to be packed, which holds none of them yet.
static enum ga_status check_role(const struct ga_model *model, const struct ga_weight_role *role,
                                 const struct ga_weight_view *view, const struct ga_span *block, struct ga_error *error)
{
    struct ga_span span;
    if (view->data == NULL && view->stored == NULL) {
        return ga_fail(error, GA_ARGUMENT, "%s: weight %s has no data", model->name, role->name);
    }
    const enum ga_status status = check_elements(model, role, view, &span, error);
    return status == GA_OK && ga_spans_overlap(&span, block)
               ? ga_fail(error, GA_ARGUMENT, "%s: %s overlaps weight %s; expected memory of its own", model->name,
                         block->name, role->name)
               : status;
}

static enum ga_status check_roles(const struct ga_model *model, const struct ga_weight_view *roles,
                                  const struct ga_span *block, struct ga_error *error)
{
    const struct ga_span spans[] = {*block,
                                    {"roles", roles, model->n_roles * sizeof *roles, _Alignof(struct ga_weight_view)}};
    enum ga_status status = ga_call_spans(model->name, spans, 2, 1, error);
    for (size_t i = 0; i < model->n_roles && status == GA_OK; i++) {
        status = check_role(model, &model->roles[i], &roles[i], block, error);
    }
    return status;
}

enum ga_status ga_call_variant(const struct ga_model *model, const struct ga_variant *variant, struct ga_error *error)
{
    const enum ga_status status = ga_call_abi(model, error);
    if (status == GA_OK && !ga_call_has_variant(model, variant)) {
        return ga_fail(error, GA_ARGUMENT, "%s: the variant is another model's", model->name);
    }
    return status == GA_OK ? check_cpu(model, variant, error) : status;
}

enum ga_status ga_call_packed(const struct ga_model *model, const struct ga_variant *variant, const void *block,
                              size_t size, struct ga_error *error)
{
    const enum ga_status status = ga_call_variant(model, variant, error);
    return status == GA_OK
               ? ga_call_block(model, "the block for packed weights", block, size, ga_model_packed_size(variant), error)
               : status;
}

enum ga_status ga_model_pack(const struct ga_model *model, const struct ga_variant *variant,
                             const struct ga_weight_view *roles, void *block, size_t size,
                             const struct ga_loaded **loaded_out, struct ga_error *error)
{
    static const char *const names[] = {"model", "variant", "roles", "block", "loaded_out"};
    const bool has_roles = model == NULL || model->n_roles > 0;
    const void *const pointers[] = {model, variant, has_roles ? (const void *)roles : block, block, loaded_out};
    const char *null = first_null(pointers, names, sizeof names / sizeof *names);
    if (null != NULL) {
        return fail_null(error, "ga_model_pack", null);
    }
    *loaded_out = NULL;
    enum ga_status status = ga_call_packed(model, variant, block, size, error);
    const struct ga_span span = {"the block for packed weights", block, ga_model_packed_size(variant), GA_ALIGN};
    if (status == GA_OK) {
        status = check_roles(model, roles, &span, error);
    }
    if (status != GA_OK) {
        return status;
    }
    struct ga_loaded *loaded = block;
    void *packed = (unsigned char *)block + GA_LOADED_BYTES;
    *loaded = (struct ga_loaded){.model = model, .variant = variant, .packed = packed};
    memset(packed, 0, variant->packed_bytes); // what pads panels and parts
    ga_pack_weights(variant->parts, variant->n_parts, roles, packed);
    *loaded_out = loaded;
    return GA_OK;
}

// -- Running --------------------------------------------------------------------------------------------------------

// Cuts the scratch of one call: what the variant's code needs comes first, then room for the call's numbers.
static void cut_scratch(const struct ga_model *model, const struct ga_variant *variant, const struct ga_io *sizes,
                        size_t threads, struct ga_arena *arena, struct ga_call_ids *ids_out)
{
    ga_arena_take(arena, variant->scratch_bytes(sizes->batch, sizes->q_len, sizes->kv_len, threads), 1);
    ga_call_ids_take(model, sizes->batch, sizes->q_len, sizes->kv_len, arena, ids_out);
}

static size_t measure_scratch(const struct ga_model *model, const struct ga_variant *variant, const struct ga_io *sizes,
                              size_t threads)
{
    struct ga_arena arena = ga_arena_measuring();
    struct ga_call_ids ids;
    cut_scratch(model, variant, sizes, threads, &arena, &ids);
    return arena.used;
}

size_t ga_model_scratch_size(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t q_len,
                             size_t kv_len, size_t threads)
{
    const size_t keys = kv_len == 0 ? q_len : kv_len;
    const bool good = ga_call_has_variant(model, variant) && threads >= 1 && threads <= GA_MAX_THREADS &&
                      ga_call_sizes(model, batch, q_len, keys, NULL) == GA_OK;
    const struct ga_io sizes = {.batch = batch, .q_len = q_len, .kv_len = keys};
    return good ? measure_scratch(model, variant, &sizes, threads) : SIZE_MAX;
}

// What the call holds, and the cache with it. The call points to copies of it afterwards.
static enum ga_status check_contents(const struct ga_loaded *loaded, struct ga_io *call, struct ga_call_copies *copies,
                                     void *scratch, size_t scratch_bytes, struct ga_error *error)
{
    struct ga_arena arena = ga_arena_over(scratch, scratch_bytes);
    struct ga_call_ids ids;
    const size_t threads = call->parallel == NULL ? 1 : copies->parallel.threads;
    cut_scratch(loaded->model, loaded->variant, call, threads, &arena, &ids);
    enum ga_status status = ga_call_contents(loaded->model, call, copies, &ids, error);
    if (status == GA_OK) {
        status = ga_cache_check_room(call, error);
    }
    return status == GA_OK ? ga_cache_check_memory(call, error) : status;
}

static enum ga_status check_call(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch,
                                 size_t scratch_size, struct ga_io *call_out, struct ga_call_copies *copies,
                                 struct ga_error *error)
{
    const struct ga_model *model = loaded->model;
    enum ga_status status = ga_call_complete(model, io, call_out, copies, error);
    if (status != GA_OK) {
        return status;
    }
    const size_t threads = call_out->parallel == NULL ? 1 : copies->parallel.threads;
    const size_t needed = measure_scratch(model, loaded->variant, call_out, threads);
    status = ga_call_block(model, "scratch", scratch, scratch_size, needed, error);
    if (status == GA_OK) {
        status = ga_cache_check(loaded, call_out, error);
    }
    if (status == GA_OK) {
        status = ga_call_aliasing(loaded, io, call_out, scratch, needed, error);
    }
    if (status == GA_OK) {
        status = check_contents(loaded, call_out, copies, scratch, needed, error);
    }
    if (status == GA_OK) {
        ga_cache_places(call_out, io->key == NULL || model->stack != NULL);
    }
    return status;
}

static enum ga_status check_io(const struct ga_io *io, struct ga_error *error)
{
    if (io == NULL) {
        return fail_null(error, "ga_model_run", "io");
    }
    return ga_is_aligned(io, _Alignof(struct ga_io))
               ? GA_OK
               : ga_fail(error, GA_ALIGNMENT, "ga_model_run: io is not aligned as a struct ga_io must be");
}

enum ga_status ga_model_run(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch, size_t scratch_size,
                            struct ga_error *error)
{
    struct ga_io call;
    struct ga_call_copies copies;
    enum ga_status status = ga_call_loaded("ga_model_run", loaded, error);
    if (status == GA_OK) {
        status = check_io(io, error);
    }
    if (status == GA_OK) {
        status = check_call(loaded, io, scratch, scratch_size, &call, &copies, error);
    }
    if (status == GA_OK) {
        ga_cache_join_memory(&call);
        loaded->variant->run(loaded->packed, &call, scratch);
    }
    if (status == GA_OK && copies.gathering.failed) {
        status = ga_fail(error, GA_RANK, "%s: a gather of rank %zu of %zu failed", loaded->model->name,
                         call.ranks->rank, call.ranks->size);
    }
    if (status == GA_OK) {
        ga_cache_hold_memory(&call);
        ga_cache_advance(call.cache, &call);
    }
    return status;
}
