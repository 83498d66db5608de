// merges.c: the merges of a BPE model, found by the two tokens that they join. Applies none of them.
#include "merges.h"

#include <stdlib.h>
#include <string.h>

#include "text_limits.h"

// -- The table ------------------------------------------------------------------------------------------------------

enum ga_status ga_text_merges_make(struct ga_text_merges *merges, size_t count)
{
    size_t size = 16;
    while (size < 2 * count) {
        size *= 2;
    }
    *merges = (struct ga_text_merges){.slots = malloc(size * sizeof(*merges->slots)), .mask = (uint32_t)(size - 1)};
    for (size_t i = 0; merges->slots != NULL && i < size; i++) {
        merges->slots[i].left = GA_TEXT_NO_ID;
    }
    return merges->slots == NULL ? GA_MEMORY : GA_OK;
}

// Puts a merge among the places that are looked at; false where none is free there.
static bool put(struct ga_text_merges *merges, const struct ga_text_merge_slot *slot)
{
    uint32_t at = ga_text_merge_place(slot->left, slot->right, merges->seed) & merges->mask;
    for (int probes = 0; probes < GA_TEXT_PROBES; probes++, at = (at + 1) & merges->mask) {
        const struct ga_text_merge_slot *there = &merges->slots[at];
        if (there->left == GA_TEXT_NO_ID || (there->left == slot->left && there->right == slot->right)) {
            merges->slots[at] = *slot;
            return true;
        }
    }
    return false;
}

// Makes the table again by another seed, with one merge more; merges stay as they were where there is no place.
static bool put_all(struct ga_text_merges *merges, const struct ga_text_merge_slot *more, uint64_t seed)
{
    struct ga_text_merges other;
    const size_t slots = (size_t)merges->mask + 1;
    bool good = ga_text_merges_make(&other, slots / 2) == GA_OK;
    other.seed = seed * UINT64_C(0x9FB21C651E98DF25);
    for (size_t i = 0; i < slots && good; i++) {
        good = merges->slots[i].left == GA_TEXT_NO_ID || put(&other, &merges->slots[i]);
    }
    good = good && put(&other, more);
    ga_text_merges_free(good ? merges : &other);
    *merges = good ? other : *merges;
    return good;
}

bool ga_text_merges_add(struct ga_text_merges *merges, int32_t left, int32_t right, struct ga_text_merge merge)
{
    const struct ga_text_merge_slot slot = {left, right, merge};
    bool done = put(merges, &slot);
    for (; !done && merges->n_seeds < GA_TEXT_SEEDS; merges->n_seeds++) {
        done = put_all(merges, &slot, merges->n_seeds + 1);
    }
    return done;
}

void ga_text_merges_free(struct ga_text_merges *merges)
{
    free(merges->slots);
    *merges = (struct ga_text_merges){0};
}

// -- Reading --------------------------------------------------------------------------------------------------------

// What reading needs of one merge to the next.
struct merge_reading {
    struct ga_text_reader *reader;
    const struct ga_text_vocabulary *vocabulary;
    size_t prefix_length;
    char *joined; // work space for the joined token
    size_t joined_capacity;
};

struct two_tokens {
    struct ga_text_bytes left, right;
};

static struct ga_text_bytes bytes_of(json_t *string)
{
    return (struct ga_text_bytes){json_string_value(string), json_string_length(string)};
}

// The two tokens of "left right", with one space; false for any other string.
static bool divide(struct ga_text_bytes text, struct two_tokens *out)
{
    const char *space = memchr(text.bytes, ' ', text.length);
    if (space == NULL) {
        return false;
    }
    const size_t left = (size_t)(space - text.bytes), right = text.length - left - 1;
    *out = (struct two_tokens){{text.bytes, left}, {space + 1, right}};
    return memchr(space + 1, ' ', right) == NULL;
}

static bool two_tokens_of(json_t *value, struct two_tokens *out)
{
    if (json_is_string(value)) {
        return divide(bytes_of(value), out);
    }
    json_t *left = json_array_get(value, 0), *right = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_string(left) || !json_is_string(right)) {
        return false;
    }
    *out = (struct two_tokens){bytes_of(left), bytes_of(right)};
    return true;
}

