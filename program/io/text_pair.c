// text_pair.c: the text that a query and a document become for a model that answers with a token. Reads no file.
#include <stdlib.h>
#include <string.h>

#include "text_blocks.h"

static const char QUERY[] = "{query}", TEXT[] = "{document}";

bool ga_text_answers_pairs(const struct ga_model *model)
{
    return ga_text_library.recorded_text && model->stack && model->kind == GA_ENCODER &&
           ga_text_library.recorded_text(model->spec, "pair", NULL, 0) > 0;
}

// Finds the places of the query and the text in the pair's bytes; false where they are not there.
static bool find_places(struct ga_text_pair *pair)
{
    const char *query = strstr(pair->bytes, QUERY);
    const char *text = query ? strstr(query, TEXT) : NULL;
    if (!text) {
        return false;
    }
    pair->before_query = (size_t)(query - pair->bytes);
    pair->query = pair->before_query + sizeof QUERY - 1;
    pair->before_text = (size_t)(text - pair->bytes);
    pair->text = pair->before_text + sizeof TEXT - 1;
    return true;
}

// The tokens after the text, which a pair that is cut keeps.
static enum ga_exit read_tail(struct ga_text_reader *reader)
{
    struct ga_text_pair *pair = reader->pair;
    struct ga_text_encoding encoding;
    struct ga_error error;
    const char *tail = pair->bytes + pair->text;
    if (ga_text_library.encode(reader->tools.context, tail, pair->end - pair->text, NULL, 0, 0, &encoding, &error) !=
        GA_OK) {
        return ga_failed(reader->context, "text_input.pair: %s", error.text);
    }
    if (encoding.count > GA_PAIR_TAIL || encoding.count >= reader->context->model->q_len.max) {
        return ga_failed(reader->context, "text_input.pair: %zu tokens follow {document}; expected at most %d",
                         encoding.count, GA_PAIR_TAIL);
    }
    if (encoding.count > 0) {
        memcpy(pair->tail, encoding.ids, encoding.count * sizeof *pair->tail);
    }
    pair->n_tail = encoding.count;
    return GA_EXIT_OK;
}

enum ga_exit ga_text_reader_use_pair(struct ga_text_reader *reader)
{
    struct ga_text_pair *pair = reader->pair = calloc(1, sizeof *reader->pair);
    if (!pair) {
        return ga_failed(reader->context, "no memory for the text of pairs");
    }
    const size_t room = sizeof pair->bytes - 1;
    const size_t length =
        ga_text_library.recorded_text(reader->context->model->spec, "pair", pair->bytes, sizeof pair->bytes);
    pair->bytes[length < room ? length : room] = '\0';
    if (length > room || strlen(pair->bytes) != length || !find_places(pair)) {
        return ga_failed(reader->context, "text_input.pair: expected a text with {query} and then {document}");
    }
    pair->end = length;
    ga_text_library.set_limit(reader->tools.context, GA_LONGEST_TEXT);
    return read_tail(reader);
}

bool ga_text_pair_join(struct ga_text_reader *reader, struct ga_text_view *text)
{
    const struct ga_text_pair *pair = reader->pair;
    const struct ga_text_view parts[] = {
        {pair->bytes, pair->before_query},
        {reader->query, strlen(reader->query)},
        {pair->bytes + pair->query, pair->before_text - pair->query},
        *text,
        {pair->bytes + pair->text, pair->end - pair->text},
    };
    const size_t room = pair->end + parts[1].length + text->length;
    char *joined = malloc(room + 1), *at = joined;
    for (size_t i = 0; joined && i < sizeof parts / sizeof *parts; i++) {
        memcpy(at, parts[i].bytes, parts[i].length);
        at += parts[i].length;
    }
    if (joined) {
        free(reader->prompted);
        reader->prompted = joined;
        reader->prompted_room = room;
        *text = (struct ga_text_view){joined, (size_t)(at - joined)};
    }
    return joined != NULL;
}

// How many of the last tokens of a pair are those of the tail, which has more where the tokenizer begins each text.
static size_t count_kept(const struct ga_text_pair *pair, const struct ga_text_encoding *encoding)
{
    size_t n = 0;
    while (n < pair->n_tail && n < encoding->count &&
           pair->tail[pair->n_tail - 1 - n] == encoding->ids[encoding->count - 1 - n]) {
        n++;
    }
    return n;
}

void ga_text_pair_cut(struct ga_text_reader *reader, struct ga_text_encoding *encoding)
{
    const size_t most = reader->context->model->q_len.max;
    if (encoding->count > most) {
        reader->pair->n_kept = count_kept(reader->pair, encoding);
        encoding->n_cut = encoding->count - most;
        encoding->count = most - reader->pair->n_kept;
    }
}
