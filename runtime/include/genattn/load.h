// load.h: finds a model's weights in an open file by the model's maps of tensor names. It packs nothing.
#ifndef GA_LOAD_H
#define GA_LOAD_H

#include "model.h"
#include "weights.h"

#ifdef __cplusplus
extern "C" {
#endif

// Further requirements on a file; all zero is the default. New fields are added at its end.
struct ga_load_options {
    const char *layout; // the name of one of the model's maps; NULL: its default, or the map whose tensors all exist
    bool strict;        // refuses a tensor that the map does not use; otherwise such a tensor is ignored
    bool finite;        // refuses NaN and infinity in the tensors that are used, and F64 too large for F32
    const char *prefix; // prefix of the layout's names, at most 256 bytes, instead of the spec's weights_prefix;
                        // "": no prefix; NULL: the spec's own
};

// Fills views_out[model->n_roles] with views into weights, which must outlive them. options may be NULL. The error
// names a missing tensor, a tensor of the wrong shape, or a bias, norm or sink that the file has and the model would
// leave out, and says what was expected. If no map fits, it names the first missing tensor of the nearest map, and a
// prefix with which the file has all tensors of a map, if there is one. A view of a tensor that is not F32 has no
// data: it has the elements as the file stores them, which ga_model_pack reads. Only if the map takes rows of heads, or
// blocks of a transposed matrix, the view has floats of ga_weights_floats.
enum ga_status ga_load_views_with(const struct ga_model *model, struct ga_weights *weights,
                                  const struct ga_load_options *options, struct ga_weight_view *views_out,
                                  struct ga_error *error);

// Makes the same checks without views: it reads names, types and shapes, but no elements.
enum ga_status ga_load_check(const struct ga_model *model, const struct ga_weights *weights,
                             const struct ga_load_options *options, struct ga_error *error);

// ga_load_views_with, with a layout, which may be NULL, and no other option.
enum ga_status ga_load_views(const struct ga_model *model, struct ga_weights *weights, const char *layout,
                             struct ga_weight_view *views_out, struct ga_error *error);

// The map that ga_load_views would use for `layout`, for messages; or NULL.
const struct ga_weight_map *ga_load_map(const struct ga_model *model, const struct ga_weights *weights,
                                        const char *layout, struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
