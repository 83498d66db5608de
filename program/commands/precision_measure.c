// precision_measure.c: calls of the model itself, compared with f32's.
#include "precision_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Choices --------------------------------------------------------------------------------------------------------

// A role's name with what stands before it in a stack taken away: whether it is one of a linear's weights.
static bool is_weight_of(const char *role, enum ga_linear linear)
{
    static const char *const names[GA_LINEARS][2] = {
        [GA_LINEAR_Q] = {"q_weight"},
        [GA_LINEAR_K] = {"k_weight"},
        [GA_LINEAR_V] = {"v_weight"},
        [GA_LINEAR_O] = {"o_weight"},
        [GA_LINEAR_UP] = {"up_weight", "gate_up_weight"},
        [GA_LINEAR_DOWN] = {"down_weight"},
        [GA_LINEAR_LOGITS] = {"logits_weight"},
        [GA_LINEAR_CLASSIFIER] = {"classifier_weight"},
    };
    const char *dot = strrchr(role, '.');
    const char *name = dot ? dot + 1 : role;
    return strcmp(name, names[linear][0]) == 0 || (names[linear][1] && strcmp(name, names[linear][1]) == 0);
}

struct ga_linear_figures ga_precision_linears(const struct ga_model *model)
{
    struct ga_linear_figures figures = {0};
    for (size_t i = 0; i < GA_LINEARS * model->n_roles; i++) {
        const enum ga_linear linear = (enum ga_linear)(i % GA_LINEARS);
        figures.is_there[linear] = figures.is_there[linear] || is_weight_of(model->roles[i / GA_LINEARS].name, linear);
    }
    figures.is_there[GA_LINEAR_LOGITS] = model->stack && model->stack->n_logits > 0; // tied, they have no role
    for (size_t i = 0; i < (size_t)GA_LINEARS * GA_ARITHMETICS; i++) {
        const size_t arithmetic = i % GA_ARITHMETICS;
        figures.is_choice[arithmetic] = (model->arithmetic_choices >> arithmetic & 1U) != 0;
        figures.of[i / GA_ARITHMETICS][arithmetic] = (struct ga_measured){0, 1};
    }
    return figures;
}

// Each linear in each dtype but f32, and all in one; returns how many.
static size_t list_choices(struct ga_precision *found, struct ga_choice list[GA_MOST_CHOICES])
{
    size_t count = 0;
    for (size_t a = GA_ARITHMETIC_F32 + 1; a < GA_ARITHMETICS; a++) {
        if (!found->figures.is_choice[a]) {
            continue;
        }
        struct ga_choice all = {.found = &found->uniform[a]};
        for (size_t l = 0; l < GA_LINEARS; l++) {
            all.of[l] = (enum ga_arithmetic)a;
            if (found->figures.is_there[l]) {
                list[count] = (struct ga_choice){.found = &found->figures.of[l][a]};
                list[count++].of[l] = (enum ga_arithmetic)a;
            }
        }
        list[count++] = all;
    }
    return count;
}

// -- Errors ---------------------------------------------------------------------------------------------------------

static double one_minus_cosine(const float *a, const float *b, size_t width)
{
    double dot = 0, a_square = 0, b_square = 0;
    for (size_t c = 0; c < width; c++) {
        dot += (double)a[c] * (double)b[c];
        a_square += (double)a[c] * (double)a[c];
        b_square += (double)b[c] * (double)b[c];
    }
    return 1 - dot / sqrt(a_square * b_square);
}

static bool is_zero(const float *row, size_t width)
{
    size_t c = 0;
    while (c < width && row[c] == 0) {
        c++;
    }
    return c == width;
}

// The mean error over the real rows of the last run; those that are zeros in f32 have no direction.
static double mean_of_rows(const struct ga_precision_work *work)
{
    const struct ga_trial *trial = &work->trial;
    double sum = 0;
    size_t rows = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const float *exact = work->exact + i * trial->width;
        if (ga_trial_is_real(trial, i) && !is_zero(exact, trial->width)) {
            sum += one_minus_cosine(exact, ga_trial_row(trial, i), trial->width);
            rows++;
        }
    }
    return sum / (double)(rows ? rows : 1);
}

// Half the squared distance, in parts of the squared length: 1 - cosine where numbers are but turned. One label, which
// has no direction, has a distance.
static double half_distance(const float *exact, const float *got, size_t count)
{
    double square = 0, distance = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = (double)got[i] - (double)exact[i];
        distance += difference * difference;
        square += (double)exact[i] * (double)exact[i];
    }
    return distance == 0 ? 0 : distance / (2 * square);
}

// The greatest error of an output of the last run. NaN: infinite.
static double find_error(const struct ga_precision_work *work)
{
    double most = mean_of_rows(work);
    for (size_t m = 0; m < GA_TRIAL_MORE; m++) {
        const struct ga_trial_more *more = &work->trial.more[m];
        const double error = more->count > 0 ? half_distance(work->exact_more[m], more->data, more->count) : 0;
        most = error <= most || isnan(most) ? most : error;
    }
    return isfinite(most) ? fmax(most, 0) : INFINITY;
}

