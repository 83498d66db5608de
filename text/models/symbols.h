// symbols.h: the symbols of one piece, and the merges that a BPE model makes of them: of all neighbours that a merge
// joins those of the lowest rank, the leftmost first, until none is left. Internal to libga_text.
#ifndef GA_TEXT_SYMBOLS_H
#define GA_TEXT_SYMBOLS_H

#include "merges.h"
#include "text_model.h"

struct ga_text_symbol {
    int32_t id;
    uint32_t length;            // bytes of the piece; 0: another symbol has taken this one in
    struct ga_text_merge merge; // with the next symbol
    uint32_t previous, next;    // places of neighbours where the list is long; GA_TEXT_NO_SYMBOL: none
};

enum { GA_TEXT_NO_SYMBOL = UINT32_MAX / 2 };

// Symbols that grow, and work space. Zeroed memory is an empty list.
struct ga_text_symbols {
    struct ga_text_symbol *items; // [count], room for capacity
    size_t count;
    size_t capacity;
    uint64_t *heap; // merges to look at: rank in the upper half, the left symbol's place in the lower
    size_t heap_count;
    size_t heap_capacity;
};

// Appends a symbol. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_symbols_append(struct ga_text_symbols *symbols, int32_t id, size_t length);

// Merges until no merge is left. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_symbols_merge(struct ga_text_symbols *symbols, const struct ga_text_merges *merges);

void ga_text_symbols_free(struct ga_text_symbols *symbols);

#endif
