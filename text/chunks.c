// chunks.c: cuts a text into chunks and keeps their ids.
#include "chunks.h"

#include <stdlib.h>
#include <string.h>

#include "unicode.h"

enum {
    ENTRIES = 1 << 16,
    MOST = ENTRIES / 4 * 3, // entries in use
    KEYS = MOST * 16,       // bytes
    IDS = MOST * 8,
};

struct ga_text_chunk {
    uint64_t hash; // never 0 where it is in use
    uint32_t key, ids;
    uint16_t length, n_ids;
};

enum ga_status ga_text_chunks_open(struct ga_text_chunks *chunks)
{
    chunks->entries = calloc(ENTRIES, sizeof *chunks->entries);
    chunks->keys = malloc(KEYS);
    chunks->ids = malloc(IDS * sizeof *chunks->ids);
    if (!chunks->entries || !chunks->keys || !chunks->ids) {
        ga_text_chunks_close(chunks);
        return GA_MEMORY;
    }
    return GA_OK;
}

void ga_text_chunks_close(struct ga_text_chunks *chunks)
{
    free(chunks->entries);
    free(chunks->keys);
    free(chunks->ids);
    *chunks = (struct ga_text_chunks){0};
}

static uint64_t hash_of(const char *bytes, size_t length, struct ga_text_where where)
{
    const uint64_t place = (uint64_t)where.section_start << 1 | (uint64_t)where.text_start << 2;
    return (ga_text_hash(bytes, length) << 3 | place) | 1;
}

// The entry of a chunk, or the free one where it goes.
static struct ga_text_chunk *entry_of(const struct ga_text_chunks *chunks, const char *bytes, size_t length,
                                      uint64_t hash)
{
    size_t slot = hash >> 3 & (ENTRIES - 1);
    for (;; slot = (slot + 1) & (ENTRIES - 1)) {
        struct ga_text_chunk *entry = &chunks->entries[slot];
        if (!entry->hash ||
            (entry->hash == hash && entry->length == length && memcmp(chunks->keys + entry->key, bytes, length) == 0)) {
            return entry;
        }
    }
}

enum ga_status ga_text_chunks_find(const struct ga_text_chunks *chunks, const char *bytes, size_t length,
                                   struct ga_text_where where, struct ga_text_tokens *tokens, bool *found_out)
{
    const struct ga_text_chunk *entry = entry_of(chunks, bytes, length, hash_of(bytes, length, where));
    *found_out = entry->hash != 0;
    if (!*found_out) {
        return GA_OK;
    }
    if (tokens->capacity - tokens->count < entry->n_ids) {
        void *items = tokens->items;
        const enum ga_status status =
            ga_text_grow(&items, &tokens->capacity, tokens->count, entry->n_ids, sizeof *tokens->items);
        tokens->items = items;
        if (status != GA_OK) {
            return status;
        }
    }
    struct ga_text_token *next = tokens->items + tokens->count;
    for (size_t i = 0; i < entry->n_ids; i++) {
        next[i] = (struct ga_text_token){chunks->ids[entry->ids + i], 0, 0};
    }
    tokens->count += entry->n_ids;
    return GA_OK;
}

void ga_text_chunks_keep(struct ga_text_chunks *chunks, const char *bytes, size_t length, struct ga_text_where where,
                         const struct ga_text_token *tokens, size_t count)
{
    if (count > GA_TEXT_CHUNK_IDS) {
        return;
    }
    if (chunks->count == MOST || chunks->n_keys + length > KEYS || chunks->n_ids + count > IDS) {
        memset(chunks->entries, 0, ENTRIES * sizeof *chunks->entries);
        chunks->count = chunks->n_keys = chunks->n_ids = 0;
    }
    const uint64_t hash = hash_of(bytes, length, where);
    *entry_of(chunks, bytes, length, hash) = (struct ga_text_chunk){
        hash, (uint32_t)chunks->n_keys, (uint32_t)chunks->n_ids, (uint16_t)length, (uint16_t)count,
    };
    memcpy(chunks->keys + chunks->n_keys, bytes, length);
    for (size_t i = 0; i < count; i++) {
        chunks->ids[chunks->n_ids + i] = tokens[i].id;
    }
    chunks->count++;
    chunks->n_keys += length;
    chunks->n_ids += count;
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
