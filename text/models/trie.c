// trie.c: a trie of bytes in a hash table.
#include "trie.h"

#include <stdlib.h>
#include <string.h>

#define USED ((uint64_t)1 << 63)

static uint64_t edge_of(uint32_t parent, unsigned char byte)
{
    return USED | (uint64_t)parent << 8 | byte;
}

static uint32_t slot_of(const struct ga_text_trie *trie, uint64_t edge)
{
    uint32_t slot = (uint32_t)(edge * 0x9E3779B97F4A7C15u >> 32) & trie->mask;
    while (trie->edges[slot] && trie->edges[slot] != edge) {
        slot = (slot + 1) & trie->mask;
    }
    return slot;
}

enum ga_status ga_text_trie_open(struct ga_text_trie *trie, size_t bytes)
{
    *trie = (struct ga_text_trie){0};
    if (bytes > UINT32_MAX / 8) {
        return GA_OVERFLOW;
    }
    // One slot in nine stays free even where no two strings begin alike; of words about half do.
    uint32_t slots = 16;
    while (slots <= bytes + bytes / 8) {
        slots *= 2;
    }
    trie->mask = slots - 1;
    trie->edges = calloc(slots, sizeof *trie->edges);
    trie->nodes = calloc(slots, sizeof *trie->nodes);
    trie->ids = malloc((bytes + 2) * sizeof *trie->ids);
    if (!trie->edges || !trie->nodes || !trie->ids) {
        ga_text_trie_free(trie);
        return GA_MEMORY;
    }
    trie->n_nodes = 1; // the root
    trie->ids[0] = GA_TEXT_NO_ID;
    return GA_OK;
}

static uint32_t new_node(struct ga_text_trie *trie)
{
    trie->ids[trie->n_nodes] = GA_TEXT_NO_ID;
    return trie->n_nodes++;
}

void ga_text_trie_add(struct ga_text_trie *trie, const char *bytes, size_t length, int32_t id)
{
    uint32_t *first = &trie->first[(unsigned char)bytes[0]];
    *first = *first ? *first : new_node(trie);
    uint32_t node = *first;
    for (size_t i = 1; i < length; i++) {
        const uint64_t edge = edge_of(node, (unsigned char)bytes[i]);
        const uint32_t slot = slot_of(trie, edge);
        if (!trie->edges[slot]) {
            trie->edges[slot] = edge;
            trie->nodes[slot] = new_node(trie);
        }
        node = trie->nodes[slot];
    }
    trie->ids[node] = id;
}

int32_t ga_text_trie_longest(const struct ga_text_trie *trie, const char *bytes, size_t length, size_t *size_out)
{
    int32_t found = GA_TEXT_NO_ID;
    uint32_t node = length ? trie->first[(unsigned char)bytes[0]] : 0;
    for (size_t i = 1; node; i++) {
        if (trie->ids[node] != GA_TEXT_NO_ID) {
            found = trie->ids[node];
            *size_out = i;
        }
        if (i == length) {
            break;
        }
        node = trie->nodes[slot_of(trie, edge_of(node, (unsigned char)bytes[i]))]; // of a free slot it is 0
    }
    return found;
}

void ga_text_trie_free(struct ga_text_trie *trie)
{
    free(trie->edges);
    free(trie->nodes);
    free(trie->ids);
    *trie = (struct ga_text_trie){0};
}
