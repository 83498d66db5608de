// weights_modules.h: weights of the modules that a folder of sentence-transformers has after its model: those of
// <n>_Dense/model.safetensors join the model's, each under its module's name. Internal to the weights library.
#ifndef GA_WEIGHTS_MODULES_H
#define GA_WEIGHTS_MODULES_H

#include "weights_shard.h"

enum { GA_WEIGHTS_FIRST_MODULE = 1, GA_WEIGHTS_LAST_MODULE = 9 }; // numbers n of modules that are looked for

// Adds to weights which were opened from a folder, the tensors of its modules: `linear.weight` of 2_Dense becomes
// `2_Dense.linear.weight`. A folder without modules changes nothing. On failure error (may be NULL) says what is wrong
// where, and the weights stay the caller's to close.
enum ga_status ga_weights_add_modules(const char *folder, const struct ga_weights_options *options,
                                      struct ga_weights *weights, struct ga_error *error);

#endif
