// subword_fixture.h: small BPE and Unigram tokenizers for the tests of libga_text, by the parts of their JSON.
#ifndef GA_SUBWORD_FIXTURE_H
#define GA_SUBWORD_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ga_text.h"

// Parts of a tokenizer.json; NULL for null.
struct subword_parts {
    const char *normalizer, *cuts, *processor, *decoder, *model;
    const char *added; // objects with commas between; NULL for none
};

// A tokenizer, a context, and what was said last.
struct subword {
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
    struct ga_text_encoding encoding;
    struct ga_error error;
    enum ga_status status;
};

static inline const char *or_null(const char *json)
{
    return json == NULL ? "null" : json;
}

// Opens parts as a file; opened.status says whether it was taken. The caller closes it in either case.
static inline struct subword try_subword(struct subword_parts parts)
{
    static const char form[] = "{\"version\":\"1.0\",\"added_tokens\":[%s],\"normalizer\":%s,\"pre_tokenizer\":%s,"
                               "\"post_processor\":%s,\"decoder\":%s,\"model\":%s}";
    struct subword opened = {0};
    const size_t room = sizeof(form) + strlen(or_null(parts.normalizer)) + strlen(or_null(parts.cuts)) +
                        strlen(or_null(parts.processor)) + strlen(or_null(parts.decoder)) + strlen(parts.model) +
                        (parts.added ? strlen(parts.added) : 0);
    char *json = malloc(room);
    cr_assert_not_null(json);
    snprintf(json, room, form, parts.added ? parts.added : "", or_null(parts.normalizer), or_null(parts.cuts),
             or_null(parts.processor), or_null(parts.decoder), parts.model);
    opened.status = ga_text_tokenizer_open_memory("t.json", json, strlen(json), &opened.tokenizer, &opened.error);
    free(json);
    if (opened.status == GA_OK) {
        cr_assert_eq(ga_text_context_open(opened.tokenizer, &opened.context), GA_OK);
    }
    return opened;
}

static inline struct subword open_subword(struct subword_parts parts)
{
    const struct subword opened = try_subword(parts);
    cr_assert_eq(opened.status, GA_OK, "%s", opened.error.text);
    return opened;
}

static inline void close_subword(struct subword *opened)
{
    ga_text_context_close(opened->context);
    ga_text_tokenizer_close(opened->tokenizer);
}

// The ids of text as "2 4 3", "refused" where it has none; twice, as the second time they are kept ones.
static inline const char *subword_ids(struct subword *opened, const char *text)
{
    static char ids[1024];
    for (int round = 0; round < 2; round++) {
        size_t used = 0;
        opened->status =
            ga_text_encode(opened->context, text, strlen(text), NULL, 0, 0, &opened->encoding, &opened->error);
        if (opened->status != GA_OK) {
            return "refused";
        }
        char again[sizeof(ids)] = "";
        for (size_t i = 0; i < opened->encoding.count; i++) {
            used += (size_t)snprintf(again + used, sizeof(again) - used, "%s%d", i == 0 ? "" : " ",
                                     opened->encoding.ids[i]);
        }
        cr_assert(round == 0 || strcmp(ids, again) == 0, "%s, then %s", ids, again);
        strcpy(ids, again);
    }
    return ids;
}

// The offsets of the tokens of text as "0-2 2-3".
static inline const char *subword_offsets(struct subword *opened, const char *text)
{
    static char offsets[1024];
    size_t used = 0;
    offsets[0] = '\0';
    opened->status = ga_text_encode(opened->context, text, strlen(text), NULL, 0, GA_TEXT_OFFSETS, &opened->encoding,
                                    &opened->error);
    cr_assert_eq(opened->status, GA_OK, "%s", opened->error.text);
    for (size_t i = 0; i < opened->encoding.count; i++) {
        const struct ga_text_offset offset = opened->encoding.offsets[i];
        used += (size_t)snprintf(offsets + used, sizeof(offsets) - used, "%s%u-%u", i == 0 ? "" : " ", offset.begin,
                                 offset.end);
    }
    return offsets;
}

// What ids[count] are decoded to.
static inline const char *subword_text(struct subword *opened, const int32_t *ids, size_t count)
{
    static char text[1024];
    struct ga_text_view view;
    opened->status = ga_text_decode(opened->context, ids, count, true, &view, &opened->error);
    cr_assert_eq(opened->status, GA_OK, "%s", opened->error.text);
    snprintf(text, sizeof(text), "%.*s", (int)view.length, view.length == 0 ? "" : view.bytes);
    return text;
}

#endif
