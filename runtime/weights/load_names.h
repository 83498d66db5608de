// load_names.h: the names by which one map has a model's weights in one file: after a prefix, except those without it.
// Internal to load.c.
#ifndef GA_LOAD_NAMES_H
#define GA_LOAD_NAMES_H

#include "load.h"

enum {
    GA_LOAD_PREFIX = 256,              // bytes of a prefix, at most
    GA_LOAD_NAME = 2 * GA_LOAD_PREFIX, // for `text` below: no file has a longer name, so a longer one may be cut
};

// How names are looked up.
struct ga_load {
    const struct ga_model *model;
    const struct ga_weights *weights;
    const struct ga_weight_map *map;
    const char *prefix; // in place of the map's own; NULL: that one
};

// The whole name that a map's `tensor` has under the prefix: tensor itself, or in text.
const char *ga_load_name(const struct ga_load *load, const char *tensor, bool beside, char text[GA_LOAD_NAME]);

// A source's tensor in the file, NULL where there is none.
const struct ga_tensor *ga_load_find(const struct ga_load *load, const struct ga_weight_source *source);

// True where the map takes something from the tensor of this name.
bool ga_load_uses(const struct ga_load *load, const char *name);

// The name in the file that `wanted` most likely is there that the map does not use for something else; NULL where none
// is like it.
const char *ga_load_suggestion(const struct ga_load *load, const char *wanted);

// Finds what stands in the file before all of the map's names, without regard to those outside it: *prefix_out begins a
// name of the file and has *length_out bytes. Returns how many such prefixes there are, the first in order being the
// one found.
size_t ga_load_prefixes(const struct ga_load *load, const char **prefix_out, size_t *length_out);

#endif
