// double_array.c: makes a double array of sorted tokens, breadth first. A family of children takes the first of a few
// free places that fits it, or the end of the array, so that no list of tokens makes it slow. Searches no text.
#include "double_array.h"

#include <stdlib.h>
#include <string.h>

enum { GA_TEXT_ARRAY_TRIES = 64, GA_TEXT_ARRAY_BYTES = 256 };

struct array_token {
    uint64_t first; // its first bytes as a number, zeros after them
    const char *bytes;
    uint32_t length;
    int32_t id;
};

// Tokens that share their first `depth` bytes, and the node of those bytes.
struct array_family {
    uint32_t begin, end; // in sorted
    uint32_t depth;
    int32_t place;
};

// Free places are a list in the order of places, whose links lie in the free nodes: base is the place before, id that
// after, GA_TEXT_FREE for none.
struct array_making {
    struct ga_text_double_array *array;
    size_t capacity;
    bool *is_base; // [base_capacity], of places; no two nodes have one base, so that a packed node needs no check
    size_t base_capacity;
    int32_t first_free, last_free;
    struct array_token *sorted; // [count]
    size_t count;
    struct array_family *families; // a queue
    size_t family_count, family_capacity;
};

// -- Places ---------------------------------------------------------------------------------------------------------

static void free_place(struct array_making *m, int32_t place)
{
    m->array->nodes[place] = (struct ga_text_array_node){m->last_free, GA_TEXT_FREE, GA_TEXT_FREE};
    if (m->last_free != GA_TEXT_FREE) {
        m->array->nodes[m->last_free].id = place;
    } else {
        m->first_free = place;
    }
    m->last_free = place;
}

// Takes a place out of the list, for a node with this check.
static void take_place(struct array_making *m, int32_t place, int32_t check)
{
    struct ga_text_array_node *nodes = m->array->nodes;
    const int32_t before = nodes[place].base, after = nodes[place].id;
    *(before == GA_TEXT_FREE ? &m->first_free : &nodes[before].id) = after;
    *(after == GA_TEXT_FREE ? &m->last_free : &nodes[after].base) = before;
    nodes[place] = (struct ga_text_array_node){0, check, GA_TEXT_NO_ID};
}

static enum ga_status extend(struct array_making *m, size_t count)
{
    while (m->array->count < count) {
        if (m->array->count >= INT32_MAX - GA_TEXT_ARRAY_BYTES) {
            return GA_OVERFLOW;
        }
        void *nodes = m->array->nodes, *is_base = m->is_base;
        enum ga_status status = ga_text_grow(&nodes, &m->capacity, m->array->count, 1, sizeof(*m->array->nodes));
        m->array->nodes = nodes;
        status = status == GA_OK ? ga_text_grow(&is_base, &m->base_capacity, m->array->count, 1, sizeof(*m->is_base))
                                 : status;
        m->is_base = is_base;
        if (status != GA_OK) {
            return status;
        }
        m->is_base[m->array->count] = false;
        free_place(m, (int32_t)m->array->count++);
    }
    return GA_OK;
}

// -- Families -------------------------------------------------------------------------------------------------------

// The bytes that children of one node have.
struct array_children {
    unsigned char bytes[GA_TEXT_ARRAY_BYTES];
    size_t count;
};

static bool fits(const struct array_making *m, const struct array_children *children, int32_t base)
{
    if (base <= 0 || m->is_base[base]) {
        return false;
    }
    for (size_t i = 0; i < children->count; i++) {
        const size_t place = (size_t)base + children->bytes[i];
        if (place < m->array->count && m->array->nodes[place].check != GA_TEXT_FREE) {
            return false;
        }
    }
    return true;
}

// A place that a few families did not fit leaves the list, so that the next one looks further on.
static int32_t find_base(struct array_making *m, const struct array_children *children)
{
    int32_t place = m->first_free;
    for (size_t tries = 0; tries < GA_TEXT_ARRAY_TRIES && place != GA_TEXT_FREE; tries++) {
        const int32_t base = place - children->bytes[0];
        if (fits(m, children, base)) {
            return base;
        }
        place = m->array->nodes[place].id;
    }
    if (m->first_free != GA_TEXT_FREE) {
        take_place(m, m->first_free, GA_TEXT_UNUSED);
    }
    const size_t end = m->array->count; // all from here on are free, and every base is 256 or more before it
    return (int32_t)(end > children->bytes[0] ? end - children->bytes[0] : end);
}

static unsigned char byte_at(const struct array_token *token, uint32_t at)
{
    if (at < sizeof token->first) {
        return (unsigned char)(token->first >> (56 - 8 * at) & 0xFF);
    }
    return (unsigned char)token->bytes[at];
}

static void list_children(const struct array_making *m, const struct array_family *family,
                          struct array_children *children)
{
    children->count = 0; // the bytes are not cleared: this is done for every node
    for (size_t i = family->begin; i < family->end; i++) {
        const unsigned char byte = byte_at(&m->sorted[i], family->depth);
        if (children->count == 0 || children->bytes[children->count - 1] != byte) {
            children->bytes[children->count++] = byte;
        }
    }
}

static enum ga_status add_family(struct array_making *m, struct array_family family)
{
    void *families = m->families;
    const enum ga_status status =
        ga_text_grow(&families, &m->family_capacity, m->family_count, 1, sizeof(*m->families));
    m->families = families;
    if (status == GA_OK) {
        m->families[m->family_count++] = family;
    }
    return status;
}

// A token that ends at a node is the first of its family.
static enum ga_status add_child(struct array_making *m, struct array_family child)
{
    struct ga_text_array_node *node = &m->array->nodes[child.place];
    while (child.begin < child.end && m->sorted[child.begin].length == child.depth) {
        node->id = m->sorted[child.begin++].id;
    }
    return child.begin < child.end ? add_family(m, child) : GA_OK;
}

