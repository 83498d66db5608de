// text_blocks.c: tokenizes texts and keeps their ids side by side.
#include "text_blocks.h"

#include <stdlib.h>
#include <string.h>

enum ga_exit ga_text_reader_open(const struct ga_context *context, const char *tokenizer, const char *weights,
                                 bool replace, struct ga_text_reader *reader_out)
{
    *reader_out =
        (struct ga_text_reader){.context = context, .marker = -1, .flags = replace ? GA_TEXT_REPLACE_INVALID : 0};
    const enum ga_exit code = ga_text_tools_open(context, tokenizer, weights, &reader_out->tools);
    if (code != GA_EXIT_OK) {
        return code;
    }
    return ga_text_reader_use_task(reader_out, GA_TEXT_ANY);
}

void ga_text_reader_close(struct ga_text_reader *reader)
{
    ga_text_tools_close(&reader->tools);
    free(reader->prompted);
    free(reader->pair);
    reader->prompted = NULL;
    reader->pair = NULL;
}

// Makes room in *items, of which *room are there, for `count` of `size` bytes; *items is never NULL then. False where
// there is no memory.
static bool make_room(void **items, size_t *room, size_t count, size_t size)
{
    if (*items && count <= *room) {
        return true;
    }
    const size_t wanted = 2 * count + 1024;
    void *grown = realloc(*items, wanted * size);
    *items = grown ? grown : *items;
    *room = grown ? wanted : *room;
    return grown != NULL;
}

static size_t count_ids(const struct ga_text_block *block)
{
    return block->sequences.count > 0 ? block->sequences.starts[block->sequences.count] : 0;
}

static size_t count_bytes(const struct ga_text_block *block)
{
    return block->bytes && block->sequences.count > 0 ? block->ends[block->sequences.count - 1] + 1 : 0;
}

static bool add_types(struct ga_text_block *block, const struct ga_text_encoding *encoding)
{
    const size_t before = count_ids(block);
    void *types = block->sequences.types;
    const bool fits = make_room(&types, &block->type_room, before + encoding->count, sizeof(int32_t));
    block->sequences.types = types;
    if (fits && encoding->count > 0) { // of none there may be no array
        memcpy(block->sequences.types + before, encoding->type_ids, encoding->count * sizeof(int32_t));
    }
    return fits;
}

// Writes the ids of a text with its marker, the tail of a pair that was cut, and what fills it up to `count`. Returns
// how many are its own.
static size_t put_ids(const struct ga_text_reader *reader, const struct ga_text_encoding *encoding, size_t count,
                      int32_t *to)
{
    size_t at = 0;
    for (size_t i = 0; i < encoding->count; i++) {
        to[at++] = encoding->ids[i];
        if (i == 0 && reader->marker >= 0) {
            to[at++] = reader->marker;
        }
    }
    const struct ga_text_pair *pair = encoding->n_cut > 0 ? reader->pair : NULL;
    for (size_t i = pair ? pair->n_tail - pair->n_kept : 0; pair && i < pair->n_tail; i++) {
        to[at++] = pair->tail[i];
    }
    for (size_t i = at; i < count; i++) {
        to[i] = reader->filler;
    }
    return at;
}

static bool add_ids(const struct ga_text_reader *reader, struct ga_text_block *block,
                    const struct ga_text_encoding *encoding)
{
    struct ga_sequences *sequences = &block->sequences;
    const size_t tail = reader->pair && encoding->n_cut > 0 ? reader->pair->n_kept : 0;
    const size_t own = encoding->count + (reader->marker >= 0 && encoding->count > 0) + tail;
    const size_t count = own < reader->filled ? reader->filled : own, before = count_ids(block);
    void *ids = sequences->ids, *starts = sequences->starts, *seen = sequences->seen;
    const bool fits =
        make_room(&ids, &block->id_room, before + count, sizeof(int32_t)) &&
        make_room(&starts, &block->start_room, sequences->count + 2, sizeof(size_t)) &&
        (reader->filled == 0 || make_room(&seen, &block->seen_room, sequences->count + 1, sizeof(size_t)));
    sequences->ids = ids;
    sequences->starts = starts;
    sequences->seen = seen;
    if (fits) {
        const size_t written = put_ids(reader, encoding, count, sequences->ids + before);
        if (sequences->seen) {
            sequences->seen[sequences->count] = written;
        }
        sequences->starts[0] = 0;
        sequences->starts[sequences->count + 1] = before + count;
    }
    return fits;
}

static bool add_bytes(struct ga_text_block *block, const struct ga_texts *texts)
{
    const size_t before = count_bytes(block);
    void *bytes = block->bytes, *ends = block->ends;
    const bool fits = make_room(&bytes, &block->byte_room, before + texts->length + 1, 1) &&
                      make_room(&ends, &block->end_room, block->sequences.count + 1, sizeof(size_t));
    block->bytes = bytes;
    block->ends = ends;
    if (fits) {
        memcpy(block->bytes + before, texts->text, texts->length);
        block->bytes[before + texts->length] = '\0';
        block->ends[block->sequences.count] = before + texts->length;
    }
    return fits;
}

