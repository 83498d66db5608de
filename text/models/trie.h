// trie.h: ids of byte strings, found by the longest that a text begins with. Internal to libga_text.
#ifndef GA_TEXT_TRIE_H
#define GA_TEXT_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "vocabulary.h"

// Nodes in an open-addressing table of (parent, byte). Zeroed memory is one that holds nothing.
struct ga_text_trie {
    uint64_t *edges;     // [mask + 1]: parent << 8 | byte, and 1 << 63; 0: free
    uint32_t *nodes;     // [mask + 1]: the child of each edge
    int32_t *ids;        // [n_nodes], or GA_TEXT_NO_ID
    uint32_t first[256]; // the child of the root for each byte; 0: none
    uint32_t n_nodes;
    uint32_t mask;
};

// Makes an empty one with room for strings of `bytes` bytes together. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_trie_open(struct ga_text_trie *trie, size_t bytes);

// Adds bytes[length], at least one; of equal strings the last has the id.
void ga_text_trie_add(struct ga_text_trie *trie, const char *bytes, size_t length, int32_t id);

// The id of the longest string that bytes[length] begins with, *size_out its bytes; GA_TEXT_NO_ID where there is none.
int32_t ga_text_trie_longest(const struct ga_text_trie *trie, const char *bytes, size_t length, size_t *size_out);

void ga_text_trie_free(struct ga_text_trie *trie);

#endif
