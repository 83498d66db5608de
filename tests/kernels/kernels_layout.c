// kernels_layout.c: where the rows of a call's tensors lie, all heads side by side or each by itself, and an element's
// place in words. Touches no memory.
#include <stdio.h>

#include "kernels.h"

size_t call_heads(const struct call *call, enum call_buffer buffer)
{
    const bool of_keys = buffer == CALL_KEY || buffer == CALL_VALUE;
    const size_t heads = of_keys ? call->model->n_kv_heads : call->model->n_heads;
    return call->model->kind == GA_SDPA ? heads : 1;
}

size_t call_width(const struct call *call, enum call_buffer buffer)
{
    const struct ga_model *model = call->model;
    const size_t widths[N_CALL_BUFFERS] = {
        [CALL_QUERY] = model->d_model, [CALL_KEY] = model->k_dim,    [CALL_VALUE] = model->v_dim,
        [CALL_PAST] = model->k_dim,    [CALL_OUTPUT] = model->d_out, [CALL_SUBLAYER] = model->d_model,
    };
    return widths[buffer] / call_heads(call, buffer);
}

size_t call_row_at(const struct call *call, enum call_buffer buffer, size_t b, size_t head, size_t row)
{
    const bool of_queries = buffer == CALL_QUERY || buffer == CALL_SUBLAYER || buffer == CALL_OUTPUT;
    const size_t len = of_queries ? call->shape.q_len : call->shape.kv_len;
    return ((b * call_heads(call, buffer) + head) * len + row) * call_width(call, buffer);
}

size_t call_q_elements(const struct call *call)
{
    return call->shape.q_len * call->model->d_model;
}

size_t call_out_elements(const struct call *call)
{
    return call->shape.q_len * call->model->d_out;
}

size_t call_columns(const struct call *call)
{
    return call->shape.kv_len + call->model->extra_keys;
}

const char *call_element(const struct call *call, enum call_buffer buffer, size_t at, char text[CALL_ELEMENT])
{
    const size_t kv_len = call_columns(call), q_len = call->shape.q_len;
    const size_t width = call_width(call, CALL_OUTPUT), heads = call_heads(call, CALL_OUTPUT), row = at / width;
    if (buffer == CALL_ATTENTION) {
        snprintf(text, CALL_ELEMENT, "attention[%zu][%zu][%zu][%zu]", at / kv_len / q_len / call->model->n_heads,
                 at / kv_len / q_len % call->model->n_heads, at / kv_len % q_len, at % kv_len);
    } else if (buffer == CALL_ATTENTION_MEAN) {
        snprintf(text, CALL_ELEMENT, "attention_mean[%zu][%zu][%zu]", at / kv_len / q_len, at / kv_len % q_len,
                 at % kv_len);
    } else {
        char head[24] = "";
        if (heads > 1) {
            snprintf(head, sizeof head, "[%zu]", row / q_len % heads);
        }
        snprintf(text, CALL_ELEMENT, "output[%zu]%s[%zu][%zu]", row / q_len / heads, head, row % q_len, at % width);
    }
    return text;
}
