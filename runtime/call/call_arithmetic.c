// call_arithmetic.c: the rules for what linears of layers multiply, where a call chooses it, and for who watches the
// rows. Runs nothing.
#include "call.h"
#include "watch.h"

bool ga_model_shows(const struct ga_model *model)
{
    if (model == NULL) {
        return false;
    }
    return model->weights_dtype == GA_STORAGE_INT8 || model->weights_dtype == GA_STORAGE_INT4;
}

enum ga_status ga_call_watch(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    if (io->watch == NULL || (ga_model_shows(model) && io->watch->show != NULL)) {
        return GA_OK;
    }
    return ga_model_shows(model)
               ? ga_fail(error, GA_ARGUMENT, "%s: watch->show is NULL; expected a function", model->name)
               : ga_fail(error, GA_UNSUPPORTED,
                         "%s: watch is given, but rows are shown by models alone whose weights_dtype is \"int8\" or "
                         "\"int4\"",
                         model->name);
}

enum ga_status ga_call_arithmetic(const struct ga_model *model, struct ga_io *call, enum ga_arithmetic copy[GA_LINEARS],
                                  struct ga_error *error)
{
    if (call->arithmetic == NULL) {
        return GA_OK;
    }
    if (model->arithmetic_choices == 0) {
        return ga_fail(error, GA_UNSUPPORTED,
                       "%s: arithmetic is given, but the model's linears have theirs; set dtype to \"any\" in the spec",
                       model->name);
    }
    for (size_t l = 0; l < GA_LINEARS; l++) {
        const unsigned chosen = (unsigned)*(const volatile enum ga_arithmetic *)&call->arithmetic[l]; // read once
        if (chosen >= GA_ARITHMETICS || (model->arithmetic_choices >> chosen & 1U) == 0) {
            return ga_fail(error, GA_ARGUMENT,
                           "%s: arithmetic[%zu] is %u; expected one whose bit arithmetic_choices has (0x%x)",
                           model->name, l, chosen, (unsigned)model->arithmetic_choices);
        }
        copy[l] = (enum ga_arithmetic)chosen;
    }
    call->arithmetic = copy;
    return GA_OK;
}
