// kernels_choices.c: the fact that a call which chooses what each linear multiplies gives what the generic kernel does
// with the same choice. Says nothing of models without a choice, which other facts are about.
#include "kernels.h"

static const double CHOICE_BUDGET = 1.5e8;

enum { MIXTURES = 6 };

bool kernels_for_choosing(const struct ga_model *model)
{
    return model->arithmetic_choices != 0;
}

// Choice `index`: one arithmetic for all linears, then mixtures in which each linear meets each of them.
static void choose(const struct ga_model *model, size_t index, enum ga_arithmetic chosen[GA_LINEARS])
{
    enum ga_arithmetic list[GA_ARITHMETICS];
    size_t count = 0;
    for (size_t a = 0; a < GA_ARITHMETICS; a++) {
        if (model->arithmetic_choices >> a & 1U) {
            list[count++] = (enum ga_arithmetic)a;
        }
    }
    for (size_t l = 0; l < GA_LINEARS; l++) {
        chosen[l] = list[(index < count ? index : index + l * (1 + index % 2)) % count];
    }
}

static void compare_choices(struct checks *checks, const struct subject *subject, struct call *call)
{
    const struct ga_model *model = subject->model;
    struct ga_model chosen = *model; // for the generic kernel
    call->io.arithmetic = chosen.arithmetic;
    call->model = &chosen;
    for (size_t i = 0; i < MIXTURES; i++) {
        choose(model, i, chosen.arithmetic);
        compare_with_generic(checks, subject, call, 0);
        if (kernels_for_last(&chosen)) {
            compare_last(checks, subject, call);
        }
    }
    call->model = model;
    call->io.arithmetic = NULL;
}

void choices_match_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, CHOICE_BUDGET, compare_choices);
}
