// index_update.h: an index made to hold the vectors of a corpus as it is now, of which those that are there are taken
// over. Prints no result.
#ifndef GA_INDEX_UPDATE_H
#define GA_INDEX_UPDATE_H

#include "pooling.h"
#include "search_index.h"
#include "text_blocks.h"

struct ga_index_update {
    const struct ga_context *context;
    const struct ga_corpus *corpus;
    const struct ga_index_maker *maker;
    struct ga_text_reader *reader;
    struct ga_pooling *pooling;
    size_t n_new, n_cut; // texts whose vectors were computed, and those of them that were cut
};

// Brings *index, which ga_search_index_open gave, up to date: text i of the corpus is then row i of it. Its file is
// written only where something changed, whole or not at all. GA_EXIT_FAILED after a message; vectors that were computed
// before, by blocks, are then kept in the file with those that were there, for the next time.
enum ga_exit ga_search_index_update(struct ga_index_update *update, struct ga_search_index *index);

#endif
