// chunks.c: cuts a text into chunks and keeps their ids.
#include "chunks.h"

#include <stdlib.h>
#include <string.h>

#include "unicode.h"

enum { SETS = 1 << 14, WAYS = 4 }; // a chunk lies in one of the entries of its set

// As long as a line of the CPU's cache, of which a hit reads one or two.
struct ga_text_chunk {
    uint64_t words[GA_TEXT_LONGEST_CHUNK / 8];
    int32_t ids[GA_TEXT_CHUNK_IDS];
    uint32_t hash;
    uint8_t length; // 0: free
    uint8_t where;
    uint8_t n_ids;
};

_Static_assert(sizeof(struct ga_text_chunk) == 64, "a chunk is longer than a line of the cache");

enum ga_status ga_text_chunks_open(struct ga_text_chunks *chunks)
{
    chunks->entries = aligned_alloc(64, sizeof *chunks->entries * SETS * WAYS);
    if (!chunks->entries) {
        return GA_MEMORY;
    }
    memset(chunks->entries, 0, sizeof *chunks->entries * SETS * WAYS);
    return GA_OK;
}

void ga_text_chunks_close(struct ga_text_chunks *chunks)
{
    free(chunks->entries);
    *chunks = (struct ga_text_chunks){0};
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xBF58476D1CE4E5B9u);
    return a ^ a >> 32;
}

void ga_text_chunk_make_key(struct ga_text_chunk_key *key, const char *bytes, size_t length, size_t readable,
                            struct ga_text_where where)
{
    key->length = (uint8_t)length;
    key->where = (uint8_t)(where.section_start | where.text_start << 1);
    if (readable >= sizeof key->words) {
        memcpy(key->words, bytes, sizeof key->words);
        for (size_t i = 0; i < sizeof key->words / 8; i++) { // bytes after the chunk become zeros
            const size_t kept = length > i * 8 ? length - i * 8 : 0;
            key->words[i] &= kept >= 8 ? UINT64_MAX : ((uint64_t)1 << kept * 8) - 1;
        }
    } else {
        memset(key->words, 0, sizeof key->words);
        memcpy(key->words, bytes, length);
    }
    const uint64_t low = mix(key->words[0] ^ key->where, key->words[1] + length);
    key->hash = (uint32_t)(length <= 16 ? low : mix(low ^ key->words[2], key->words[3]));
}

static bool is_entry(const struct ga_text_chunk *entry, const struct ga_text_chunk_key *key)
{
    return entry->hash == key->hash && entry->length == key->length && entry->where == key->where &&
           memcmp(entry->words, key->words, sizeof key->words) == 0;
}

static struct ga_text_chunk *set_of(const struct ga_text_chunks *chunks, const struct ga_text_chunk_key *key)
{
    return chunks->entries + (size_t)(key->hash & (SETS - 1)) * WAYS;
}

enum ga_status ga_text_chunks_find(const struct ga_text_chunks *chunks, const struct ga_text_chunk_key *key,
                                   struct ga_text_tokens *tokens, bool *found_out)
{
    const struct ga_text_chunk *entry = set_of(chunks, key), *end = entry + WAYS;
    while (entry < end && !is_entry(entry, key)) {
        entry++;
    }
    *found_out = entry < end;
    if (!*found_out) {
        return GA_OK;
    }
    if (tokens->capacity - tokens->count < GA_TEXT_CHUNK_IDS) {
        void *items = tokens->items;
        const enum ga_status status =
            ga_text_grow(&items, &tokens->capacity, tokens->count, GA_TEXT_CHUNK_IDS, sizeof *tokens->items);
        tokens->items = items;
        if (status != GA_OK) {
            return status;
        }
    }
    struct ga_text_token *next = tokens->items + tokens->count;
    for (size_t i = 0; i < entry->n_ids; i++) {
        next[i].id = entry->ids[i];
    }
    tokens->count += entry->n_ids;
    return GA_OK;
}

void ga_text_chunks_keep(struct ga_text_chunks *chunks, const struct ga_text_chunk_key *key,
                         const struct ga_text_token *tokens, size_t count)
{
    if (count > GA_TEXT_CHUNK_IDS) {
        return;
    }
    struct ga_text_chunk *set = set_of(chunks, key), *entry = set;
    while (entry < set + WAYS && entry->length > 0) {
        entry++;
    }
    entry = entry < set + WAYS ? entry : set + chunks->next++ % WAYS;
    memcpy(entry->words, key->words, sizeof key->words);
    for (size_t i = 0; i < count; i++) {
        entry->ids[i] = tokens[i].id;
    }
    entry->hash = key->hash;
    entry->length = key->length;
    entry->where = key->where;
    entry->n_ids = (uint8_t)count;
}

static bool is_graphic(char byte)
{
    return byte >= 0x21 && byte <= 0x7E;
}

// Whether the character that ends before `end` is one that a chunk may end with.
static bool ends_chunk(const char *bytes, size_t begin, size_t end)
{
    if (bytes[end - 1] >= 0) {
        return is_graphic(bytes[end - 1]);
    }
    size_t at = end - 1, length;
    while (at > begin && ((unsigned char)bytes[at] & 0xC0) == 0x80) {
        at--;
    }
    return ga_text_is_letter(ga_text_code_point(bytes + at, &length));
}

static bool begins_chunk(const char *bytes)
{
    size_t length;
    return *bytes >= 0 ? is_graphic(*bytes) : ga_text_is_letter(ga_text_code_point(bytes, &length));
}

size_t ga_text_chunk_end(const char *bytes, size_t length, size_t begin)
{
    for (size_t at = begin + 1; at + 1 < length; at++) {
        if (bytes[at] == ' ' && ends_chunk(bytes, begin, at) && begins_chunk(bytes + at + 1)) {
            return at;
        }
    }
    return length;
}
