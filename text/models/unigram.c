// unigram.c: the model Unigram: reads its object of the JSON. Encodes nothing: that is unigram_encode.c.
#include "unigram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "score.h"

// -- Reading --------------------------------------------------------------------------------------------------------

// The object as the JSON has it.
struct unigram_fields {
    json_t *unknown;
    bool byte_fallback;
    json_t *vocabulary;
    double unknown_score; // of a GGUF file, which leaves out tokens with null for a score; no tokenizer.json has it
};

static const struct ga_text_field fields[] = {
    {"unk_id", GA_TEXT_ANY, GA_TEXT_NULLABLE, offsetof(struct unigram_fields, unknown)},
    {"byte_fallback", GA_TEXT_BOOL, GA_TEXT_OPTIONAL, offsetof(struct unigram_fields, byte_fallback)},
    {"vocab", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct unigram_fields, vocabulary)},
    {"unknown_score", GA_TEXT_NUMBER, GA_TEXT_NULLABLE, offsetof(struct unigram_fields, unknown_score)},
};

static enum ga_status read_entry(struct ga_text_unigram *unigram, struct ga_text_reader *reader, json_t *entry,
                                 size_t index, struct ga_text_bytes *token_out)
{
    json_t *token = json_array_get(entry, 0), *score = json_array_get(entry, 1);
    const bool is_left_out = unigram->is_gguf && json_is_null(score);
    if (json_array_size(entry) != 2 || !json_is_string(token) || (!json_is_number(score) && !is_left_out)) {
        return ga_text_refuse_as(reader, "vocab[%zu] is not a token; expected [\"token\", score]", index);
    }
    *token_out = (struct ga_text_bytes){json_string_value(token), json_string_length(token)};
    const double value = json_number_value(score);
    unigram->scores[index] = is_left_out ? NAN : unigram->is_gguf ? value : ga_text_score(value);
    return GA_OK;
}

// Takes tokens without a score out of what texts are searched for.
static void leave_out(struct ga_text_unigram *unigram)
{
    for (size_t id = 0; id < unigram->vocabulary.count; id++) {
        const struct ga_text_bytes token = ga_text_vocabulary_token(&unigram->vocabulary, (int32_t)id);
        int32_t place = GA_TEXT_ARRAY_ROOT;
        if (!isnan(unigram->scores[id])) {
            continue;
        }
        for (size_t i = 0; i < token.length; i++) {
            place = ga_text_array_child(&unigram->array, place, (unsigned char)token.bytes[i]);
        }
        unigram->array.nodes[place].id = GA_TEXT_NO_ID;
        unigram->scores[id] = 0;
    }
}

static enum ga_status read_entries(struct ga_text_unigram *unigram, struct ga_text_reader *reader, json_t *array,
                                   struct ga_text_bytes *tokens)
{
    const size_t count = json_array_size(array);
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        status = read_entry(unigram, reader, json_array_get(array, i), i, &tokens[i]);
    }
    if (status != GA_OK) {
        return status;
    }
    status = ga_text_vocabulary_make(&unigram->vocabulary, tokens, count);
    if (status != GA_OK) {
        return ga_text_vocabulary_refuse(reader, status);
    }
    status = ga_text_vocabulary_check_lengths(&unigram->vocabulary, reader);
    if (status != GA_OK) {
        return status;
    }
    status = ga_text_double_array_make(&unigram->array, &unigram->vocabulary, (struct ga_text_bytes){NULL, 0});
    if (status != GA_OK) {
        return ga_text_refuse_memory(reader);
    }
    leave_out(unigram);
    return GA_OK;
}

static enum ga_status read_vocabulary(struct ga_text_unigram *unigram, struct ga_text_reader *reader, json_t *array)
{
    const size_t count = json_array_size(array);
    if (count > GA_TEXT_IDS) {
        return ga_text_refuse_as(reader, "vocab has %zu tokens; expected at most %d", count, GA_TEXT_IDS);
    }
    struct ga_text_bytes *tokens = malloc((count + 1) * sizeof(*tokens));
    unigram->scores = malloc((count + 1) * sizeof(*unigram->scores));
    const bool has_room = tokens != NULL && unigram->scores != NULL;
    const enum ga_status status =
        has_room ? read_entries(unigram, reader, array, tokens) : ga_text_refuse_memory(reader);
    free(tokens);
    return status;
}

// -- Packed ---------------------------------------------------------------------------------------------------------

enum { SCORE_NUMBERS = sizeof(double) / sizeof(uint32_t) };

// A score as numbers of a table, the lower half first.
static void write_score(double score, unsigned char *to)
{
    uint64_t bits;
    memcpy(&bits, &score, sizeof bits);
    ga_text_table_write((const uint32_t[]){(uint32_t)bits, (uint32_t)(bits >> 32)}, to, SCORE_NUMBERS);
}

static double read_score(const unsigned char *from)
{
    uint32_t halves[SCORE_NUMBERS];
    ga_text_table_read(from, halves, SCORE_NUMBERS);
    const uint64_t bits = (uint64_t)halves[1] << 32 | halves[0];
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

// Every id of a Unigram has a token and a score, which no JSON has as infinite or no number.
static enum ga_status unpack_scores(struct ga_text_unigram *unigram, struct ga_text_reader *reader)
{
    const struct ga_text_table *table = &reader->tables->of[GA_TEXT_TABLE_SCORES];
    const size_t count = unigram->vocabulary.count;
    if (table->size != count * sizeof(double) || unigram->vocabulary.n_tokens != count) {
        return ga_text_refuse_as(reader, "%zu bytes of packed scores; expected %zu, for %zu tokens", table->size,
                                 count * sizeof(double), count);
    }
    unigram->scores = malloc((count + 1) * sizeof *unigram->scores);
    if (unigram->scores == NULL) {
        return ga_text_refuse_memory(reader);
    }
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        unigram->scores[i] = read_score(table->bytes + i * sizeof(double));
        finite &= isfinite(unigram->scores[i]) != 0;
    }
    return finite ? GA_OK : ga_text_refuse_as(reader, "a packed score that is infinite or no number");
}

