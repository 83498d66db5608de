// chat_template.c: finds a chat template where transformers saves it. Renders none.
#define _POSIX_C_SOURCE 200809L
#include "chat_template.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Writes the path of a file in the folder of `path`, which may be the folder; whether it is a regular file.
static bool find_beside(const char *path, const char *name, char *file_out, size_t size)
{
    struct stat st;
    const bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    const char *slash = strrchr(path, '/');
    const size_t length = is_folder ? strlen(path) : slash ? (size_t)(slash - path) : 0;
    const int needed = snprintf(file_out, size, "%.*s%s%s", (int)length, path, is_folder || slash ? "/" : "", name);
    return needed > 0 && (size_t)needed < size && stat(file_out, &st) == 0 && S_ISREG(st.st_mode);
}

static enum ga_exit copy(const struct ga_context *context, const char *bytes, size_t length,
                         struct ga_chat_template *template)
{
    template->bytes = malloc(length + 1);
    if (!template->bytes) {
        return ga_failed(context, "%s: no memory for %zu bytes", template->label, length);
    }
    memcpy(template->bytes, bytes, length);
    template->length = length;
    return GA_EXIT_OK;
}

static enum ga_exit read_file(const struct ga_context *context, const char *path, char **bytes_out, size_t *length_out)
{
    struct ga_error error;
    return ga_text_library.tokenizer_read(path, bytes_out, length_out, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(context, "%s", error.text);
}

// The template of a config: a string, or of a list of them by name the one called default; NULL: none.
static const json_t *template_of(const json_t *config)
{
    const json_t *value = json_object_get(config, "chat_template"), *found = NULL;
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++) {
        const json_t *entry = json_array_get(value, i);
        const char *name = json_string_value(json_object_get(entry, "name"));
        found = name && strcmp(name, "default") == 0 ? json_object_get(entry, "template") : found;
    }
    return json_is_array(value) ? found : value;
}

static enum ga_exit read_config(const struct ga_context *context, struct ga_chat_template *template)
{
    char *bytes = NULL;
    size_t length;
    json_error_t why;
    enum ga_exit code = read_file(context, template->label, &bytes, &length);
    if (code != GA_EXIT_OK) {
        return code;
    }
    json_t *config = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &why);
    const json_t *value = template_of(config);
    if (!config) {
        code = ga_failed(context, "%s: byte %d: %s", template->label, why.position, why.text);
    } else if (json_is_string(value)) {
        code = copy(context, json_string_value(value), json_string_length(value), template);
    }
    json_decref(config);
    free(bytes);
    return code;
}

enum ga_exit ga_chat_template_find(const struct ga_context *context, const struct ga_text_tokenizer *tokenizer,
                                   const char *path, const char *weights, struct ga_chat_template *template_out)
{
    const struct ga_text_view own = ga_text_library.tokenizer_chat_template(tokenizer);
    const char *from = path ? path : weights;
    char *label = template_out->label;
    *template_out = (struct ga_chat_template){0};
    (void)snprintf(label, sizeof template_out->label, "%s", from);
    if (own.bytes) {
        return copy(context, own.bytes, own.length, template_out);
    }
    if (find_beside(from, "chat_template.jinja", label, sizeof template_out->label)) {
        return read_file(context, label, &template_out->bytes, &template_out->length);
    }
    if (find_beside(from, "tokenizer_config.json", label, sizeof template_out->label)) {
        return read_config(context, template_out);
    }
    (void)snprintf(label, sizeof template_out->label, "%s", from);
    return GA_EXIT_OK;
}

void ga_chat_template_free(struct ga_chat_template *template)
{
    free(template->bytes);
    *template = (struct ga_chat_template){0};
}
