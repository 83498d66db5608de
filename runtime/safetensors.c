// safetensors.c: reads a header as a whole through jansson: its text, its metadata, and how its tensors tile the data.
// Opens no file, holds no data.
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "safetensors_entry.h"

static const char metadata_name[] = "__metadata__";

static bool check_metadata(const struct ga_header *r, json_t *metadata)
{
    char text[GA_JSON_TEXT];
    if (!json_is_object(metadata)) {
        return ga_header_refuse(r, NULL, "%s is %s; expected an object of strings", metadata_name,
                                ga_json_text(metadata, text));
    }
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value)) {
            char shown[GA_NAME_TEXT];
            return ga_header_refuse(r, NULL, "%s: '%s' is %s; expected a string", metadata_name,
                                    ga_name_text(key, shown, sizeof shown), ga_json_text(value, text));
        }
    }
    return true;
}

// Offset of the first '-' outside a string, or size. In a header whose numbers all came out as 0 or more it can only
// belong to a -0, which jansson takes for a 0.
static size_t find_minus(const char *header, size_t size)
{
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        if (in_string && header[i] == '\\') {
            i++;
        } else if (header[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && header[i] == '-') {
            return i;
        }
    }
    return size;
}

// What jansson lets pass around the object and inside its numbers.
static bool check_text(const struct ga_header *r, const char *header, size_t size)
{
    size_t end = size;
    while (end > 0 && header[end - 1] == ' ') {
        end--;
    }
    if (end == 0 || header[end - 1] != '}') {
        return ga_header_refuse(
            r, NULL, "byte %zu ends the header with a blank that is no space; expected spaces only after '}'",
            GA_SAFETENSORS_PREFIX + (end == 0 ? 0 : end - 1));
    }
    const size_t minus = find_minus(header, size);
    return minus == size ||
           ga_header_refuse(r, NULL, "byte %zu begins a number with '-'; expected whole numbers of at least 0",
                            GA_SAFETENSORS_PREFIX + minus);
}

static int compare_offsets(const void *left, const void *right)
{
    const struct ga_safetensors_entry *a = left;
    const struct ga_safetensors_entry *b = right;
    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_names(const void *left, const void *right)
{
    const struct ga_safetensors_entry *a = left;
    const struct ga_safetensors_entry *b = right;
    return strcmp(a->tensor.name, b->tensor.name);
}

// True where the entries, in order of their offsets, cover the data without hole or overlap.
static bool check_tiling(const struct ga_header *r, const struct ga_safetensors *table)
{
    size_t covered = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct ga_safetensors_entry *entry = &table->entries[i];
        if (entry->begin > covered) {
            return ga_header_refuse(r, entry->tensor.name,
                                    "the data begin at byte %zu; expected byte %zu, as there is a hole between",
                                    r->data_start + entry->begin, r->data_start + covered);
        }
        if (entry->begin < covered) {
            char other[GA_NAME_TEXT];
            return ga_header_refuse(
                r, entry->tensor.name, "the data begin at byte %zu and overlap tensor '%s', which ends at byte %zu",
                r->data_start + entry->begin, ga_name_text(table->entries[i - 1].tensor.name, other, sizeof other),
                r->data_start + covered);
        }
        covered += entry->bytes;
    }
    return covered == r->data_size ||
           ga_header_refuse(r, NULL,
                            "%zu bytes from byte %zu on belong to no tensor; expected the last tensor to end the file",
                            r->data_size - covered, r->data_start + covered);
}

// Fills a table whose arrays are large enough, in the header's order.
static bool read_entries(const struct ga_header *r, json_t *root, struct ga_safetensors *table)
{
    const char *key;
    json_t *value;
    char *name = table->names;
    json_object_foreach(root, key, value)
    {
        if (strcmp(key, metadata_name) == 0) {
            if (!check_metadata(r, value)) {
                return false;
            }
            continue;
        }
        struct ga_safetensors_entry *entry = &table->entries[table->count++];
        entry->tensor.name = name;
        name = (char *)memcpy(name, key, strlen(key) + 1) + strlen(key) + 1;
        if (!ga_safetensors_entry_read(r, key, value, entry)) {
            return false;
        }
    }
    return true;
}

