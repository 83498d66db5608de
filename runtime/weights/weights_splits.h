// weights_splits.h: a model in several GGUF files, as llama-gguf-split writes them: NAME-00001-of-00003.gguf and so on.
// Internal to the weights library.
#ifndef GA_WEIGHTS_SPLITS_H
#define GA_WEIGHTS_SPLITS_H

#include "weights_shard.h"

// Adds to weights which were opened from the file at path, if it says that it is the first of several, the tensors of
// the others, which are regular files in its folder. Any other file changes nothing. On failure error (may be NULL)
// says which file is missing, or is not the part that it should be, and the weights stay the caller's to close.
enum ga_status ga_weights_add_splits(const char *path, const struct ga_weights_options *options,
                                     struct ga_weights *weights, struct ga_error *error);

#endif
