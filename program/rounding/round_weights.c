// round_weights.c: which weights are rounded by which sums. Knows neither scales nor samples.
#include "round_weights.h"

#include <stdlib.h>
#include <string.h>

#include "feedback.h"
#include "progress.h"
#include "view_floats.h"

static enum ga_exit no_memory(const struct ga_context *context)
{
    return ga_failed(context, "no memory for rounded weights");
}

// A copy of a weight, [rows][width], rounded; the view then points to it. NULL where there is no memory.
static float *round_one(const struct ga_row_sums *sums, const struct ga_feedback *feedback, size_t role,
                        struct ga_weight_view *view, struct ga_progress *progress)
{
    const size_t rows = sums->model->roles[role].shape[0], width = feedback->width;
    float *copy = malloc(rows * width * sizeof *copy), *row = malloc(width * sizeof *row);
    bool good = copy && row;
    struct ga_view_reader reader;
    ga_view_reader_start(&reader, view);
    for (size_t r = 0; r < rows && good; r++) {
        for (size_t c = 0; c < width; c++) {
            row[c] = ga_view_number(&reader, r * view->row_stride + c * view->col_stride);
        }
        good = ga_feedback_round(feedback, sums->model->weights_dtype, row, copy + r * width);
        ga_progress_show(progress, role + 1,
                         ((double)role + (double)(r + 1) / (double)rows) / (double)sums->model->n_roles);
    }
    free(row);
    if (!good) {
        free(copy);
        return NULL;
    }
    *view = (struct ga_weight_view){.data = copy, .row_stride = width, .col_stride = 1};
    return copy;
}

// Whether a weight of logits is the embedding too: errors that others take back would move the rows of its tokens
// further away, which costs more than logits gain.
static bool is_table(const struct ga_model *model, size_t role)
{
    const char *name = model->roles[role].name, *dot = strrchr(name, '.');
    return strcmp(dot ? dot + 1 : name, "embedding") == 0;
}

// All weights that have the sums of one.
static enum ga_exit round_alike(const struct ga_context *context, const struct ga_row_sums *sums, size_t owner,
                                struct ga_weight_view *views, struct ga_rounded *copies, struct ga_progress *progress)
{
    const struct ga_model *model = sums->model;
    bool is_finite;
    struct ga_feedback *feedback = ga_feedback_new(sums->of[owner], model->roles[owner].shape[1], &is_finite);
    enum ga_exit code = GA_EXIT_OK;
    if (!feedback) {
        code = is_finite ? no_memory(context)
                         : ga_failed(context, "the samples make rows with NaN or infinite numbers for %s",
                                     model->roles[owner].name);
    }
    for (size_t role = owner; role < model->n_roles && code == GA_EXIT_OK; role++) {
        if (sums->of[role] == sums->of[owner]) {
            copies->of[role] = round_one(sums, feedback, role, &views[role], progress);
            code = copies->of[role] ? GA_EXIT_OK : no_memory(context);
        }
    }
    ga_feedback_free(feedback);
    return code;
}

enum ga_exit ga_round_weights(const struct ga_context *context, const struct ga_row_sums *sums,
                              struct ga_weight_view *views, struct ga_rounded *copies_out)
{
    const size_t n_roles = sums->model->n_roles;
    struct ga_progress progress = ga_progress_begin(context, "tensors");
    *copies_out = (struct ga_rounded){n_roles, calloc(n_roles, sizeof *copies_out->of)};
    enum ga_exit code = copies_out->of && !sums->is_short ? GA_EXIT_OK : no_memory(context);
    for (size_t role = 0; role < n_roles && code == GA_EXIT_OK; role++) {
        if (sums->of[role] && sums->owner[role] == role && !is_table(sums->model, role)) {
            code = round_alike(context, sums, role, views, copies_out, &progress);
        }
    }
    ga_progress_end(&progress);
    return code;
}

void ga_rounded_free(struct ga_rounded *copies)
{
    for (size_t i = 0; copies->of && i < copies->count; i++) {
        free(copies->of[i]);
    }
    free(copies->of);
}
