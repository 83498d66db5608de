// embed_sink.h: where `embed` puts rows, a block at a time: a file of rows, a shard, or JSON. Computes none.
#ifndef GA_EMBED_SINK_H
#define GA_EMBED_SINK_H

#include <stdio.h>

#include "rows_file.h"
#include "shard_file.h"
#include "text_blocks.h"
#include "token_vectors.h"

// Zeroed memory with context is one that ga_embed_sink_choose can set.
struct ga_embed_sink {
    const struct ga_context *context;
    const char *path;                   // of the output; NULL: standard output
    const struct ga_shard_maker *maker; // of a shard, not NULL where that is written
    size_t width;                       // of a row
    bool resumes;                       // the shard that is there
    size_t rank, ranks;                 // of mpirun, which all write path if ranks is above 1
    size_t texts;                       // of the corpus, for ranks
    size_t first;                       // of the corpus, the text of the first row that is put, for ranks
    char *temporary;                    // the name of path while ranks write it; the sink's
    bool is_json;
    enum ga_rows_format format; // else
    struct ga_shard_file shard;
    struct ga_rows_file rows;
    struct ga_atomic_file file; // of JSON
    FILE *json;
    bool of_tokens;  // rows are of tokens, and the file says where each text begins
    int64_t *starts; // [n_starts], the sink's
    size_t n_starts, start_room;
};

// Sets path, is_json and format by what --output and --format say, NULL where they are not given. GA_EXIT_USAGE after a
// message.
enum ga_exit ga_embed_sink_choose(struct ga_embed_sink *sink, const char *output, const char *format);

// Of a rank that fails before all write a file, the others would wait: it tells them. Returns code, and GA_EXIT_FAILED
// after a message where another rank failed. For one program it does nothing.
enum ga_exit ga_embed_sink_agree(const struct ga_embed_sink *sink, enum ga_exit code);

// GA_EXIT_FAILED after a message; then there is nothing to close, but a shard.
enum ga_exit ga_embed_sink_open(struct ga_embed_sink *sink);

// block: the texts of rows[count][width], or NULL.
enum ga_exit ga_embed_sink_put(struct ga_embed_sink *sink, const struct ga_text_block *block, const float *rows,
                               size_t count);

// The same for vectors of tokens, where of_tokens is set.
enum ga_exit ga_embed_sink_put_tokens(struct ga_embed_sink *sink, const struct ga_text_block *block,
                                      const struct ga_token_vectors *vectors);

// code: of all there was to do, and the result unless the output could not be ended.
enum ga_exit ga_embed_sink_close(struct ga_embed_sink *sink, enum ga_exit code);

#endif
