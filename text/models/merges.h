// merges.h: the merges of a BPE model, found by the two tokens that they join. Internal to libga_text.
#ifndef GA_TEXT_MERGES_H
#define GA_TEXT_MERGES_H

#include "vocabulary.h"

enum {
    GA_TEXT_MERGES = 1 << 24,         // of a model, at most
    GA_TEXT_NO_RANK = UINT32_MAX / 2, // above every rank
};

// What becomes of two tokens next to each other: token id, and the lower the rank, the sooner.
struct ga_text_merge {
    uint32_t rank; // GA_TEXT_NO_RANK: they stay two
    int32_t id;
};

struct ga_text_merge_slot {
    int32_t left, right; // left GA_TEXT_NO_ID: empty
    struct ga_text_merge merge;
};

// Zeroed memory is one that has no slots, for ga_text_merges_free alone.
struct ga_text_merges {
    struct ga_text_merge_slot *slots; // [mask + 1], open addressing
    uint32_t mask;
    uint64_t seed;    // of the hash
    unsigned n_seeds; // that were tried beside the first
};

// Makes room for count merges. Returns GA_OK or GA_MEMORY.
enum ga_status ga_text_merges_make(struct ga_text_merges *merges, size_t count);

// Adds a merge, at most as many as there is room for; one of the same two tokens takes the place of that before. False,
// the merges staying as they were, where GA_TEXT_SEEDS tables have no place among GA_TEXT_PROBES for all of them.
bool ga_text_merges_add(struct ga_text_merges *merges, int32_t left, int32_t right, struct ga_text_merge merge);

void ga_text_merges_free(struct ga_text_merges *merges);

// Reads an array of merges, "left right" or ["left", "right"] each, whose ranks are their places; the joined token is
// left followed by right without its first prefix_length bytes. Refuses merges that name no token, by their index.
// Returns GA_OK, GA_FORMAT or GA_MEMORY after an entry in the reader's error; merges then is empty.
enum ga_status ga_text_merges_read(struct ga_text_merges *merges, struct ga_text_reader *reader, json_t *array,
                                   const struct ga_text_vocabulary *vocabulary, size_t prefix_length);

// Makes merges of an array of scores, one of each id of the vocabulary: any two tokens whose texts together are a token
// merge to it, the higher its score the sooner. Returns GA_OK, GA_FORMAT or GA_MEMORY after an entry in the reader's
// error; merges then is empty.
enum ga_status ga_text_merges_of_scores(struct ga_text_merges *merges, struct ga_text_reader *reader, json_t *scores,
                                        const struct ga_text_vocabulary *vocabulary);

// Makes the table of a packed tokenizer of them, from which ga_text_merges_read reads where the reader has one.
// GA_MEMORY.
enum ga_status ga_text_merges_pack(const struct ga_text_merges *merges, struct ga_text_tables *tables);

static inline uint32_t ga_text_merge_place(int32_t left, int32_t right, uint64_t seed)
{
    uint64_t hash = (((uint64_t)(uint32_t)left << 32 | (uint32_t)right) ^ seed) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(hash >> 32);
}

// The merge of two tokens; its rank is GA_TEXT_NO_RANK if there is none.
static inline struct ga_text_merge ga_text_merge_of(const struct ga_text_merges *merges, int32_t left, int32_t right)
{
    uint32_t at = ga_text_merge_place(left, right, merges->seed) & merges->mask;
    for (int probes = 0; probes < GA_TEXT_PROBES && merges->slots[at].left != GA_TEXT_NO_ID; probes++) {
        const struct ga_text_merge_slot *slot = &merges->slots[at];
        if (slot->left == left && slot->right == right) {
            return slot->merge;
        }
        at = (at + 1) & merges->mask;
    }
    return (struct ga_text_merge){GA_TEXT_NO_RANK, GA_TEXT_NO_ID};
}

#endif
