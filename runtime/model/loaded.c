// loaded.c: what packed weights say of themselves: their model and variant, and whether they are such weights at all.
// Packs nothing and runs nothing.
#include "arena.h"
#include "call.h"

enum ga_status ga_call_abi(const struct ga_model *model, struct ga_error *error)
{
    if (model->abi == GA_ABI) {
        return GA_OK;
    }
    return ga_fail(error, GA_UNSUPPORTED,
                   "the model was generated for interface %u and this runtime has %d: build both anew",
                   (unsigned)model->abi, GA_ABI);
}

static bool has_variant(const struct ga_model *model, const struct ga_variant *variant)
{
    for (size_t i = 0; i < model->n_variants; i++) {
        if (&model->variants[i] == variant) {
            return true;
        }
    }
    return false;
}

bool ga_call_has_variant(const struct ga_model *model, const struct ga_variant *variant)
{
    return model != NULL && model->abi == GA_ABI && has_variant(model, variant);
}

static bool is_handle(const struct ga_loaded *loaded)
{
    return loaded != NULL && ga_is_aligned(loaded, _Alignof(struct ga_loaded));
}

const struct ga_model *ga_loaded_model(const struct ga_loaded *loaded)
{
    return is_handle(loaded) ? loaded->model : NULL;
}

const struct ga_variant *ga_loaded_variant(const struct ga_loaded *loaded)
{
    return is_handle(loaded) ? loaded->variant : NULL;
}

enum ga_status ga_call_loaded(const char *who, const struct ga_loaded *loaded, struct ga_error *error)
{
    if (loaded == NULL) {
        return ga_fail(error, GA_ARGUMENT, "%s: loaded is NULL", who);
    }
    if (!is_handle(loaded)) {
        return ga_fail(error, GA_ALIGNMENT, "%s: loaded is not aligned as a struct ga_loaded must be", who);
    }
    const struct ga_model *model = loaded->model;
    if (model == NULL || loaded->packed == NULL) {
        return ga_fail(error, GA_ARGUMENT,
                       "%s: loaded holds no weights; expected what ga_model_pack or a file of packed "
                       "weights gave",
                       who);
    }
    const enum ga_status status = ga_call_abi(model, error);
    if (status == GA_OK && !ga_call_has_variant(model, loaded->variant)) {
        return ga_fail(error, GA_ARGUMENT, "%s: the variant of loaded is another model's", model->name);
    }
    return status;
}
