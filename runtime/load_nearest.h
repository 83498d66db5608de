// load_nearest.h: what a missing tensor may have been called. Internal to load.c.
#ifndef GA_LOAD_NEAREST_H
#define GA_LOAD_NEAREST_H

#include "load.h"

// True where the map takes something from the tensor of this name.
bool ga_load_uses(const struct ga_model *model, const struct ga_weight_map *map, const char *name);

// The name in the file most like the one wanted that the map does not use for something else; NULL where none is like
// it.
const char *ga_load_nearest(const struct ga_model *model, const struct ga_weight_map *map,
                            const struct ga_weights *weights, const char *wanted);

#endif
