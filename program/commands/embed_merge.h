// embed_merge.h: `embed --merge`: the files of all shards, put together. Runs no model.
#ifndef GA_EMBED_MERGE_H
#define GA_EMBED_MERGE_H

#include "command.h"

// Writes --output from the shards that the operands name, in any order. options: embed's table. GA_EXIT_FAILED after a
// message for each shard that is missing, foreign, not finished or damaged; then nothing is written.
enum ga_exit ga_embed_merge(const struct ga_context *context, const struct ga_arguments *arguments,
                            const struct ga_option *options);

#endif