static uint32_t family_end(const struct array_making *m, const struct array_family *family, uint32_t begin,
                           unsigned char byte)
{
    while (begin < family->end && byte_at(&m->sorted[begin], family->depth) == byte) {
        begin++;
    }
    return begin;
}

static enum ga_status place_children(struct array_making *m, const struct array_family family)
{
    struct array_children children;
    list_children(m, &family, &children);
    const int32_t base = find_base(m, &children);
    enum ga_status status = extend(m, (size_t)base + GA_TEXT_ARRAY_BYTES);
    if (status != GA_OK) {
        return status;
    }
    m->array->nodes[family.place].base = base;
    m->is_base[base] = true;
    uint32_t begin = family.begin;
    for (size_t i = 0; i < children.count && status == GA_OK; i++) {
        const int32_t place = base + children.bytes[i];
        const uint32_t end = family_end(m, &family, begin, children.bytes[i]);
        take_place(m, place, family.place);
        status = add_child(m, (struct array_family){begin, end, family.depth + 1, place});
        begin = end;
    }
    return status;
}

// -- Tokens ---------------------------------------------------------------------------------------------------------

static uint64_t first_of(const char *bytes, size_t length)
{
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof first; i++) {
        first = first << 8 | (i < length ? (unsigned char)bytes[i] : 0);
    }
    return first;
}

static int compare(const void *left, const void *right)
{
    const struct array_token *a = left, *b = right;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    const int order = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);
    if (order != 0 || a->length != b->length) {
        return order != 0 ? order : a->length < b->length ? -1 : 1;
    }
    return a->id < b->id ? -1 : 1;
}

// Sorts by one byte of `first` into `to`, and keeps the order of those that have it alike.
static void sort_by_byte(const struct array_token *tokens, struct array_token *to, size_t count, int shift)
{
    size_t ends[GA_TEXT_ARRAY_BYTES + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        ends[(tokens[i].first >> shift & 0xFF) + 1]++;
    }
    for (size_t byte = 0; byte < GA_TEXT_ARRAY_BYTES; byte++) {
        ends[byte + 1] += ends[byte];
    }
    for (size_t i = 0; i < count; i++) {
        to[ends[tokens[i].first >> shift & 0xFF]++] = tokens[i];
    }
}

// Sorts each run of tokens whose `first` is alike.
static void sort_alike(struct array_token *tokens, size_t count)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && tokens[end].first == tokens[begin].first;) {
            end++;
        }
        if (end - begin > 1) {
            qsort(tokens + begin, end - begin, sizeof(*tokens), compare);
        }
    }
}

static void list_tokens(struct array_making *m, const struct ga_text_vocabulary *vocabulary,
                        struct ga_text_bytes prefix)
{
    for (size_t id = 0; id < vocabulary->count; id++) {
        const struct ga_text_bytes token = ga_text_vocabulary_token(vocabulary, (int32_t)id);
        if (token.length > prefix.length &&
            (prefix.length == 0 || memcmp(token.bytes, prefix.bytes, prefix.length) == 0)) {
            const char *bytes = token.bytes + prefix.length;
            const size_t length = token.length - prefix.length;
            m->sorted[m->count++] = (struct array_token){first_of(bytes, length), bytes, (uint32_t)length, (int32_t)id};
        }
    }
}

static enum ga_status sort_tokens(struct array_making *m, const struct ga_text_vocabulary *vocabulary,
                                  struct ga_text_bytes prefix)
{
    m->sorted = malloc((vocabulary->count + 1) * sizeof(*m->sorted));
    if (m->sorted == NULL) {
        return GA_MEMORY;
    }
    list_tokens(m, vocabulary, prefix);
    struct array_token *spare = malloc((m->count + 1) * sizeof(*spare));
    if (spare == NULL) {
        return GA_MEMORY;
    }
    for (int shift = 0; shift < 64; shift += 16) { // there and back
        sort_by_byte(m->sorted, spare, m->count, shift);
        sort_by_byte(spare, m->sorted, m->count, shift + 8);
    }
    free(spare);
    sort_alike(m->sorted, m->count);
    return GA_OK;
}

static enum ga_status make(struct array_making *m, const struct ga_text_vocabulary *vocabulary,
                           struct ga_text_bytes prefix)
{
    enum ga_status status = sort_tokens(m, vocabulary, prefix);
    status = status == GA_OK ? extend(m, 1 + GA_TEXT_ARRAY_BYTES) : status;
    if (status != GA_OK) {
        return status;
    }
    take_place(m, GA_TEXT_ARRAY_ROOT, GA_TEXT_UNUSED);
    status = add_child(m, (struct array_family){0, (uint32_t)m->count, 0, GA_TEXT_ARRAY_ROOT});
    for (size_t i = 0; i < m->family_count && status == GA_OK; i++) {
        status = place_children(m, m->families[i]);
    }
    return status;
}

enum ga_status ga_text_double_array_make(struct ga_text_double_array *array,
                                         const struct ga_text_vocabulary *vocabulary, struct ga_text_bytes prefix)
{
    *array = (struct ga_text_double_array){0};
    struct array_making making = {.array = array, .first_free = GA_TEXT_FREE, .last_free = GA_TEXT_FREE};
    const enum ga_status status = make(&making, vocabulary, prefix);
    free(making.is_base);
    free(making.sorted);
    free(making.families);
    if (status != GA_OK) {
        ga_text_double_array_free(array);
    }
    return status;
}

void ga_text_double_array_free(struct ga_text_double_array *array)
{
    free(array->nodes);
    *array = (struct ga_text_double_array){0};
}
