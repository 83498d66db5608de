// vocabulary.c: tokens in two flat tables, from the JSON or from the tables of a packed tokenizer.
#include "vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "unicode.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xBF58476D1CE4E5B9u);
    return a ^ a >> 32;
}

static uint64_t word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// At most eight bytes as a number. Those of one length that differ are different numbers.
static uint64_t tail_at(const char *bytes, size_t length)
{
    uint32_t first = 0, last = 0;
    if (length >= sizeof first) { // both may hold a byte
        memcpy(&first, bytes, sizeof first);
        memcpy(&last, bytes + length - sizeof last, sizeof last);
    } else if (length > 0) {
        const unsigned char *b = (const unsigned char *)bytes;
        first = (uint32_t)(b[0] | b[length / 2] << 8 | b[length - 1] << 16);
    }
    return (uint64_t)last << 32 | first;
}

uint64_t ga_text_hash(const char *bytes, size_t length, uint64_t seed)
{
    uint64_t hash = length * 0x94D049BB133111EBu ^ seed * 0xD6E8FEB86659FD93u;
    for (; length > sizeof hash; bytes += sizeof hash, length -= sizeof hash) {
        hash = mix(hash, word_at(bytes));
    }
    hash = mix(hash, tail_at(bytes, length));
    return mix(hash, hash >> 29);
}

struct ga_text_bytes ga_text_vocabulary_token(const struct ga_text_vocabulary *vocabulary, int32_t id)
{
    if (id < 0 || (size_t)id >= vocabulary->count || !vocabulary->has[id]) {
        return (struct ga_text_bytes){NULL, 0};
    }
    const uint32_t begin = vocabulary->begins[id];
    return (struct ga_text_bytes){vocabulary->bytes + begin, vocabulary->begins[id + 1] - begin};
}

// Looks for a token: *slot_out is the one that has its id, or the free one where it would go. False: neither is among
// the slots that are looked at, so that there is no such token.
static bool find_slot(const struct ga_text_vocabulary *vocabulary, const char *bytes, size_t length, uint32_t *slot_out)
{
    uint32_t slot = (uint32_t)ga_text_hash(bytes, length, vocabulary->seed) & vocabulary->mask;
    for (int probes = 0; probes < GA_TEXT_PROBES; probes++, slot = (slot + 1) & vocabulary->mask) {
        const int32_t id = vocabulary->slots[slot];
        const uint32_t begin = id == GA_TEXT_NO_ID ? 0 : vocabulary->begins[id];
        if (id == GA_TEXT_NO_ID ||
            (vocabulary->begins[id + 1] - begin == length && memcmp(vocabulary->bytes + begin, bytes, length) == 0)) {
            *slot_out = slot;
            return true;
        }
    }
    return false;
}

int32_t ga_text_vocabulary_id(const struct ga_text_vocabulary *vocabulary, const char *bytes, size_t length)
{
    uint32_t slot;
    const bool found = vocabulary->count > 0 && find_slot(vocabulary, bytes, length, &slot);
    return found ? vocabulary->slots[slot] : GA_TEXT_NO_ID;
}

void ga_text_vocabulary_free(struct ga_text_vocabulary *vocabulary)
{
    free(vocabulary->bytes);
    free(vocabulary->begins);
    free(vocabulary->has);
    free(vocabulary->slots);
    *vocabulary = (struct ga_text_vocabulary){0};
}

static enum ga_status allocate(struct ga_text_vocabulary *vocabulary, size_t count, size_t bytes)
{
    uint32_t slots = 16;
    while (slots < count * 2) {
        slots *= 2;
    }
    vocabulary->count = count;
    vocabulary->mask = slots - 1;
    vocabulary->bytes = malloc(bytes + 1);
    vocabulary->begins = calloc(count + 1, sizeof *vocabulary->begins);
    vocabulary->has = calloc(count + 1, sizeof *vocabulary->has);
    vocabulary->slots = malloc(slots * sizeof *vocabulary->slots);
    if (!vocabulary->bytes || !vocabulary->begins || !vocabulary->has || !vocabulary->slots) {
        ga_text_vocabulary_free(vocabulary);
        return GA_MEMORY;
    }
    return GA_OK;
}

// Puts the ids in their slots by one seed of the hash, the last first: of equal tokens it is the one that is found.
// False where a token finds no slot among those that are looked at.
static bool try_seed(struct ga_text_vocabulary *vocabulary, uint64_t seed)
{
    vocabulary->seed = seed;
    memset(vocabulary->slots, 0xFF, ((size_t)vocabulary->mask + 1) * sizeof *vocabulary->slots);
    for (size_t id = vocabulary->count; id-- > 0;) {
        const uint32_t begin = vocabulary->begins[id], length = vocabulary->begins[id + 1] - begin;
        uint32_t slot;
        if (vocabulary->has[id] && !find_slot(vocabulary, vocabulary->bytes + begin, length, &slot)) {
            return false;
        }
        if (vocabulary->has[id] && vocabulary->slots[slot] == GA_TEXT_NO_ID) {
            vocabulary->slots[slot] = (int32_t)id;
        }
    }
    return true;
}