static enum ga_status allocate_table(const struct ga_header *r, json_t *root, struct ga_safetensors *table)
{
    const size_t count = json_object_size(root) - (json_object_get(root, metadata_name) != NULL ? 1 : 0);
    if (count > GA_SAFETENSORS_MAX_TENSORS) {
        ga_header_refuse(r, NULL, "the header lists %zu tensors; expected at most %d", count,
                         GA_SAFETENSORS_MAX_TENSORS);
        return GA_FORMAT;
    }
    size_t name_bytes = 1;
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        name_bytes += strlen(key) + 1;
    }
    table->entries = calloc(count + 1, sizeof *table->entries);
    table->names = malloc(name_bytes);
    if (table->entries == NULL || table->names == NULL) {
        return ga_fail(r->error, GA_MEMORY, "%s: no memory for a table of %zu tensors", r->label, count);
    }
    return GA_OK;
}

static enum ga_status fill_table(const struct ga_header *r, const char *header, size_t size, json_t *root,
                                 struct ga_safetensors *table)
{
    const enum ga_status status = allocate_table(r, root, table);
    if (status != GA_OK) {
        return status;
    }
    if (!read_entries(r, root, table) || !check_text(r, header, size)) {
        return GA_FORMAT;
    }
    qsort(table->entries, table->count, sizeof *table->entries, compare_offsets);
    if (!check_tiling(r, table)) {
        return GA_FORMAT;
    }
    qsort(table->entries, table->count, sizeof *table->entries, compare_names);
    return GA_OK;
}

static enum ga_status refuse_json(const struct ga_header *r, const json_error_t *why)
{
    if (json_error_code(why) == json_error_out_of_memory) {
        return ga_fail(r->error, GA_MEMORY, "%s: no memory to read the header", r->label);
    }
    char shown[JSON_ERROR_TEXT_LENGTH];
    ga_header_refuse(r, NULL, "the header is not sound JSON at byte %d: %s; expected one JSON object",
                     why->position + GA_SAFETENSORS_PREFIX, ga_name_text(why->text, shown, sizeof shown));
    return GA_FORMAT;
}

enum ga_status ga_safetensors_read(const char *header, size_t size, size_t data_size, const char *label,
                                   struct ga_safetensors *table_out, struct ga_error *error)
{
    const struct ga_header r = {label, GA_SAFETENSORS_PREFIX + size, data_size, error};
    *table_out = (struct ga_safetensors){0};
    if (size == 0 || header[0] != '{') {
        ga_header_refuse(&r, NULL, "byte %d is not '{'; expected the header, one JSON object, to begin there",
                         GA_SAFETENSORS_PREFIX);
        return GA_FORMAT;
    }
    // jansson overlooks a NUL that follows a number.
    const char *nul = memchr(header, '\0', size);
    if (nul != NULL) {
        ga_header_refuse(&r, NULL, "byte %zu is NUL; expected a header of text only",
                         GA_SAFETENSORS_PREFIX + (size_t)(nul - header));
        return GA_FORMAT;
    }
    json_error_t why;
    // An escaped NUL is allowed here so that it is refused where it stands, and not by a word about jansson's flags.
    json_t *root = json_loadb(header, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    if (root == NULL) {
        return refuse_json(&r, &why);
    }
    const enum ga_status status = fill_table(&r, header, size, root, table_out);
    json_decref(root);
    if (status != GA_OK) {
        ga_safetensors_free(table_out);
    }
    return status;
}

void ga_safetensors_free(struct ga_safetensors *table)
{
    free(table->entries);
    free(table->names);
    *table = (struct ga_safetensors){0};
}