static enum ga_status id_of(const struct merge_reading *r, size_t index, struct ga_text_bytes token, int32_t *id_out)
{
    *id_out = ga_text_vocabulary_id(r->vocabulary, token.bytes, token.length);
    return *id_out != GA_TEXT_NO_ID
               ? GA_OK
               : ga_text_refuse_as(r->reader, "merges[%zu] needs the token \"%.*s\"; expected one of the vocabulary",
                                   index, token.length < 64 ? (int)token.length : 64, token.bytes);
}

static enum ga_status join(struct merge_reading *r, const struct two_tokens *tokens, struct ga_text_bytes *out)
{
    const size_t skipped = r->prefix_length, length = tokens->left.length + tokens->right.length - skipped;
    void *joined = r->joined;
    const enum ga_status status = ga_text_grow(&joined, &r->joined_capacity, 0, length, 1);
    r->joined = joined;
    if (status != GA_OK) {
        return ga_text_refuse_memory(r->reader);
    }
    memcpy(r->joined, tokens->left.bytes, tokens->left.length);
    memcpy(r->joined + tokens->left.length, tokens->right.bytes + skipped, tokens->right.length - skipped);
    *out = (struct ga_text_bytes){r->joined, length};
    return GA_OK;
}

static enum ga_status refuse_alike(struct ga_text_reader *reader)
{
    return ga_text_refuse_as(reader, "merges: more than %d have hashes that are alike", GA_TEXT_PROBES);
}

static enum ga_status add_merge(struct ga_text_merges *merges, struct merge_reading *r, size_t index,
                                const struct two_tokens *tokens)
{
    int32_t left = 0, right = 0, id = 0;
    struct ga_text_bytes joined = {NULL, 0};
    enum ga_status status = id_of(r, index, tokens->left, &left);
    status = status == GA_OK ? id_of(r, index, tokens->right, &right) : status;
    if (status == GA_OK && (tokens->left.length == 0 || tokens->right.length <= r->prefix_length)) {
        status = ga_text_refuse_as(r->reader, "merges[%zu] joins a token without text; expected two with text", index);
    }
    status = status == GA_OK ? join(r, tokens, &joined) : status;
    status = status == GA_OK ? id_of(r, index, joined, &id) : status;
    const struct ga_text_merge merge = {(uint32_t)index, id};
    return status != GA_OK || ga_text_merges_add(merges, left, right, merge) ? status : refuse_alike(r->reader);
}

// A first line of a file of merges that found its way into the array: the package passes it over, without a rank.
static bool is_version(json_t *value)
{
    static const char mark[] = "#version";
    return json_is_string(value) && strncmp(json_string_value(value), mark, sizeof(mark) - 1) == 0;
}

static enum ga_status read_merges(struct ga_text_merges *merges, struct merge_reading *r, json_t *array)
{
    const size_t count = json_array_size(array);
    size_t passed = 0;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        json_t *value = json_array_get(array, i);
        struct two_tokens tokens;
        if (is_version(value)) {
            passed++;
        } else if (two_tokens_of(value, &tokens)) {
            status = add_merge(merges, r, i - passed, &tokens);
        } else {
            status = ga_text_refuse_as(r->reader,
                                       "merges[%zu] is not a merge; expected \"left right\" or "
                                       "[\"left\", \"right\"]",
                                       i);
        }
    }
    return status;
}

// -- Packed ---------------------------------------------------------------------------------------------------------

enum { MERGE_NUMBERS = 3, MERGE_BYTES = MERGE_NUMBERS * sizeof(uint32_t) };

static int by_rank(const void *left, const void *right)
{
    const struct ga_text_merge_slot *a = left, *b = right;
    return (a->merge.rank > b->merge.rank) - (a->merge.rank < b->merge.rank);
}

// The merges without the free slots, by rank; NULL without memory. The caller frees them.
static struct ga_text_merge_slot *sorted_merges(const struct ga_text_merges *merges, size_t *count_out)
{
    const size_t slots = (size_t)merges->mask + 1;
    struct ga_text_merge_slot *sorted = malloc(slots * sizeof(*sorted));
    *count_out = 0;
    for (size_t i = 0; sorted != NULL && i < slots; i++) {
        if (merges->slots[i].left != GA_TEXT_NO_ID) {
            sorted[(*count_out)++] = merges->slots[i];
        }
    }
    if (sorted != NULL) {
        qsort(sorted, *count_out, sizeof(*sorted), by_rank);
    }
    return sorted;
}

