// intermediate.c: the names and shapes of what a call may give in addition to its output. Looks at no tensor.
#include <stddef.h>

#include "model.h"

const char *ga_intermediate_name(enum ga_intermediate which)
{
    static const char *const names[GA_INTERMEDIATES] = {
        [GA_Q_PROJ] = "q_proj",   [GA_K_PROJ] = "k_proj",   [GA_V_PROJ] = "v_proj",
        [GA_Q_HEADS] = "q_heads", [GA_K_HEADS] = "k_heads", [GA_V_HEADS] = "v_heads",
        [GA_SCORES] = "scores",   [GA_X_HEADS] = "x_heads", [GA_X_CONCAT] = "x_concat",
    };
    return (size_t)which < GA_INTERMEDIATES ? names[which] : "?";
}

size_t ga_intermediate_shape(const struct ga_model *model, enum ga_intermediate which, size_t batch, size_t q_len,
                             size_t kv_len, size_t shape[4])
{
    const bool of_keys = which == GA_K_PROJ || which == GA_V_PROJ || which == GA_K_HEADS || which == GA_V_HEADS;
    const bool is_wide = which == GA_Q_PROJ || which == GA_K_PROJ || which == GA_V_PROJ || which == GA_X_CONCAT;
    if (model == NULL || shape == NULL || (size_t)which >= GA_INTERMEDIATES) {
        return 0;
    }
    const size_t heads = of_keys ? model->n_kv_heads : model->n_heads, length = of_keys ? kv_len : q_len;
    size_t rank = 0;
    shape[rank++] = batch;
    if (!is_wide) {
        shape[rank++] = heads;
    }
    shape[rank++] = length;
    shape[rank++] = which == GA_SCORES ? kv_len : is_wide ? heads * model->d_head : model->d_head;
    return rank;
}
