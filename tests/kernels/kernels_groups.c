// kernels_groups.c: the fact that groups of equal weights are packed as what they are. What else groups keep is in
// kernels_dtype.c.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"

bool kernels_for_groups(const struct ga_model *model)
{
    return kernels_keep_groups(model);
}

// The subject's weights packed once more, those of linears all one number; NULL where that fails.
static const struct ga_loaded *pack_equal(const struct subject *subject, size_t v, const float *number, void **block)
{
    const struct ga_model *model = subject->model;
    const struct ga_variant *variant = subject->loaded[v]->variant;
    const size_t size = ga_model_packed_size(variant), tail = strlen("_weight");
    struct ga_weight_view *views = calloc(model->n_roles, sizeof *views);
    const struct ga_loaded *loaded = NULL;
    *block = aligned_alloc(GA_ALIGN, (size + GA_ALIGN - 1) / GA_ALIGN * GA_ALIGN);
    for (size_t role = 0; views && role < model->n_roles; role++) {
        const char *name = model->roles[role].name;
        const bool is_weight = strlen(name) > tail && strcmp(name + strlen(name) - tail, "_weight") == 0;
        views[role] =
            is_weight && model->roles[role].rank == 2 ? (struct ga_weight_view){.data = number} : subject->roles[role];
    }
    if (views && *block && ga_model_pack(model, variant, views, *block, size, &loaded, NULL) != GA_OK) {
        loaded = NULL;
    }
    free(views);
    return loaded;
}

// A number of steps, one that is 2^-16 of it away, and none.
static void compare_equal(struct checks *checks, const struct subject *subject, size_t v, float exact)
{
    const float numbers[] = {exact, exact * (1 + 0x1p-16F), 0.0F};
    const struct ga_loaded *loaded[3];
    void *blocks[3];
    bool good = true;
    for (size_t i = 0; i < 3; i++) {
        loaded[i] = pack_equal(subject, v, &numbers[i], &blocks[i]);
        good = good && loaded[i];
    }
    if (checks_need(checks, good, "equal weights are not packed")) {
        const size_t bytes = loaded[0]->variant->packed_bytes;
        checks_that(checks, memcmp(loaded[0]->packed, loaded[1]->packed, bytes) == 0,
                    "%s: weights that all are %.9g are packed otherwise than %.9g", loaded[0]->variant->isa,
                    (double)numbers[1], (double)exact);
        checks_that(checks, memcmp(loaded[0]->packed, loaded[2]->packed, bytes) != 0,
                    "%s: weights that all are %.9g are packed as zeros", loaded[0]->variant->isa, (double)exact);
    }
    for (size_t i = 0; i < 3; i++) {
        free(blocks[i]);
    }
}

void equal_weights_are_packed_as_the_nearest_steps(struct checks *checks, const struct ga_model *model)
{
    const float steps = 0x1.8p-9F * (model->weights_dtype == GA_STORAGE_INT4 ? 15.0F : 127.0F);
    struct subject subject;
    if (subject_make(&subject, checks, model, weights_random, false)) {
        for (size_t v = 0; v < subject.n_loaded; v++) {
            compare_equal(checks, &subject, v, steps);
            compare_equal(checks, &subject, v, -steps);
        }
    }
    subject_drop(&subject);
}
