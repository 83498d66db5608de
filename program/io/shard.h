// shard.h: which blocks of a corpus are whose, where several programs share its texts. Opens no file.
#ifndef GA_SHARD_H
#define GA_SHARD_H

#include <stddef.h>
#include <stdint.h>

enum { GA_MOST_SHARDS = 1 << 16, GA_MOST_BLOCK = 8192 }; // shards of a corpus, texts of a block

// Block i of shard `index` is block index + i * of of the corpus, so that a corpus in any order gives all shards texts
// of all kinds.
struct ga_shard {
    size_t index, of; // index < of
    size_t texts;     // of the corpus
    size_t block;     // texts of each block, but the last of the corpus
};

// The shard of a corpus of so many texts, which have so many bytes. Blocks are so small that each shard gets several
// and that a block takes seconds, and so large that its sequences fill batches.
struct ga_shard ga_shard_of(size_t texts, uint64_t bytes, size_t index, size_t of);

// How many blocks are the shard's own.
size_t ga_shard_blocks(const struct ga_shard *shard);

// The first text of own block i; *count_out: how many texts it has.
size_t ga_shard_block(const struct ga_shard *shard, size_t i, size_t *count_out);

// The texts of the first so many of its own blocks.
size_t ga_shard_texts(const struct ga_shard *shard, size_t blocks);

#endif
