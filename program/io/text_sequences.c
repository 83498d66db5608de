// text_sequences.c: tokenizes a file of texts and keeps their ids side by side.
#include "text_sequences.h"

#include <stdlib.h>
#include <string.h>

// Sequences as they grow.
struct growing {
    const struct ga_context *context;
    struct ga_sequences *sequences;
    size_t n_ids, id_room, start_room;
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

static enum ga_exit add_sequence(struct growing *growing, const struct ga_text_encoding *encoding)
{
    struct ga_sequences *sequences = growing->sequences;
    const size_t n_ids = growing->n_ids + encoding->count;
    void *ids = sequences->ids, *starts = sequences->starts;
    const bool fits = make_room(&ids, &growing->id_room, n_ids, sizeof(int32_t)) &&
                      make_room(&starts, &growing->start_room, sequences->count + 2, sizeof(size_t));
    sequences->ids = ids;
    sequences->starts = starts;
    if (!fits) {
        return ga_failed(growing->context, "no memory for the ids of %zu texts", sequences->count);
    }
    memcpy(sequences->ids + growing->n_ids, encoding->ids, encoding->count * sizeof(int32_t));
    growing->n_ids = n_ids;
    sequences->starts[0] = 0;
    sequences->starts[++sequences->count] = n_ids;
    return GA_EXIT_OK;
}

static enum ga_exit add_text(struct growing *growing, struct ga_text_tools *tools, const struct ga_texts *texts,
                             size_t *n_cut)
{
    struct ga_text_encoding encoding;
    struct ga_error error;
    if (ga_text_library.encode(tools->context, texts->text, texts->length, NULL, 0, 0, &encoding, &error) != GA_OK) {
        return ga_failed(growing->context, "%s: line %zu: %s", texts->path, texts->count, error.text);
    }
    for (size_t i = 0; i < encoding.count; i++) {
        if (encoding.type_ids[i] != 0) {
            return ga_failed(growing->context, "%s: the tokenizer gives a single text token type %d; expected 0",
                             texts->path, (int)encoding.type_ids[i]);
        }
    }
    *n_cut += encoding.n_cut > 0;
    return add_sequence(growing, &encoding);
}

enum ga_exit ga_sequences_of_texts(const struct ga_context *context, struct ga_text_tools *tools, const char *path,
                                   struct ga_sequences *sequences_out, size_t *n_cut_out)
{
    struct growing growing = {.context = context, .sequences = sequences_out};
    struct ga_texts texts;
    *sequences_out = (struct ga_sequences){0};
    *n_cut_out = 0;
    enum ga_exit code = ga_texts_open(context, path, false, &texts);
    bool found = code == GA_EXIT_OK;
    ga_text_library.set_limit(tools->context, context->model->q_len.max);
    while (code == GA_EXIT_OK && found) {
        code = ga_texts_next(context, &texts, &found);
        if (code == GA_EXIT_OK && found) {
            code = add_text(&growing, tools, &texts, n_cut_out);
        }
    }
    ga_texts_close(&texts);
    if (code == GA_EXIT_OK && sequences_out->count == 0) {
        code = ga_failed(context, "%s: has no texts; expected one a line", path);
    }
    return code;
}
