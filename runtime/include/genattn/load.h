// load.h: finds a model's weights in an open file by the name maps the model carries; packs nothing.
#ifndef GA_LOAD_H
#define GA_LOAD_H

#include "model.h"
#include "weights.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a file must be beside having what the model takes; all zero is the default. Grows at its end.
struct ga_load_options {
    const char *layout; // one of the model's maps by name; NULL: its default, or the one whose tensors are all there
    bool strict;        // refuses a tensor that the map takes nothing from; else what else is there is left alone
    bool finite;        // refuses NaN and infinity in the tensors taken, F64 too large for F32 included
    const char *prefix; // stands before the names of the layout in place of the spec's weights_prefix, "" for nothing,
                        // 256 bytes at most; NULL: the spec's own
};

// Fills views_out[model->n_roles] with views into weights, which must outlive them. options may be NULL. A missing or
// misshapen tensor is named with what was expected; where no map fits, the nearest one's first missing tensor is, with
// the prefix after which the file has all of a map, where there is one. So is a bias, norm or sink that the file has
// and the model would leave out. Tensors of F16, BF16 and F64 are converted, as ga_weights_floats says, one by one as
// they are needed.
enum ga_status ga_load_views_with(const struct ga_model *model, struct ga_weights *weights,
                                  const struct ga_load_options *options, struct ga_weight_view *views_out,
                                  struct ga_error *error);

// The same without filling anything: looks at names, types and shapes, at no element.
enum ga_status ga_load_check(const struct ga_model *model, const struct ga_weights *weights,
                             const struct ga_load_options *options, struct ga_error *error);

// ga_load_views_with by a layout, which may be NULL, and no other option.
enum ga_status ga_load_views(const struct ga_model *model, struct ga_weights *weights, const char *layout,
                             struct ga_weight_view *views_out, struct ga_error *error);

// How one `layout` reads, for messages: the map ga_load_views would take, or NULL.
const struct ga_weight_map *ga_load_map(const struct ga_model *model, const struct ga_weights *weights,
                                        const char *layout, struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
