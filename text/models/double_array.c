// double_array.c: makes a double array of sorted tokens, breadth first. A family of children takes the first of a few
// free places that fits it, or the end of the array, so that no list of tokens makes it slow. Searches no text.
#include "double_array.h"

#include <stdlib.h>
#include <string.h>

enum { GA_TEXT_ARRAY_TRIES = 16, GA_TEXT_ARRAY_BYTES = 256 };

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
    int32_t first_free, last_free;
    struct ga_text_bytes *sorted; // tokens, [count]
    int32_t *ids;                 // of sorted
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
        void *nodes = m->array->nodes;
        const enum ga_status status = ga_text_grow(&nodes, &m->capacity, m->array->count, 1, sizeof(*m->array->nodes));
        m->array->nodes = nodes;
        if (status != GA_OK) {
            return status;
        }
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
    for (size_t i = 0; base > 0 && i < children->count; i++) {
        const size_t place = (size_t)base + children->bytes[i];
        if (place < m->array->count && m->array->nodes[place].check != GA_TEXT_FREE) {
            return false;
        }
    }
    return base > 0;
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
    return (int32_t)m->array->count;
}

static struct array_children children_of(const struct array_making *m, const struct array_family *family)
{
    struct array_children children = {.count = 0};
    for (size_t i = family->begin; i < family->end; i++) {
        const unsigned char byte = (unsigned char)m->sorted[i].bytes[family->depth];
        if (children.count == 0 || children.bytes[children.count - 1] != byte) {
            children.bytes[children.count++] = byte;
        }
    }
    return children;
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
        node->id = m->ids[child.begin++];
    }
    return child.begin < child.end ? add_family(m, child) : GA_OK;
}

static uint32_t family_end(const struct array_making *m, const struct array_family *family, uint32_t begin,
                           unsigned char byte)
{
    while (begin < family->end && (unsigned char)m->sorted[begin].bytes[family->depth] == byte) {
        begin++;
    }
    return begin;
}

static enum ga_status place_children(struct array_making *m, const struct array_family family)
{
    const struct array_children children = children_of(m, &family);
    const int32_t base = find_base(m, &children);
    enum ga_status status = extend(m, (size_t)base + GA_TEXT_ARRAY_BYTES);
    if (status != GA_OK) {
        return status;
    }
    m->array->nodes[family.place].base = base;
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

struct sortable {
    struct ga_text_bytes token;
    int32_t id;
};

static int compare(const void *left, const void *right)
{
    const struct sortable *a = left, *b = right;
    const size_t shorter = a->token.length < b->token.length ? a->token.length : b->token.length;
    const int order = memcmp(a->token.bytes, b->token.bytes, shorter);
    if (order != 0 || a->token.length != b->token.length) {
        return order != 0 ? order : a->token.length < b->token.length ? -1 : 1;
    }
    return a->id < b->id ? -1 : 1;
}

static size_t list_tokens(const struct ga_text_vocabulary *vocabulary, struct sortable *list)
{
    size_t count = 0;
    for (size_t id = 0; id < vocabulary->count; id++) {
        const struct ga_text_bytes token = ga_text_vocabulary_token(vocabulary, (int32_t)id);
        if (token.bytes != NULL && token.length > 0) {
            list[count++] = (struct sortable){token, (int32_t)id};
        }
    }
    return count;
}

static enum ga_status sort_tokens(struct array_making *m, const struct ga_text_vocabulary *vocabulary)
{
    const size_t room = vocabulary->count + 1;
    struct sortable *list = malloc(room * sizeof(*list));
    m->sorted = malloc(room * sizeof(*m->sorted));
    m->ids = malloc(room * sizeof(*m->ids));
    const bool has_room = list != NULL && m->sorted != NULL && m->ids != NULL;
    if (has_room) {
        m->count = list_tokens(vocabulary, list);
        qsort(list, m->count, sizeof(*list), compare);
    }
    for (size_t i = 0; has_room && i < m->count; i++) {
        m->sorted[i] = list[i].token;
        m->ids[i] = list[i].id;
    }
    free(list);
    return has_room ? GA_OK : GA_MEMORY;
}

static enum ga_status make(struct array_making *m, const struct ga_text_vocabulary *vocabulary)
{
    enum ga_status status = sort_tokens(m, vocabulary);
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
                                         const struct ga_text_vocabulary *vocabulary)
{
    *array = (struct ga_text_double_array){0};
    struct array_making making = {.array = array, .first_free = GA_TEXT_FREE, .last_free = GA_TEXT_FREE};
    const enum ga_status status = make(&making, vocabulary);
    free(making.sorted);
    free(making.ids);
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
