// text_fixture.h: a small tokenizer.json for the tests of libga_text, with one part changed at a time.
#ifndef GA_TEXT_FIXTURE_H
#define GA_TEXT_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "ga_text.h"

// Every kind of component that a BERT has. Ids: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, the 4, cat 5, ##s 6, a 7, ! 8,
// ##a 9, U+4F60 10, <x> 11.
static const char fixture_json[] =
    "{\"version\":\"1.0\","
    "\"truncation\":null,"
    "\"padding\":{\"strategy\":\"BatchLongest\"},"
    "\"added_tokens\":["
    "{\"id\":0,\"content\":\"[PAD]\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
    "\"special\":true},"
    "{\"id\":11,\"content\":\"<x>\",\"single_word\":false,\"lstrip\":true,\"rstrip\":false,\"normalized\":false,"
    "\"special\":false}],"
    "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,"
    "\"strip_accents\":null,\"lowercase\":true},"
    "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"BertPreTokenizer\"}]},"
    "\"post_processor\":{\"type\":\"TemplateProcessing\","
    "\"single\":[{\"SpecialToken\":{\"id\":\"[CLS]\",\"type_id\":0}},{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},"
    "{\"SpecialToken\":{\"id\":\"[SEP]\",\"type_id\":0}}],"
    "\"pair\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"SpecialToken\":{\"id\":\"[SEP]\",\"type_id\":0}},"
    "{\"Sequence\":{\"id\":\"B\",\"type_id\":1}}],"
    "\"special_tokens\":{\"[CLS]\":{\"id\":\"[CLS]\",\"ids\":[2],\"tokens\":[\"[CLS]\"]},"
    "\"[SEP]\":{\"id\":\"[SEP]\",\"ids\":[3],\"tokens\":[\"[SEP]\"]}}},"
    "\"decoder\":{\"type\":\"WordPiece\",\"prefix\":\"##\",\"cleanup\":true},"
    "\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\","
    "\"max_input_chars_per_word\":100,"
    "\"vocab\":{\"[PAD]\":0,\"[UNK]\":1,\"[CLS]\":2,\"[SEP]\":3,\"the\":4,\"cat\":5,\"##s\":6,\"a\":7,\"!\":8,"
    "\"##a\":9,\"\\u4f60\":10}}}";

enum { FIXTURE_ROOM = 8192 };

// The fixture with `to` in the place of the first `from`, which it must have, in text; returns text.
static inline const char *fixture_with(const char *from, const char *to, char text[FIXTURE_ROOM])
{
    const char *found = strstr(fixture_json, from);
    snprintf(text, FIXTURE_ROOM, "%.*s%s%s", found ? (int)(found - fixture_json) : 0, fixture_json, to,
             found ? found + strlen(from) : "not in the fixture");
    return text;
}

#endif