// A text that stands alone has one type, which calls without types mean.
static enum ga_exit check_types(const struct ga_text_reader *reader, const struct ga_texts *texts,
                                const struct ga_text_encoding *encoding)
{
    for (size_t i = 0; i < encoding->count; i++) {
        if (encoding->type_ids[i] != 0) {
            return ga_failed(reader->context, "%s: the tokenizer gives a single text token type %d; expected 0",
                             texts->path, (int)encoding->type_ids[i]);
        }
    }
    return GA_EXIT_OK;
}

// Puts the prompt before a text, if there is one. False where there is no memory.
static bool add_prompt(struct ga_text_reader *reader, struct ga_text_view *text)
{
    void *prompted = reader->prompted;
    if (reader->n_prompt == 0) {
        return true;
    }
    const bool fits = make_room(&prompted, &reader->prompted_room, reader->n_prompt + text->length, 1);
    reader->prompted = prompted;
    if (fits) {
        memcpy(reader->prompted, reader->prompt, reader->n_prompt);
        memcpy(reader->prompted + reader->n_prompt, text->bytes, text->length);
        *text = (struct ga_text_view){reader->prompted, reader->n_prompt + text->length};
    }
    return fits;
}

static enum ga_exit encode(struct ga_text_reader *reader, const struct ga_texts *texts,
                           struct ga_text_encoding *encoding)
{
    const char *query = reader->query;
    struct ga_text_view first = {texts->text, texts->length}, second = {0};
    struct ga_error error;
    const bool is_one = reader->pair != NULL;
    if (query && !is_one) {
        second = first;
        first = (struct ga_text_view){query, strlen(query)};
    }
    const enum ga_status status =
        (is_one ? ga_text_pair_join(reader, &first) : add_prompt(reader, &first))
            ? ga_text_library.encode(reader->tools.context, first.bytes, first.length, second.bytes, second.length,
                                     reader->flags, encoding, &error)
            : ga_fail(&error, GA_MEMORY, "no memory for it and its prompt");
    if (status != GA_OK) {
        return ga_failed(reader->context, "%s: %s %zu: %s", texts->path, texts->end ? "line" : "text", texts->count,
                         error.text);
    }
    if (is_one) {
        ga_text_pair_cut(reader, encoding);
    }
    return query ? GA_EXIT_OK : check_types(reader, texts, encoding);
}

enum ga_exit ga_text_block_add(struct ga_text_reader *reader, const struct ga_texts *texts, struct ga_text_block *block)
{
    struct ga_text_encoding encoding;
    const bool has_types = reader->query && !reader->pair && reader->context->model->stack->token_types > 0;
    const enum ga_exit code = encode(reader, texts, &encoding);
    if (code != GA_EXIT_OK) {
        return code;
    }
    if ((has_types && !add_types(block, &encoding)) || !add_ids(reader, block, &encoding) ||
        (reader->keeps && !add_bytes(block, texts))) {
        return ga_failed(reader->context, "%s: no memory for a block of texts", texts->path);
    }
    block->n_cut += encoding.n_cut > 0;
    block->sequences.count++;
    return GA_EXIT_OK;
}

struct ga_text_view ga_text_block_text(const struct ga_text_block *block, size_t i)
{
    const size_t start = i > 0 ? block->ends[i - 1] + 1 : 0;
    return (struct ga_text_view){block->bytes + start, block->ends[i] - start};
}

bool ga_text_block_is_full(const struct ga_text_block *block)
{
    return block->sequences.count >= GA_BLOCK_TEXTS || count_ids(block) >= GA_BLOCK_IDS ||
           count_bytes(block) >= GA_BLOCK_BYTES;
}

enum ga_exit ga_text_block_read(struct ga_text_reader *reader, struct ga_texts *texts, struct ga_text_block *block)
{
    enum ga_exit code = GA_EXIT_OK;
    bool found = true;
    ga_text_block_clear(block);
    while (code == GA_EXIT_OK && found && !ga_text_block_is_full(block)) {
        code = ga_texts_next(reader->context, texts, &found);
        if (code == GA_EXIT_OK && found) {
            code = ga_text_block_add(reader, texts, block);
        }
    }
    block->share = ga_texts_share(texts);
    return code;
}

void ga_text_block_clear(struct ga_text_block *block)
{
    block->sequences.count = 0;
    block->n_cut = 0;
}

void ga_text_block_free(struct ga_text_block *block)
{
    ga_sequences_free(&block->sequences);
    free(block->bytes);
    free(block->ends);
    *block = (struct ga_text_block){0};
}
