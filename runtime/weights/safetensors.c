// safetensors.c: reads a header as a whole through jansson: its text, its metadata, and how its tensors tile the data.
// Opens no file, holds no data.
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "safetensors_entry.h"

// True where the metadata have a tensor's fields.
static bool looks_like_tensor(json_t *metadata)
{
    return json_object_get(metadata, "dtype") != NULL && json_object_get(metadata, "shape") != NULL &&
           json_object_get(metadata, "data_offsets") != NULL;
}

static bool check_metadata(const struct ga_header *r, json_t *metadata)
{
    char text[GA_JSON_TEXT];
    const size_t place = ga_place_member(r->text, ga_place_object(r->text), GA_SAFETENSORS_METADATA).value;
    if (!json_is_object(metadata)) {
        return ga_header_refuse(r, GA_FAULT_METADATA, ga_header_offset(place), NULL,
                                GA_SAFETENSORS_METADATA " is %s; expected an object of strings",
                                ga_json_text(metadata, text));
    }
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value)) {
            char shown[GA_NAME_TEXT];
            return ga_header_refuse(r, looks_like_tensor(metadata) ? GA_FAULT_METADATA_TENSOR : GA_FAULT_METADATA,
                                    ga_header_offset(ga_place_member(r->text, place, key).value), NULL,
                                    GA_SAFETENSORS_METADATA ": '%s' is %s; expected a string",
                                    ga_name_text(key, shown, sizeof shown), ga_json_text(value, text));
        }
    }
    return true;
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

// Refuses an entry that does not begin where the one before it ends.
static bool refuse_place(const struct ga_header *r, const struct ga_safetensors *table, size_t i, size_t covered)
{
    const struct ga_safetensors_entry *entry = &table->entries[i];
    const uint64_t begin = (uint64_t)r->data_start + entry->begin;
    char other[GA_NAME_TEXT];
    if (entry->bytes == 0) {
        return ga_header_refuse(r, GA_FAULT_EMPTY_MISPLACED, begin, entry->tensor.name,
                                "a tensor without elements begins here; expected byte %zu, where another tensor ends",
                                r->data_start + covered);
    }
    if (entry->begin > covered) {
        return ga_header_refuse(r, GA_FAULT_HOLE, begin, entry->tensor.name,
                                "the data begin here; expected byte %zu, as there is a hole between",
                                r->data_start + covered);
    }
    return ga_header_refuse(r, GA_FAULT_OVERLAP, begin, entry->tensor.name,
                            "the data begin here and overlap tensor '%s'; expected byte %zu, where it ends",
                            ga_name_text(table->entries[i - 1].tensor.name, other, sizeof other),
                            r->data_start + covered);
}

// True where the entries, in order of their offsets, cover the data without hole or overlap.
static bool check_tiling(const struct ga_header *r, const struct ga_safetensors *table)
{
    size_t covered = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->entries[i].begin != covered) {
            return refuse_place(r, table, i, covered);
        }
        covered += table->entries[i].bytes;
    }
    const uint64_t end = (uint64_t)r->data_start + covered;
    if (covered != r->data_size && table->count == 0) {
        return ga_header_refuse(r, GA_FAULT_NO_TENSORS, end, NULL,
                                "%zu bytes of data, and the header lists no tensor; expected the file to end here",
                                r->data_size);
    }
    return covered == r->data_size ||
           ga_header_refuse(r, GA_FAULT_TRAILING_BYTES, end, NULL,
                            "%zu bytes from here on belong to no tensor; expected the last tensor to end the file",
                            r->data_size - covered);
}

// Fills a table whose arrays are large enough, in the header's order.
static bool read_entries(const struct ga_header *r, json_t *root, struct ga_safetensors *table)
{
    const char *key;
    json_t *value;
    char *name = table->names;
    json_object_foreach(root, key, value)
    {
        if (strcmp(key, GA_SAFETENSORS_METADATA) == 0) {
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
    const size_t count = json_object_size(root) - (json_object_get(root, GA_SAFETENSORS_METADATA) != NULL ? 1 : 0);
    if (count > GA_SAFETENSORS_MAX_TENSORS) {
        (void)ga_header_refuse(r, GA_FAULT_TENSORS_TOO_MANY, ga_header_offset(0), NULL,
                               "the header lists %zu tensors; expected at most %d", count, GA_SAFETENSORS_MAX_TENSORS);
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
        return ga_fail_at(r->error, GA_MEMORY, GA_FAULT_NO_MEMORY, GA_NO_OFFSET,
                          "%s: no memory for a table of %zu tensors", r->label, count);
    }
    return GA_OK;
}

static enum ga_status fill_table(const struct ga_header *r, json_t *root, struct ga_safetensors *table)
{
    const enum ga_status status = allocate_table(r, root, table);
    if (status != GA_OK) {
        return status;
    }
    if (!read_entries(r, root, table) || !ga_header_check_rest(r)) {
        return GA_FORMAT;
    }
    qsort(table->entries, table->count, sizeof *table->entries, compare_offsets);
    if (!check_tiling(r, table)) {
        return GA_FORMAT;
    }
    qsort(table->entries, table->count, sizeof *table->entries, compare_names);
    return GA_OK;
}

enum ga_status ga_safetensors_read(const char *header, size_t size, size_t data_size,
                                   const struct ga_safetensors_rules *rules, const char *label,
                                   struct ga_safetensors *table_out, struct ga_error *error)
{
    static const struct ga_safetensors_rules strict = {0};
    const struct ga_header r = {
        label, {header, size}, GA_SAFETENSORS_PREFIX + size, data_size, rules == NULL ? strict : *rules, error};
    *table_out = (struct ga_safetensors){0};
    if (!ga_header_check_text(&r)) {
        return GA_FORMAT;
    }
    json_error_t why;
    // An escaped NUL is allowed here so that it is refused where it stands, and not by a word about jansson's flags.
    json_t *root = ga_json_read(r.text, JSON_ALLOW_NUL, &why);
    if (root == NULL) {
        return ga_header_refuse_json(&r, &why);
    }
    const enum ga_status status = fill_table(&r, root, table_out);
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
