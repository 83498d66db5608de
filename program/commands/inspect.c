// inspect.c: the command `inspect`: the tensors of a safetensors or GGUF file, or what a file of packed weights holds,
// after the whole file was checked. Looks at names, types and shapes, never at values.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "inspect.h"
#include "json_file.h"
#include "load.h"
#include "weights.h"

enum { JSON };

static const struct ga_option options[] = {
    [JSON] = {"json", NULL, NULL, false, "print JSON"},
    {NULL, NULL, NULL, false, NULL},
};

static const char *const notes[] = {
    "PATH is a safetensors file, an index of shards, a folder with either, as on Hugging Face, or",
    "a GGUF file of llama.cpp.",
    "It checks the header, offsets, types, shapes and sizes before it prints anything.",
    "For a file that pack made it verifies the checksums, then prints the instruction sets and whether this",
    "program accepts the file.",
    NULL,
};

static const char *const examples[] = {
    "inspect w.safetensors", "inspect w.safetensors --json", "inspect w.gap", "inspect models/all-MiniLM-L6-v2", NULL,
};

static size_t tensor_bytes(const struct ga_tensor *tensor)
{
    size_t bytes = 0;
    return ga_tensor_bytes(tensor, &bytes) ? bytes : 0;
}

static size_t total_bytes(const struct ga_weights *file)
{
    size_t total = 0;
    for (size_t i = 0; i < ga_weights_count(file); i++) {
        total += tensor_bytes(ga_weights_at(file, i));
    }
    return total;
}

// The layout these tensors would be loaded by, or NULL where the file is no weights file of this model.
static const char *layout_name(const struct ga_context *context, const struct ga_weights *file)
{
    bool fits = ga_load_check(context->model, file, NULL, NULL) == GA_OK;
    const struct ga_weight_map *map = fits ? ga_load_map(context->model, file, NULL, NULL) : NULL;
    return map ? map->name : NULL;
}

static enum ga_exit print_text(const struct ga_context *context, const struct ga_weights *file)
{
    size_t count = ga_weights_count(file), widest = 4;
    char name[GA_PRINTABLE], shape[GA_PRINTABLE];
    for (size_t i = 0; i < count; i++) {
        size_t width = strlen(ga_printable(ga_weights_at(file, i)->name, name));
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count; i++) {
        const struct ga_tensor *tensor = ga_weights_at(file, i);
        printf("%-*s  %-4s  %s\n", (int)widest, ga_printable(tensor->name, name), ga_dtype_name(tensor->dtype),
               ga_shape_text(tensor->rank, tensor->shape, shape, sizeof shape));
    }
    printf("%zu tensors, %zu bytes\n", count, total_bytes(file));
    const char *layout = layout_name(context, file);
    if (layout) {
        printf("weights of %s, layout %s\n", context->model->name, layout);
    }
    return GA_EXIT_OK;
}

static enum ga_exit print_json(const struct ga_context *context, const struct ga_weights *file)
{
    json_t *tensors = json_array();
    for (size_t i = 0; i < ga_weights_count(file); i++) {
        const struct ga_tensor *tensor = ga_weights_at(file, i);
        json_array_append_new(tensors, json_pack("{s:s, s:s, s:o, s:o}", "name", tensor->name, "dtype",
                                                 ga_dtype_name(tensor->dtype), "shape",
                                                 ga_json_shape(tensor->rank, tensor->shape), "bytes",
                                                 ga_json_size(tensor_bytes(tensor))));
    }
    return ga_json_print(context, json_pack("{s:o, s:o, s:o, s:s?}", "file", ga_json_label(ga_weights_label(file)),
                                            "tensors", tensors, "bytes", ga_json_size(total_bytes(file)), "layout",
                                            layout_name(context, file)));
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    // As no value is looked at, none need be read.
    static const struct ga_weights_options in_place = {.in_place = true};
    struct ga_weights *file;
    struct ga_error error;
    if (ga_pack_is_file(arguments->operands[0])) {
        return ga_inspect_packed(context, arguments->operands[0], arguments->values[JSON] != NULL);
    }
    if (ga_weights_open_model(arguments->operands[0], &in_place, &file, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    enum ga_exit code = arguments->values[JSON] ? print_json(context, file) : print_text(context, file);
    ga_weights_close(file);
    return code;
}

const struct ga_command ga_command_inspect = {
    .name = "inspect",
    .summary = "check a file of weights and list what it holds",
    .operand = "PATH",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