enum ga_status ga_text_merges_pack(const struct ga_text_merges *merges, struct ga_text_tables *tables)
{
    struct ga_text_table *table = &tables->of[GA_TEXT_TABLE_MERGES];
    size_t count;
    struct ga_text_merge_slot *sorted = sorted_merges(merges, &count);
    const enum ga_status status = sorted != NULL ? ga_text_table_make(table, count * MERGE_BYTES) : GA_MEMORY;
    for (size_t i = 0; status == GA_OK && i < count; i++) {
        const uint32_t numbers[] = {(uint32_t)sorted[i].left, (uint32_t)sorted[i].right, (uint32_t)sorted[i].merge.id};
        ga_text_table_write(numbers, table->bytes + i * MERGE_BYTES, MERGE_NUMBERS);
    }
    free(sorted);
    return status;
}

// Whether a merge of two tokens with text gives the third: what reading the JSON makes sure of. *bytes: those that may
// still be compared, as a JSON spells out what it joins.
static bool joins(const struct ga_text_vocabulary *vocabulary, const uint32_t numbers[MERGE_NUMBERS], size_t skipped,
                  size_t *bytes)
{
    const struct ga_text_bytes left = ga_text_vocabulary_token(vocabulary, (int32_t)numbers[0]);
    const struct ga_text_bytes right = ga_text_vocabulary_token(vocabulary, (int32_t)numbers[1]);
    const struct ga_text_bytes joined = ga_text_vocabulary_token(vocabulary, (int32_t)numbers[2]);
    if (joined.length > *bytes) {
        return false;
    }
    *bytes -= joined.length;
    return left.length > 0 && right.length > skipped && joined.length == left.length + right.length - skipped &&
           memcmp(joined.bytes, left.bytes, left.length) == 0 &&
           memcmp(joined.bytes + left.length, right.bytes + skipped, right.length - skipped) == 0;
}

static enum ga_status unpack_merges(struct ga_text_merges *merges, struct ga_text_reader *reader,
                                    const struct ga_text_vocabulary *vocabulary, size_t prefix_length)
{
    const struct ga_text_table *table = &reader->tables->of[GA_TEXT_TABLE_MERGES];
    const size_t count = table->size / MERGE_BYTES;
    if (table->size % MERGE_BYTES != 0 || count > GA_TEXT_MERGES) {
        return ga_text_refuse_as(reader, "%zu bytes of packed merges; expected at most %d of %d bytes", table->size,
                                 GA_TEXT_MERGES, (int)MERGE_BYTES);
    }
    if (ga_text_merges_make(merges, count) != GA_OK) {
        return ga_text_refuse_memory(reader);
    }
    size_t left = GA_TEXT_LARGEST_FILE;
    for (size_t i = 0; i < count; i++) {
        uint32_t numbers[MERGE_NUMBERS];
        ga_text_table_read(table->bytes + i * MERGE_BYTES, numbers, MERGE_NUMBERS);
        const struct ga_text_merge merge = {(uint32_t)i, (int32_t)numbers[2]};
        enum ga_status status = joins(vocabulary, numbers, prefix_length, &left) ? GA_OK : GA_FORMAT;
        if (status != GA_OK) {
            (void)ga_text_refuse_as(reader, "packed merge %zu does not join two tokens to a third", i);
        } else if (!ga_text_merges_add(merges, (int32_t)numbers[0], (int32_t)numbers[1], merge)) {
            status = refuse_alike(reader);
        }
        if (status != GA_OK) {
            ga_text_merges_free(merges);
            return status;
        }
    }
    return GA_OK;
}

enum ga_status ga_text_merges_read(struct ga_text_merges *merges, struct ga_text_reader *reader, json_t *array,
                                   const struct ga_text_vocabulary *vocabulary, size_t prefix_length)
{
    if (reader->tables) {
        return unpack_merges(merges, reader, vocabulary, prefix_length);
    }
    const size_t count = json_array_size(array);
    if (count > GA_TEXT_MERGES) {
        return ga_text_refuse_as(reader, "%zu merges; expected at most %d", count, GA_TEXT_MERGES);
    }
    if (ga_text_merges_make(merges, count) != GA_OK) {
        return ga_text_refuse_memory(reader);
    }
    struct merge_reading reading = {reader, vocabulary, prefix_length, NULL, 0};
    const enum ga_status status = read_merges(merges, &reading, array);
    free(reading.joined);
    if (status != GA_OK) {
        ga_text_merges_free(merges);
    }
    return status;
}
