// info_json.c: what `info` tells, as JSON.
// Says the same as the text and no more.
#include <inttypes.h>
#include <stdio.h>

#include "cost.h"
#include "info.h"
#include "isas.h"
#include "json_file.h"
#include "model_call.h"
#include "tensor.h"
#include "text_library.h"

static json_t *range_json(struct ga_range range)
{
    return json_pack("{s:o, s:o}", "min", ga_json_size(range.min), "max", ga_json_size(range.max));
}

static json_t *inputs_json(const struct ga_model *model)
{
    const char *names[GA_INPUTS];
    size_t count = ga_input_names(model, names);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, json_string(names[i]));
    }
    return array;
}

static json_t *outputs_json(const struct ga_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < GA_OUTPUTS; i++) {
        char name[GA_OUTPUT_NAME];
        if (ga_has_output(model, (enum ga_output)i)) {
            json_array_append_new(array, json_string(ga_output_name((enum ga_output)i, name)));
        }
    }
    return array;
}

static json_t *sentences_json(const struct ga_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->n_sentences; i++) {
        json_array_append_new(array, json_string(model->sentences[i]));
    }
    return array;
}

static json_t *variants_json(const struct ga_model *model)
{
    const struct ga_variant *picked = NULL;
    if (ga_model_variant(model, NULL, &picked, NULL) != GA_OK) {
        picked = NULL;
    }
    json_t *array = json_array();
    for (size_t i = 0; i < model->n_variants; i++) {
        const struct ga_variant *variant = &model->variants[i];
        char needed[GA_PRINTABLE];
        json_array_append_new(array, json_pack("{s:s, s:s, s:b, s:b, s:b, s:o}", "isa", variant->isa, "needs",
                                               ga_cpu_text(variant->cpu, needed), "runs_here", ga_runs_here(variant),
                                               "picked", variant == picked, "emulates", variant->emulates,
                                               "packed_bytes", ga_json_size(variant->packed_bytes)));
    }
    return array;
}

static json_t *unused_json(const struct ga_model *model)
{
    struct ga_unused unused[GA_MAX_ISAS];
    const size_t count = ga_isas_unused_here(model, unused);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, json_pack("{s:s, s:s}", "isa", unused[i].isa, "why", unused[i].why));
    }
    return array;
}

static json_t *kernels_json(const struct ga_variant *variant)
{
    json_t *array = json_array();
    for (size_t i = 0; i < variant->n_kernels; i++) {
        const struct ga_kernel_info *kernel = &variant->kernels[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s}", "name", kernel->name, "what", kernel->what,
                                               "tile", kernel->tile, "why", kernel->why));
    }
    return array;
}

static json_t *call_json(const struct ga_info *info)
{
    json_t *scratch = info->scratch == SIZE_MAX ? json_null() : ga_json_size(info->scratch);
    json_t *of_batch = info->batch_scratch == SIZE_MAX ? json_null() : ga_json_size(info->batch_scratch);
    return json_pack("{s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:o, s:o}", "batch", ga_json_size(info->batch), "seq_len",
                     ga_json_size(info->q_len), "kv_seq_len", ga_json_size(info->kv_len), "flops", info->flops,
                     "flops_of_logits", info->logits_flops, "flops_of_class_logits", info->class_flops, "bytes",
                     info->bytes, "scratch_bytes", scratch, "batch_scratch_bytes", of_batch);
}

static json_t *roles_json(const struct ga_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->n_roles; i++) {
        const struct ga_weight_role *role = &model->roles[i];
        json_array_append_new(
            array, json_pack("{s:s, s:o}", "role", role->name, "shape", ga_json_shape(role->rank, role->shape)));
    }
    return array;
}

static json_t *sources_json(const struct ga_model *model, const struct ga_weight_map *map)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->n_roles; i++) {
        const struct ga_weight_source *source = &map->sources[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:o, s:o, s:b, s:b}", "role", model->roles[source->role].name,
                                        "tensor", source->tensor, "shape", ga_json_shape(source->rank, source->shape),
                                        "first", ga_json_size(source->first), "transposed", source->transposed,
                                        "by_head", source->by_head > 0));
    }
    return array;
}

static json_t *layouts_json(const struct ga_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->n_maps; i++) {
        json_array_append_new(array, json_pack("{s:s, s:o}", "layout", model->maps[i].name, "sources",
                                               sources_json(model, &model->maps[i])));
    }
    return array;
}

static const char *const kinds[] = {[GA_MHA] = "mha",
                                    [GA_SDPA] = "sdpa",
                                    [GA_ENCODER] = "encoder",
                                    [GA_DECODER] = "decoder",
                                    [GA_TRANSFORMER] = "transformer"};

static json_t *shape_json(const struct ga_model *model)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "d_model",
                     ga_json_size(model->d_model), "n_heads", ga_json_size(model->n_heads), "n_kv_heads",
                     ga_json_size(model->n_kv_heads), "d_head", ga_json_size(model->d_head), "batch",
                     model->batch ? ga_json_size(model->batch) : json_null(), "seq_len", range_json(model->q_len),
                     "kv_seq_len", range_json(model->kv_len), "vocab_size", ga_json_size(model->vocab_size), "k_dim",
                     ga_json_size(model->k_dim), "v_dim", ga_json_size(model->v_dim), "d_out",
                     ga_json_size(model->d_out), "kind", kinds[model->kind], "d_v", ga_json_size(model->d_v));
}

// What a cache keeps and how many bytes a row takes; null where the model takes none.
static json_t *cache_json(const struct ga_model *model)
{
    return model->cache
               ? json_pack("{s:o, s:s, s:o}", "keys", ga_json_size(model->cache), "dtype",
                           ga_dtype_name(model->cache_dtype), "row_bytes", ga_json_size(ga_cost_cache_row_bytes(model)))
               : json_null();
}

// What rows of the embedding are kept as and how many bytes one takes; null without a table of their own.
static json_t *token_rows_json(const struct ga_model *model)
{
    return ga_cost_has_token_table(model) ? json_pack("{s:s, s:o}", "dtype", ga_dtype_name(model->embedding_dtype),
                                                      "row_bytes", ga_json_size(ga_cost_token_row_bytes(model)))
                                          : json_null();
}

// The hash of the tokenizer that the model was made for; null where none is recorded, or the program has no text.
static json_t *tokenizer_json(const struct ga_model *model)
{
    uint64_t hash;
    if (!ga_text_library.recorded_hash || !ga_text_library.recorded_hash(model->spec, &hash)) {
        return json_null();
    }
    char digits[17];
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    return json_string(digits);
}

enum ga_exit ga_info_json(const struct ga_context *context, const struct ga_info *info)
{
    const struct ga_model *model = context->model;
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "model", model->name, "spec", model->spec, "shape",
                  shape_json(model), "stack", ga_info_stack_json(model), "inputs", inputs_json(model), "outputs",
                  outputs_json(model), "features", sentences_json(model), "variants", variants_json(model));
    json_t *rest =
        json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:o}", "bits_revision",
                  (int)model->bits_revision, "isa", info->shown->isa, "kernels", kernels_json(info->shown), "call",
                  call_json(info), "weights", roles_json(model), "layouts", layouts_json(model), "default_layout",
                  model->default_map, "not_taken", unused_json(model), "tokenizer", tokenizer_json(model), "cache",
                  cache_json(model), "embedding", token_rows_json(model), "machine", ga_info_machine_json(info->ranks));
    if (!root || !rest || json_object_update(root, rest) != 0) {
        json_decref(root);
        root = NULL;
    }
    json_decref(rest);
    return ga_json_print(context, root);
}
