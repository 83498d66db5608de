// symbols.c: merges the symbols of one piece by rank. Few are looked through for the lowest rank each time; many are a
// linked list, and their merges are in a heap, so that a piece of any length takes n log n steps.
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

enum { GA_TEXT_FEW_SYMBOLS = 32 };

enum ga_status ga_text_symbols_append(struct ga_text_symbols *symbols, int32_t id, size_t length)
{
    void *items = symbols->items;
    const enum ga_status status = ga_text_grow(&items, &symbols->capacity, symbols->count, 1, sizeof(*symbols->items));
    symbols->items = items;
    if (status == GA_OK) {
        symbols->items[symbols->count++] = (struct ga_text_symbol){.id = id, .length = (uint32_t)length};
    }
    return status;
}

void ga_text_symbols_free(struct ga_text_symbols *symbols)
{
    free(symbols->items);
    free(symbols->heap);
    *symbols = (struct ga_text_symbols){0};
}

static const struct ga_text_merge no_merge = {GA_TEXT_NO_RANK, GA_TEXT_NO_ID};

static void find_first_merges(struct ga_text_symbols *symbols, const struct ga_text_merges *merges)
{
    struct ga_text_symbol *items = symbols->items;
    for (size_t i = 0; i + 1 < symbols->count; i++) {
        items[i].merge = ga_text_merge_of(merges, items[i].id, items[i + 1].id);
    }
    items[symbols->count - 1].merge = no_merge;
}

// -- Few symbols ----------------------------------------------------------------------------------------------------

static size_t lowest(const struct ga_text_symbol *items, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = items[i].merge.rank < items[best].merge.rank ? i : best;
    }
    return best;
}

static void merge_few(struct ga_text_symbols *symbols, const struct ga_text_merges *merges)
{
    struct ga_text_symbol *items = symbols->items;
    for (size_t at = lowest(items, symbols->count); items[at].merge.rank != GA_TEXT_NO_RANK;
         at = lowest(items, symbols->count)) {
        items[at].id = items[at].merge.id;
        items[at].length += items[at + 1].length;
        symbols->count--;
        memmove(items + at + 1, items + at + 2, (symbols->count - at - 1) * sizeof(*items));
        const bool is_last = at + 1 == symbols->count;
        items[at].merge = is_last ? no_merge : ga_text_merge_of(merges, items[at].id, items[at + 1].id);
        if (at > 0) {
            items[at - 1].merge = ga_text_merge_of(merges, items[at - 1].id, items[at].id);
        }
    }
}

// -- Many symbols ---------------------------------------------------------------------------------------------------

static enum ga_status push(struct ga_text_symbols *symbols, uint32_t place)
{
    const uint32_t rank = symbols->items[place].merge.rank;
    if (rank == GA_TEXT_NO_RANK) {
        return GA_OK;
    }
    void *heap = symbols->heap;
    const enum ga_status status =
        ga_text_grow(&heap, &symbols->heap_capacity, symbols->heap_count, 1, sizeof(*symbols->heap));
    symbols->heap = heap;
    if (status != GA_OK) {
        return status;
    }
    const uint64_t key = (uint64_t)rank << 32 | place;
    size_t at = symbols->heap_count++;
    for (; at > 0 && symbols->heap[(at - 1) / 2] > key; at = (at - 1) / 2) {
        symbols->heap[at] = symbols->heap[(at - 1) / 2];
    }
    symbols->heap[at] = key;
    return GA_OK;
}

static uint64_t pop(struct ga_text_symbols *symbols)
{
    uint64_t *heap = symbols->heap;
    const uint64_t first = heap[0], last = heap[--symbols->heap_count];
    size_t at = 0;
    for (size_t child = 1; child < symbols->heap_count; child = 2 * at + 1) {
        child += child + 1 < symbols->heap_count && heap[child + 1] < heap[child] ? 1 : 0;
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

static enum ga_status link_symbols(struct ga_text_symbols *symbols)
{
    const uint32_t count = (uint32_t)symbols->count;
    enum ga_status status = GA_OK;
    for (uint32_t i = 0; i < count && status == GA_OK; i++) {
        symbols->items[i].previous = i == 0 ? GA_TEXT_NO_SYMBOL : i - 1;
        symbols->items[i].next = i + 1 == count ? GA_TEXT_NO_SYMBOL : i + 1;
        status = push(symbols, i);
    }
    return status;
}

static enum ga_status find_merge(struct ga_text_symbols *symbols, const struct ga_text_merges *merges, uint32_t place)
{
    struct ga_text_symbol *symbol = &symbols->items[place];
    symbol->merge = symbol->next == GA_TEXT_NO_SYMBOL
                        ? no_merge
                        : ga_text_merge_of(merges, symbol->id, symbols->items[symbol->next].id);
    return push(symbols, place);
}

static enum ga_status merge_at(struct ga_text_symbols *symbols, const struct ga_text_merges *merges, uint32_t place)
{
    struct ga_text_symbol *symbol = &symbols->items[place], *right = &symbols->items[symbol->next];
    symbol->id = symbol->merge.id;
    symbol->length += right->length;
    symbol->next = right->next;
    right->length = 0;
    right->merge = no_merge;
    if (symbol->next != GA_TEXT_NO_SYMBOL) {
        symbols->items[symbol->next].previous = place;
    }
    const enum ga_status status =
        symbol->previous == GA_TEXT_NO_SYMBOL ? GA_OK : find_merge(symbols, merges, symbol->previous);
    return status == GA_OK ? find_merge(symbols, merges, place) : status;
}

static void drop_taken(struct ga_text_symbols *symbols)
{
    size_t kept = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        if (symbols->items[i].length > 0) {
            symbols->items[kept++] = symbols->items[i];
        }
    }
    symbols->count = kept;
}

// A merge in the heap whose symbols have merged otherwise meanwhile has another rank than its symbol has now.
static enum ga_status merge_many(struct ga_text_symbols *symbols, const struct ga_text_merges *merges)
{
    symbols->heap_count = 0;
    enum ga_status status = link_symbols(symbols);
    while (status == GA_OK && symbols->heap_count > 0) {
        const uint64_t key = pop(symbols);
        const uint32_t place = (uint32_t)key;
        if (symbols->items[place].merge.rank == key >> 32) {
            status = merge_at(symbols, merges, place);
        }
    }
    drop_taken(symbols);
    return status;
}

enum ga_status ga_text_symbols_merge(struct ga_text_symbols *symbols, const struct ga_text_merges *merges)
{
    if (symbols->count < 2) {
        return GA_OK;
    }
    find_first_merges(symbols, merges);
    if (symbols->count > GA_TEXT_FEW_SYMBOLS) {
        return merge_many(symbols, merges);
    }
    merge_few(symbols, merges);
    return GA_OK;
}
