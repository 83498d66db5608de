// kernels_variant.c: the fact that a model takes the best instruction set that the CPU has, refuses those it lacks, and
// has one that any CPU runs. Runs no kernel.
#include <string.h>

#include "cpu.h"
#include "kernels.h"

// The first variant that the CPU can run and has what makes it fast, or the first that it can run: they are listed best
// first.
static const struct ga_variant *best_of(const struct ga_model *model)
{
    const struct ga_variant *slow = NULL;
    for (size_t v = 0; v < model->n_variants; v++) {
        const struct ga_variant *variant = &model->variants[v];
        if (ga_cpu_has(variant->cpu) && ga_cpu_has(variant->prefers)) {
            return variant;
        }
        slow = !slow && ga_cpu_has(variant->cpu) ? variant : slow;
    }
    return slow;
}

static void expect_named(struct checks *checks, const struct ga_model *model, const struct ga_variant *variant)
{
    const bool runs = ga_cpu_has(variant->cpu);
    const struct ga_variant *found = NULL;
    struct ga_error error = {.text = ""};
    checks_subject(checks, model->name, variant->isa);
    checks_situation(checks, "asked for by name");
    const enum ga_status status = ga_model_variant(model, variant->isa, &found, &error);
    checks_that(checks, status == (runs ? GA_OK : GA_CPU), "%s: %s", ga_status_text(status), error.text);
    checks_that(checks, found == (runs ? variant : NULL), "another variant was given");
    checks_that(checks, runs || strstr(error.text, variant->isa), "the error does not name it: %s", error.text);
}

void the_best_variant_that_runs_is_taken(struct checks *checks, const struct ga_model *model)
{
    const struct ga_variant *found = NULL;
    struct ga_error error = {.text = ""};
    checks_situation(checks, "asked for none");
    checks_that(checks, ga_model_variant(model, NULL, &found, &error) == GA_OK, "%s", error.text);
    checks_that(checks, found && found == best_of(model), "%s was taken", found ? found->isa : "none");
    for (size_t v = 0; v < model->n_variants; v++) {
        expect_named(checks, model, &model->variants[v]);
    }
}