static enum ga_status unpack(struct ga_text_unigram *unigram, struct ga_text_reader *reader)
{
    enum ga_status status = ga_text_vocabulary_unpack(&unigram->vocabulary, reader);
    status = status == GA_OK ? ga_text_vocabulary_check_lengths(&unigram->vocabulary, reader) : status;
    status = status == GA_OK ? unpack_scores(unigram, reader) : status;
    return status == GA_OK
               ? ga_text_double_array_read(&unigram->array, reader, GA_TEXT_TABLE_BEGINNINGS, unigram->vocabulary.count)
               : status;
}

static enum ga_status pack(const void *self, struct ga_text_tables *tables)
{
    const struct ga_text_unigram *unigram = self;
    struct ga_text_table *scores = &tables->of[GA_TEXT_TABLE_SCORES];
    enum ga_status status = ga_text_vocabulary_pack(&unigram->vocabulary, tables);
    status = status == GA_OK ? ga_text_table_make(scores, unigram->vocabulary.count * sizeof(double)) : status;
    for (size_t i = 0; status == GA_OK && i < unigram->vocabulary.count; i++) {
        write_score(unigram->scores[i], scores->bytes + i * sizeof(double));
    }
    return status == GA_OK ? ga_text_double_array_pack(&unigram->array, &tables->of[GA_TEXT_TABLE_BEGINNINGS]) : status;
}

// -- The object -----------------------------------------------------------------------------------------------------

static enum ga_status read_unknown(struct ga_text_unigram *unigram, struct ga_text_reader *reader, json_t *value,
                                   size_t count)
{
    unigram->unknown_id = GA_TEXT_NO_ID;
    if (value == NULL || json_is_null(value)) {
        return GA_OK;
    }
    if (!json_is_integer(value)) {
        return ga_text_refuse(reader, "unk_id", NULL, "the place of a token in vocab, or null");
    }
    const json_int_t id = json_integer_value(value);
    if (id < 0 || (size_t)id >= count) {
        return ga_text_refuse_as(reader, "unk_id is %lld; expected the place of one of %zu tokens", (long long)id,
                                 count);
    }
    unigram->unknown_id = (int32_t)id;
    return GA_OK;
}

// An unknown character costs 10 more than the token of the lowest score, as in sentencepiece.
static void find_scores(struct ga_text_unigram *unigram, size_t count)
{
    double lowest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        lowest = unigram->scores[i] < lowest ? unigram->scores[i] : lowest;
    }
    unigram->unknown_score = lowest - 10.0;
    for (unsigned byte = 0; byte < 256; byte++) {
        char name[8];
        snprintf(name, sizeof(name), "<0x%02X>", byte);
        unigram->byte_ids[byte] = ga_text_vocabulary_id(&unigram->vocabulary, name, 6);
    }
}

static enum ga_status read(struct ga_text_unigram *unigram, struct ga_text_reader *reader, json_t *object)
{
    struct unigram_fields in = {.unknown_score = NAN};
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof(fields) / sizeof(*fields), &in);
    if (status != GA_OK) {
        return status;
    }
    unigram->is_gguf = !isnan(in.unknown_score);
    status = reader->tables ? unpack(unigram, reader) : read_vocabulary(unigram, reader, in.vocabulary);
    const size_t count = unigram->vocabulary.count;
    status = status == GA_OK ? read_unknown(unigram, reader, in.unknown, count) : status;
    if (status == GA_OK) {
        unigram->byte_fallback = in.byte_fallback;
        find_scores(unigram, count);
        unigram->unknown_score = unigram->is_gguf ? in.unknown_score : unigram->unknown_score;
    }
    return status;
}

// -- The class ------------------------------------------------------------------------------------------------------

static void close_unigram(void *self)
{
    struct ga_text_unigram *unigram = self;
    if (unigram != NULL) {
        ga_text_vocabulary_free(&unigram->vocabulary);
        ga_text_double_array_free(&unigram->array);
        free(unigram->scores);
        free(unigram);
    }
}

static enum ga_status open_unigram(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct ga_text_unigram *unigram = calloc(1, sizeof(*unigram));
    if (unigram == NULL) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = read(unigram, reader, object);
    if (status != GA_OK) {
        close_unigram(unigram);
        return status;
    }
    *self_out = unigram;
    return GA_OK;
}

static enum ga_status open_scratch(const void *self, void **scratch_out)
{
    (void)self;
    *scratch_out = calloc(1, sizeof(struct ga_text_unigram_scratch));
    return *scratch_out == NULL ? GA_MEMORY : GA_OK;
}

static void close_scratch(void *scratch)
{
    struct ga_text_unigram_scratch *s = scratch;
    if (s != NULL) {
        free(s->paths);
        free(s);
    }
}

static const struct ga_text_vocabulary *vocabulary_of(const void *self)
{
    return &((const struct ga_text_unigram *)self)->vocabulary;
}

// What is unknown has its own text in place of that of the token for it.
static bool is_surface(const void *self, int32_t id)
{
    return id == ((const struct ga_text_unigram *)self)->unknown_id;
}

const struct ga_text_model_class ga_text_unigram = {
    .base = {"Unigram", open_unigram, close_unigram, open_scratch, close_scratch},
    .encode = ga_text_unigram_encode,
    .vocabulary = vocabulary_of,
    .pack = pack,
    .is_surface = is_surface,
};