// Tokens that were made to collide by one seed do not by the next, unless they were made for all of them.
static bool fill_slots(struct ga_text_vocabulary *vocabulary)
{
    bool filled = false;
    for (uint64_t seed = 0; seed < GA_TEXT_SEEDS && !filled; seed++) {
        filled = try_seed(vocabulary, seed);
    }
    return filled;
}

enum ga_status ga_text_vocabulary_refuse(struct ga_text_reader *reader, enum ga_status status)
{
    return status == GA_FORMAT
               ? ga_text_refuse_as(reader, "vocab: more than %d tokens have hashes that are alike", GA_TEXT_PROBES)
               : ga_text_refuse_memory(reader);
}

enum ga_status ga_text_vocabulary_make(struct ga_text_vocabulary *vocabulary, const struct ga_text_bytes *tokens,
                                       size_t count)
{
    size_t bytes = 0;
    *vocabulary = (struct ga_text_vocabulary){0};
    for (size_t i = 0; i < count; i++) {
        bytes += tokens[i].length;
    }
    if (count > GA_TEXT_IDS || bytes > UINT32_MAX) {
        return GA_OVERFLOW;
    }
    if (allocate(vocabulary, count, bytes) != GA_OK) {
        return GA_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        vocabulary->has[i] = tokens[i].bytes != NULL;
        vocabulary->n_tokens += tokens[i].bytes != NULL;
        if (tokens[i].length) {
            memcpy(vocabulary->bytes + vocabulary->length, tokens[i].bytes, tokens[i].length);
        }
        vocabulary->length += tokens[i].length;
        vocabulary->begins[i + 1] = (uint32_t)vocabulary->length;
    }
    if (!fill_slots(vocabulary)) {
        ga_text_vocabulary_free(vocabulary);
        return GA_FORMAT;
    }
    return GA_OK;
}

// Puts the tokens of object at the places of their ids; there is room for limit of them.
static enum ga_status sort_tokens(struct ga_text_reader *reader, json_t *object, struct ga_text_bytes *tokens,
                                  size_t limit, size_t *count_out)
{
    const char *token;
    json_t *value;
    json_object_foreach(object, token, value)
    {
        const json_int_t id = json_is_integer(value) ? json_integer_value(value) : -1;
        if (id < 0 || (uint64_t)id >= limit) {
            return ga_text_refuse_as(reader, "the id of \"%.60s\": expected an integer from 0 to %zu", token,
                                     limit - 1);
        }
        if (tokens[id].bytes) {
            return ga_text_refuse_as(reader, "\"%.60s\" and \"%.60s\" have the same id, %lld", tokens[id].bytes, token,
                                     (long long)id);
        }
        tokens[id] = (struct ga_text_bytes){token, strlen(token)};
        *count_out = (size_t)id + 1 > *count_out ? (size_t)id + 1 : *count_out;
    }
    return GA_OK;
}

enum ga_status ga_text_vocabulary_read(struct ga_text_vocabulary *vocabulary, struct ga_text_reader *reader,
                                       json_t *object)
{
    if (reader->tables) {
        return ga_text_vocabulary_unpack(vocabulary, reader);
    }
    *vocabulary = (struct ga_text_vocabulary){0};
    const size_t size = json_object_size(object), wide = size * 4 + 1024;
    const size_t limit = wide < GA_TEXT_IDS ? wide : GA_TEXT_IDS;
    struct ga_text_bytes *tokens = calloc(limit, sizeof *tokens);
    size_t count = 0;
    if (!tokens) {
        return ga_text_refuse_memory(reader);
    }
    enum ga_status status = sort_tokens(reader, object, tokens, limit, &count);
    if (status == GA_OK) {
        status = ga_text_vocabulary_make(vocabulary, tokens, count);
        status = status == GA_OK ? status : ga_text_vocabulary_refuse(reader, status);
    }
    free(tokens);
    return status;
}

