// load.h: finds a model's weights in an open file by the name maps the model carries; packs nothing.
#ifndef GA_LOAD_H
#define GA_LOAD_H

#include "model.h"
#include "weights.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills views_out[model->n_roles] with views into weights, which must outlive them. layout names one of the model's
// maps; NULL takes the model's default, or else the one map whose tensors are all there. A missing or misshapen tensor
// is named with what was expected; where no map fits, the nearest one's first missing tensor is. So is a
// bias, norm or sink that the file has and the model would leave out.
enum ga_status ga_load_views(const struct ga_model *model, const struct ga_weights *weights, const char *layout,
                             struct ga_weight_view *views_out, struct ga_error *error);

// How one `layout` reads, for messages: the map ga_load_views would take, or NULL.
const struct ga_weight_map *ga_load_map(const struct ga_model *model, const struct ga_weights *weights,
                                        const char *layout, struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
