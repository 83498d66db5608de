// text_pairs.c: tokenizes a query with each document, and keeps ids, types and documents side by side.
#include "text_pairs.h"

#include <stdlib.h>
#include <string.h>

// Pairs as they grow.
struct growing {
    const struct ga_context *context;
    struct ga_text_pairs *pairs;
    size_t id_room, type_room, start_room, end_room, text_room;
};

// *items with room for `count` items of `size` bytes, *room of which there are; false where there is no memory.
static bool make_room(void **items, size_t *room, size_t count, size_t size)
{
    if (count <= *room) {
        return true;
    }
    const size_t wanted = 2 * count + 1024;
    void *grown = realloc(*items, wanted * size);
    *items = grown ? grown : *items;
    *room = grown ? wanted : *room;
    return grown != NULL;
}

static size_t text_bytes(const struct ga_text_pairs *pairs)
{
    const size_t count = pairs->sequences.count;
    return count > 0 ? pairs->ends[count - 1] : 0;
}

// Room for one more pair of so many tokens, whose document has so many bytes.
static bool fits(struct growing *growing, size_t n_ids, size_t bytes)
{
    struct ga_text_pairs *pairs = growing->pairs;
    struct ga_sequences *sequences = &pairs->sequences;
    const size_t count = sequences->count, ids_there = count > 0 ? sequences->starts[count] : 0;
    void *ids = sequences->ids, *types = sequences->types, *starts = sequences->starts;
    void *ends = pairs->ends, *texts = pairs->texts;
    const bool has_types = growing->context->model->stack->token_types > 0;
    const bool ok = make_room(&ids, &growing->id_room, ids_there + n_ids + 1, sizeof(int32_t)) &&
                    (!has_types || make_room(&types, &growing->type_room, ids_there + n_ids + 1, sizeof(int32_t))) &&
                    make_room(&starts, &growing->start_room, count + 2, sizeof(size_t)) &&
                    make_room(&ends, &growing->end_room, count + 1, sizeof(size_t)) &&
                    make_room(&texts, &growing->text_room, text_bytes(pairs) + bytes + 1, 1);
    sequences->ids = ids;
    sequences->types = types;
    sequences->starts = starts;
    pairs->ends = ends;
    pairs->texts = texts;
    return ok;
}

static enum ga_exit add_pair(struct growing *growing, const struct ga_text_encoding *encoding,
                             const struct ga_texts *documents)
{
    struct ga_text_pairs *pairs = growing->pairs;
    struct ga_sequences *sequences = &pairs->sequences;
    if (!fits(growing, encoding->count, documents->length)) {
        return ga_failed(growing->context, "no memory for %zu documents", sequences->count + 1);
    }
    const size_t bytes = text_bytes(pairs);
    sequences->starts[0] = 0;
    const size_t start = sequences->starts[sequences->count];
    memcpy(sequences->ids + start, encoding->ids, encoding->count * sizeof(int32_t));
    if (sequences->types) {
        memcpy(sequences->types + start, encoding->type_ids, encoding->count * sizeof(int32_t));
    }
    memcpy(pairs->texts + bytes, documents->text, documents->length);
    pairs->ends[sequences->count] = bytes + documents->length;
    sequences->starts[++sequences->count] = start + encoding->count;
    pairs->n_cut += encoding->n_cut > 0;
    return GA_EXIT_OK;
}

// A query that no document can follow is said to be at fault, and not the first document.
static enum ga_exit check_query(const struct ga_context *context, struct ga_text_tools *tools, const char *query)
{
    struct ga_text_encoding encoding;
    struct ga_error error;
    return ga_text_library.encode(tools->context, query, strlen(query), NULL, 0, 0, &encoding, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(context, "--query: %s", error.text);
}

static enum ga_exit add_document(struct growing *growing, struct ga_text_tools *tools, const char *query,
                                 const struct ga_texts *documents)
{
    struct ga_text_encoding encoding;
    struct ga_error error;
    if (ga_text_library.encode(tools->context, query, strlen(query), documents->text, documents->length, 0, &encoding,
                               &error) != GA_OK) {
        return ga_failed(growing->context, "%s: %s %zu: %s", documents->path, documents->end ? "line" : "text",
                         documents->count, error.text);
    }
    return add_pair(growing, &encoding, documents);
}

enum ga_exit ga_text_pairs_read(const struct ga_context *context, struct ga_text_tools *tools, const char *query,
                                struct ga_texts *documents, struct ga_text_pairs *pairs_out)
{
    struct growing growing = {.context = context, .pairs = pairs_out};
    *pairs_out = (struct ga_text_pairs){0};
    ga_text_library.set_limit(tools->context, context->model->q_len.max);
    enum ga_exit code = check_query(context, tools, query);
    for (bool found = true; code == GA_EXIT_OK && found;) {
        code = ga_texts_next(context, documents, &found);
        if (code == GA_EXIT_OK && found) {
            code = add_document(&growing, tools, query, documents);
        }
    }
    if (code == GA_EXIT_OK && pairs_out->sequences.count == 0) {
        code = ga_failed(context, "%s: has no documents; expected one a line", documents->path);
    }
    return code;
}

struct ga_text_view ga_text_pairs_document(const struct ga_text_pairs *pairs, size_t i)
{
    const size_t start = i > 0 ? pairs->ends[i - 1] : 0;
    return (struct ga_text_view){pairs->texts + start, pairs->ends[i] - start};
}

void ga_text_pairs_free(struct ga_text_pairs *pairs)
{
    ga_sequences_free(&pairs->sequences);
    free(pairs->texts);
    free(pairs->ends);
    *pairs = (struct ga_text_pairs){0};
}
