// load_checks.h: tensors that a file must not have in addition to those that the model takes. Internal to load.c.
#ifndef GA_LOAD_CHECKS_H
#define GA_LOAD_CHECKS_H

#include "load_names.h"

// Where a tensor is, for a message and for the error: its file, and its first byte there.
struct ga_load_place {
    const char *path;
    unsigned long long offset;
};

struct ga_load_place ga_load_place(const struct ga_weights *weights, const struct ga_tensor *tensor);

// Weights in the file that the model would leave out: its results would not be those of the module the file is from.
enum ga_status ga_load_refuse_others(const struct ga_load *load, struct ga_error *error);

// Refuses the first tensor that the map, all of whose tensors are there, takes nothing from.
enum ga_status ga_load_refuse_extra(const struct ga_load *load, struct ga_error *error);

// Refuses the first NaN or infinity among the elements of a tensor as floats.
enum ga_status ga_load_refuse_not_finite(const struct ga_weights *weights, const struct ga_tensor *tensor,
                                         struct ga_error *error);

// True where an earlier source of the map names the same tensor as source i.
bool ga_load_was_before(const struct ga_weight_map *map, size_t i);

#endif