enum ga_status ga_text_vocabulary_check_lengths(const struct ga_text_vocabulary *vocabulary,
                                                struct ga_text_reader *reader)
{
    for (size_t id = 0; id < vocabulary->count; id++) {
        const size_t length = vocabulary->begins[id + 1] - vocabulary->begins[id];
        if (length > GA_TEXT_LONGEST_TOKEN) {
            return ga_text_refuse_as(reader, "vocab: token %zu, \"%.20s...\", has %zu bytes; expected at most %d", id,
                                     vocabulary->bytes + vocabulary->begins[id], length, GA_TEXT_LONGEST_TOKEN);
        }
    }
    return GA_OK;
}

// -- Packed ---------------------------------------------------------------------------------------------------------

// An id's entry in the column of lengths.
static uint32_t entry_of(const struct ga_text_vocabulary *vocabulary, size_t id)
{
    return vocabulary->has[id] ? vocabulary->begins[id + 1] - vocabulary->begins[id] + 1 : 0;
}

enum ga_status ga_text_vocabulary_pack(const struct ga_text_vocabulary *vocabulary, struct ga_text_tables *tables)
{
    struct ga_text_table *lengths = &tables->of[GA_TEXT_TABLE_LENGTHS], *tokens = &tables->of[GA_TEXT_TABLE_TOKENS];
    struct ga_text_columns columns;
    uint32_t most = 0;
    for (size_t id = 0; id < vocabulary->count; id++) {
        most = entry_of(vocabulary, id) > most ? entry_of(vocabulary, id) : most;
    }
    enum ga_status status = ga_text_columns_make(lengths, &most, 1, vocabulary->count, &columns);
    status = status == GA_OK ? ga_text_table_make(tokens, vocabulary->length) : status;
    if (status != GA_OK) {
        return status;
    }
    for (size_t id = 0; id < vocabulary->count; id++) {
        ga_text_columns_set(&columns, 0, id, entry_of(vocabulary, id));
    }
    memcpy(tokens->bytes, vocabulary->bytes, vocabulary->length);
    return GA_OK;
}

// Whether a token begins within a character.
static bool cuts_characters(const struct ga_text_vocabulary *vocabulary)
{
    bool cuts = false;
    for (size_t id = 0; id < vocabulary->count; id++) {
        const uint32_t begin = vocabulary->begins[id];
        cuts |= begin < vocabulary->length && ((unsigned char)vocabulary->bytes[begin] & 0xC0) == 0x80;
    }
    return cuts;
}

// Where each token begins, from the column of lengths; false where they do not end with the bytes.
static bool add_up(struct ga_text_vocabulary *vocabulary, const struct ga_text_columns *lengths)
{
    uint64_t end = 0;
    for (size_t id = 0; id < vocabulary->count && end <= vocabulary->length; id++) {
        const uint32_t entry = ga_text_columns_get(lengths, 0, id);
        vocabulary->has[id] = entry > 0;
        vocabulary->n_tokens += entry > 0;
        end += entry > 0 ? entry - 1 : 0;
        vocabulary->begins[id + 1] = (uint32_t)end;
    }
    return end == vocabulary->length;
}

enum ga_status ga_text_vocabulary_unpack(struct ga_text_vocabulary *vocabulary, struct ga_text_reader *reader)
{
    const struct ga_text_table *lengths = &reader->tables->of[GA_TEXT_TABLE_LENGTHS];
    const struct ga_text_table *tokens = &reader->tables->of[GA_TEXT_TABLE_TOKENS];
    struct ga_text_columns columns = {.count = 0};
    const bool is_column = ga_text_columns_find(lengths, 1, &columns);
    *vocabulary = (struct ga_text_vocabulary){0};
    if (!is_column) {
        return ga_text_refuse_as(reader, "packed lengths of %zu bytes, which are not a column", lengths->size);
    }
    if (columns.count > GA_TEXT_IDS || tokens->size > UINT32_MAX) {
        return ga_text_refuse_as(reader, "%zu packed ids of %zu bytes; expected at most %d of 4 GB", columns.count,
                                 tokens->size, GA_TEXT_IDS);
    }
    if (allocate(vocabulary, columns.count, tokens->size) != GA_OK) {
        return ga_text_refuse_memory(reader);
    }
    vocabulary->length = tokens->size;
    if (tokens->size > 0) {
        memcpy(vocabulary->bytes, tokens->bytes, tokens->size);
    }
    if (!add_up(vocabulary, &columns) || cuts_characters(vocabulary) ||
        ga_text_valid_utf8(vocabulary->bytes, vocabulary->length) < vocabulary->length) {
        ga_text_vocabulary_free(vocabulary);
        return ga_text_refuse_as(reader, "packed tokens that are not UTF-8 of the lengths given with them");
    }
    if (!fill_slots(vocabulary)) {
        ga_text_vocabulary_free(vocabulary);
        return ga_text_vocabulary_refuse(reader, GA_FORMAT);
    }
    return GA_OK;
}
