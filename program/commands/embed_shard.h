// embed_shard.h: the part of a corpus that `embed --shard K/N` computes: which shard, of what, and its texts a block at
// a time. Computes and writes no row.
#ifndef GA_EMBED_SHARD_H
#define GA_EMBED_SHARD_H

#include "shard_file.h"
#include "text_blocks.h"

// The shard while its texts are read. Zeroed memory with context is one that ga_embed_shard_choose can set.
struct ga_embed_shard {
    const struct ga_context *context;
    bool is_given;               // --shard
    struct ga_shard_maker maker; // of its file
    struct ga_text_reader *reader;
    struct ga_texts *texts;
    struct ga_corpus_sum sum; // of the texts read, also those of other shards
    bool is_claimed;          // blocks are those that the rank claims, of all
    size_t first, next;       // own block to compute first, and to read next
};

// Reads K/N, of --shard. output: of its file, whose name must not say the format of merged files. GA_EXIT_USAGE after a
// message.
enum ga_exit ga_embed_shard_choose(struct ga_embed_shard *shard, const char *text, const char *output);

// Reads all texts, which are those of an open file, for their number and checksum, and goes back. reader and texts live
// as long as the struct.
enum ga_exit ga_embed_shard_of_texts(struct ga_embed_shard *shard, struct ga_text_reader *reader,
                                     struct ga_texts *texts);

// The same of sequences of token ids.
void ga_embed_shard_of_sequences(struct ga_embed_shard *shard, const struct ga_sequences *sequences);

// Sets next where blocks are claimed; of two calls the second gives a later one.
void ga_embed_shard_claim(struct ga_embed_shard *shard);

// Makes the block one of the texts of the next own block; none after the last. Texts that are not those that were read
// before are a failure.
enum ga_exit ga_embed_shard_read(struct ga_embed_shard *shard, struct ga_text_block *block);

#endif