static enum ga_exit run_once(struct ga_precision_work *work, const enum ga_arithmetic *of, double *seconds_out)
{
    const enum ga_exit code = ga_trial_run(&work->trial, of, seconds_out);
    work->done++;
    ga_progress_show(&work->progress, work->done, work->all > work->done ? (double)work->done / (double)work->all : 0);
    return code;
}

enum ga_exit ga_precision_error(struct ga_precision_work *work, const enum ga_arithmetic *of, double *error_out)
{
    double seconds;
    const enum ga_exit code = run_once(work, of, &seconds);
    *error_out = code == GA_EXIT_OK ? find_error(work) : 0;
    return code;
}

static const enum ga_arithmetic all_f32[GA_LINEARS]; // zeros

static enum ga_exit keep_exact(struct ga_precision_work *work)
{
    const struct ga_trial *trial = &work->trial;
    double seconds;
    const enum ga_exit code = run_once(work, all_f32, &seconds);
    work->exact = malloc(trial->count * trial->width * sizeof *work->exact);
    if (!work->exact) {
        return ga_failed(work->context, "no memory for %zu rows", trial->count);
    }
    for (size_t m = 0; m < GA_TRIAL_MORE && code == GA_EXIT_OK; m++) {
        const struct ga_trial_more *more = &trial->more[m];
        work->exact_more[m] = malloc(more->count * sizeof *more->data + 1);
        if (!work->exact_more[m]) {
            return ga_failed(work->context, "no memory for %zu numbers", more->count);
        }
        if (more->count > 0) {
            memcpy(work->exact_more[m], more->data, more->count * sizeof *more->data);
        }
    }
    for (size_t i = 0; i < trial->count && code == GA_EXIT_OK; i++) {
        memcpy(work->exact + i * trial->width, ga_trial_row(trial, i), trial->width * sizeof *work->exact);
    }
    return code;
}

// -- Times ----------------------------------------------------------------------------------------------------------

static int in_order(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, in_order);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

enum ga_exit ga_precision_time(struct ga_precision_work *work, const enum ga_arithmetic *of, double *time_out)
{
    const size_t pairs = work->rounds * work->samples;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t pair = 0; pair < pairs && code == GA_EXIT_OK; pair++) {
        double seconds[2] = {0, 0}; // in turn, so that what else the machine does meets both
        code = run_once(work, all_f32, &seconds[0]);
        code = code == GA_EXIT_OK ? run_once(work, of, &seconds[1]) : code;
        work->ratios[pair] = seconds[1] / seconds[0];
    }
    *time_out = code == GA_EXIT_OK ? median(work->ratios, pairs) : 1;
    return code;
}

// The time of a call in f32; and from it how many pairs of a round are timed, so that a round is some milliseconds.
static enum ga_exit time_f32(struct ga_precision_work *work)
{
    const double round_seconds = 2e-2;
    double seconds[3];
    const size_t runs = sizeof seconds / sizeof *seconds;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t run = 0; run < runs && code == GA_EXIT_OK; run++) {
        code = run_once(work, all_f32, &seconds[run]);
    }
    work->found.seconds = code == GA_EXIT_OK ? fmax(median(seconds, runs), 1e-6) : 1;
    work->samples = (size_t)fmax(ceil(round_seconds / work->found.seconds), 1);
    work->ratios = malloc(work->rounds * work->samples * sizeof *work->ratios);
    return work->ratios || code != GA_EXIT_OK ? code : ga_failed(work->context, "no memory for times");
}

enum ga_exit ga_precision_measure(struct ga_precision_work *work)
{
    struct ga_choice list[GA_MOST_CHOICES];
    struct ga_precision *found = &work->found;
    const size_t count = list_choices(found, list);
    found->uniform[GA_ARITHMETIC_F32] = (struct ga_measured){0, 1};
    enum ga_exit code = keep_exact(work);
    code = code == GA_EXIT_OK ? time_f32(work) : code;
    work->all = 4 + count + (count + GA_ARITHMETICS) * 2 * work->rounds * work->samples;
    for (size_t i = 0; i < count && code == GA_EXIT_OK; i++) {
        code = ga_precision_error(work, list[i].of, &list[i].found->error);
        code = code == GA_EXIT_OK ? ga_precision_time(work, list[i].of, &list[i].found->time) : code;
    }
    return code;
}

void ga_precision_work_free(struct ga_precision_work *work)
{
    ga_trial_close(&work->trial);
    for (size_t m = 0; m < GA_TRIAL_MORE; m++) {
        free(work->exact_more[m]);
    }
    free(work->exact);
    free(work->ratios);
}
