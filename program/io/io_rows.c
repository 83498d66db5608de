// io_rows.c: whether a tensor of a file is the rows, or the integers, that a call wants, and what is said where it is
// not. Opens no file and looks at no float.
#include <stdio.h>

#include "model_call.h"

enum ga_exit ga_refuse_shape(const struct ga_context *context, const char *path, const struct ga_tensor *tensor,
                             const char *expected)
{
    char shape[GA_PRINTABLE];
    return ga_failed(context, "%s: tensor \"%s\" is %s %s; expected %s", path, tensor->name,
                     ga_dtype_name(tensor->dtype), ga_shape_text(tensor->rank, tensor->shape, shape, sizeof shape),
                     expected);
}

struct ga_rows ga_rows_of(const struct ga_model *model, size_t width, size_t heads)
{
    bool by_head = model->kind == GA_SDPA;
    return (struct ga_rows){.width = by_head ? width / heads : width, .heads = by_head ? heads : 0};
}

enum { EXPECTED_TEXT = 384 };

// "F32, F16, BF16 or F64 [batch, 1..512, 512] or [1..512, 512]"; with heads "... [batch, 8, 1..512, 64] or [8, 1..512,
// 64]", and where there is but one, "or [1..512, 64]".
static const char *rows_text(const struct ga_rows *rows, char text[EXPECTED_TEXT])
{
    char batch[24] = "batch", heads[24] = "", tail[80], width[24] = "";
    if (rows->batch) {
        snprintf(batch, sizeof batch, "%zu", rows->batch);
    }
    if (rows->heads) {
        snprintf(heads, sizeof heads, "%zu, ", rows->heads);
    }
    if (rows->width) {
        snprintf(width, sizeof width, ", %zu", rows->width);
    }
    if (rows->range.min == rows->range.max) {
        snprintf(tail, sizeof tail, "%zu%s]", rows->range.min, width);
    } else {
        snprintf(tail, sizeof tail, "%zu..%zu%s]", rows->range.min, rows->range.max, width);
    }
    bool alone = rows->batch <= 1, bare = alone && rows->heads == 1;
    snprintf(text, EXPECTED_TEXT, "%s [%s, %s%s%s%s%s%s%s", rows->width ? GA_FLOATS : "I32 or I64", batch, heads, tail,
             alone ? " or [" : "", alone ? heads : "", alone ? tail : "", bare ? " or [" : "", bare ? tail : "");
    return text;
}

enum ga_exit ga_floats_read(const struct ga_context *context, const struct ga_model_call *call,
                            const struct ga_tensor *tensor, const float **floats_out)
{
    struct ga_error error;
    *floats_out = NULL;
    return ga_weights_floats(call->file, tensor, floats_out, &error) == GA_OK ? GA_EXIT_OK
                                                                              : ga_failed(context, "%s", error.text);
}

bool ga_holds_integers(const struct ga_tensor *tensor)
{
    return tensor->dtype == GA_I32 || tensor->dtype == GA_I64;
}

int64_t ga_integer_at(const struct ga_tensor *tensor, size_t i)
{
    return tensor->dtype == GA_I64 ? ((const int64_t *)tensor->data)[i] : ((const int32_t *)tensor->data)[i];
}

enum ga_exit ga_rows_read(const struct ga_context *context, const struct ga_model_call *call,
                          const struct ga_tensor *tensor, const struct ga_rows *rows, size_t *batch_out,
                          size_t *len_out)
{
    size_t axes = rows->width ? 2 : 1, alone = axes + (rows->heads ? 1 : 0); // of a head, of a sequence
    bool batched = tensor->rank == alone + 1, bare = rows->heads == 1 && tensor->rank == axes;
    bool fits = (batched || bare || tensor->rank == alone) &&
                (rows->width ? ga_weights_are_floats(tensor) && tensor->shape[tensor->rank - 1] == rows->width
                             : ga_holds_integers(tensor));
    fits = fits && (rows->heads == 0 || bare || tensor->shape[batched ? 1 : 0] == rows->heads);
    if (fits) {
        *batch_out = batched ? tensor->shape[0] : 1;
        *len_out = tensor->shape[tensor->rank - axes];
        fits = *batch_out >= 1 && (rows->batch == 0 || *batch_out == rows->batch) && *len_out >= rows->range.min &&
               *len_out <= rows->range.max;
    }
    char expected[EXPECTED_TEXT];
    return fits ? GA_EXIT_OK : ga_refuse_shape(context, call->path, tensor, rows_text(rows, expected));
}
