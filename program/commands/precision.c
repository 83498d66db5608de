// precision.c: the command `precision`: the error and the time of each linear in each dtype, on the user's own rows,
// and the fastest mixture within a limit. Measures calls of the model itself; simulates nothing.
#include "precision_measure.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "weights_options.h"

enum { INPUT = GA_OPTIONS_LOADING, TOKENIZER, LIMIT, ROUNDS, SVG, SPEC, ISA, THREADS };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, true, "safetensors file as for run, or texts, a line each"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "tokenizer for texts"},
    [LIMIT] = {"limit", "E", "1e-3", false,
               "the largest error of a mixture: 1 - cosine to f32 in the mean over rows, or as below"},
    [ROUNDS] = {"rounds", "N", "5", false, "rounds; each times every choice and f32 in turn"},
    [SVG] = {"svg", "FILE", "NAME.precision.svg", false, "picture to write"},
    [SPEC] = {"spec", "FILE", "NAME.precision.lua", false, "file to write the spec of the fastest mixture to"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "For a model configured with --dtype any, which has every dtype of each linear, also of its logits and its",
    "classifier. It runs each linear in each dtype while the others are f32, on all of the input. The error is",
    "1 - cosine between a row of the output, or of the embedding if the model pools, and the row of f32; the mean over",
    "rows. If logits or class_logits differ more from f32, it is half of their squared distance divided by",
    "their squared length.",
    "The time is the time of a call divided by that of f32, which runs in turn with it; the median.",
    "Each mixture starts with one dtype for all linears. From f32, linears move to faster dtypes, those first that",
    "save most time for the error that they add, while the sum of errors is within the limit. From another",
    "dtype, linears move to dtypes with less error, those first that lose least time, until the sum",
    "is within the limit. Each mixture is then measured as a whole. If it is above the limit, linears are",
    "moved back. The command names the fastest mixture.",
    NULL,
};

static const char *const examples[] = {
    "precision --weights w.safetensors --input rows.safetensors",
    "precision --weights model/ --input sentences.txt --limit 1e-5 --svg errors.svg --spec fast.lua",
    NULL,
};

// -- The mixture ----------------------------------------------------------------------------------------------------

// Gives linears of a mixture dtypes of less error until the whole is within the limit, and says so; its error and its
// time as a whole into *whole_out.
static enum ga_exit fit(struct ga_precision_work *work, struct ga_mixture *mixture, struct ga_measured *whole_out)
{
    enum ga_linear linear;
    enum ga_arithmetic from;
    enum ga_exit code = ga_precision_error(work, mixture->of, &whole_out->error);
    while (code == GA_EXIT_OK && whole_out->error > work->found.limit &&
           ga_mixture_retreat(&work->found.figures, whole_out->error - work->found.limit, mixture, &linear, &from)) {
        printf("a mixture whose errors add up to less has %.3g as a whole: %s is not %s\n", whole_out->error,
               ga_linear_name(linear), ga_arithmetic_name(from));
        code = ga_precision_error(work, mixture->of, &whole_out->error);
    }
    return code == GA_EXIT_OK ? ga_precision_time(work, mixture->of, &whole_out->time) : code;
}

// The mixture whose sum is within the limit that begins as one dtype for all. From f32 the figures of linears alone
// lead on. Others have savings that no linear has alone, as linears of the same rows share their integers:
// they are left as they are but for what the limit takes.
static struct ga_mixture begin(const struct ga_precision *found, enum ga_arithmetic arithmetic)
{
    enum ga_linear linear;
    enum ga_arithmetic from;
    struct ga_mixture mixture = ga_mixture_of(&found->figures, arithmetic);
    bool is_moved = true;
    while (is_moved && mixture.sum.error > found->limit) {
        is_moved = ga_mixture_retreat(&found->figures, mixture.sum.error - found->limit, &mixture, &linear, &from);
    }
    if (arithmetic == GA_ARITHMETIC_F32) {
        ga_mixture_advance(&found->figures, found->limit, &mixture);
    }
    return mixture;
}

// The fastest within the limit of the mixtures that begin as one dtype for all, f32 among them.
static enum ga_exit choose(struct ga_precision_work *work)
{
    struct ga_precision *found = &work->found;
    enum ga_exit code = GA_EXIT_OK;
    found->chosen = (struct ga_measured){0, 1}; // f32's own
    for (size_t a = 0; a < GA_ARITHMETICS && code == GA_EXIT_OK; a++) {
        if (found->figures.is_choice[a]) {
            struct ga_mixture mixture = begin(found, (enum ga_arithmetic)a);
            struct ga_measured whole;
            code = fit(work, &mixture, &whole);
            if (code == GA_EXIT_OK && whole.time < found->chosen.time) {
                found->chosen = whole;
                memcpy(found->of, mixture.of, sizeof found->of);
            }
        }
    }
    return code;
}

// -- What is said ---------------------------------------------------------------------------------------------------

static void print_row(const char *linear, enum ga_arithmetic dtype, const struct ga_measured *found)
{
    printf("%-12s%-7s%12.3g%12.3f\n", linear, ga_arithmetic_name(dtype), found->error, found->time);
}

static void print_table(const struct ga_context *context, const struct ga_precision *found)
{
    ga_print_line("%s, %s, %zu thread%s: %zu rows of %s of %s, %.4g ms in f32", context->model->name, found->isa,
                  found->threads, found->threads == 1 ? "" : "s", found->rows, found->what, found->input,
                  found->seconds * 1e3);
    printf("%-12s%-7s%12s%12s\n", "linear", "dtype", "error", "time of f32");
    for (size_t l = 0; l <= GA_LINEARS; l++) {
        for (size_t a = GA_ARITHMETIC_F32 + 1; a < GA_ARITHMETICS; a++) {
            if (found->figures.is_choice[a] && l == GA_LINEARS) {
                print_row("all", (enum ga_arithmetic)a, &found->uniform[a]);
            } else if (found->figures.is_choice[a] && found->figures.is_there[l]) {
                print_row(ga_linear_name((enum ga_linear)l), (enum ga_arithmetic)a, &found->figures.of[l][a]);
            }
        }
    }
}

static void print_chosen(const struct ga_precision *found)
{
    const char *before = "";
    printf("fastest within %.3g: ", found->limit);
    for (size_t l = 0; l < GA_LINEARS; l++) {
        if (found->figures.is_there[l]) {
            printf("%s%s %s", before, ga_linear_name((enum ga_linear)l), ga_arithmetic_name(found->of[l]));
            before = ", ";
        }
    }
    printf("\nas a whole: error %.3g, time %.3f of f32\n", found->chosen.error, found->chosen.time);
}

// What the table does not have, as the model computes it in one dtype whatever a call chooses.
static void print_unmeasured(const struct ga_model *model)
{
    printf("not measured, in %s: attention; the field dtype of the spec takes it by name\n",
           ga_arithmetic_name(model->attention_arithmetic));
}

// -- The files ------------------------------------------------------------------------------------------------------

// Where they go: as given, or by their usual names, which lie here.
struct paths {
    const char *svg, *spec;
    char usual_svg[GA_PRINTABLE * 2], usual_spec[GA_PRINTABLE * 2];
};

static void choose_paths(const struct ga_context *context, const char *const *values, struct paths *paths_out)
{
    struct paths *paths = paths_out;
    snprintf(paths->usual_svg, sizeof paths->usual_svg, "%s.precision.svg", context->model->name);
    snprintf(paths->usual_spec, sizeof paths->usual_spec, "%s.precision.lua", context->model->name);
    paths->svg = values[SVG] ? values[SVG] : paths->usual_svg;
    paths->spec = values[SPEC] ? values[SPEC] : paths->usual_spec;
}

// Figures that take minutes should not be lost to a name.
static enum ga_exit check_files(const struct ga_context *context, const char *const *values)
{
    struct paths paths;
    choose_paths(context, values, &paths);
    const enum ga_exit code = ga_check_writable(context, "svg", paths.svg);
    return code == GA_EXIT_OK ? ga_check_writable(context, "spec", paths.spec) : code;
}

static enum ga_exit write_files(const struct ga_context *context, const char *const *values,
                                const struct ga_precision *found)
{
    struct paths paths;
    choose_paths(context, values, &paths);
    enum ga_exit code = ga_precision_draw(context, found, paths.svg);
    code = code == GA_EXIT_OK ? ga_precision_write_spec(context, found, paths.spec) : code;
    if (code == GA_EXIT_OK) {
        ga_print_line("%s: the table as a picture", paths.svg);
        ga_print_line("%s: the spec of this mixture; ./configure --spec %s", paths.spec, paths.spec);
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

static enum ga_exit read_arguments(struct ga_precision_work *work, const char *const *values, size_t *threads_out)
{
    const struct ga_context *context = work->context;
    const struct ga_range range = {1, GA_MOST_ROUNDS};
    enum ga_exit code = ga_read_threads(context, values[THREADS], threads_out);
    code = code == GA_EXIT_OK ? ga_read_real(context, "limit", values[LIMIT], 0, 1, &work->found.limit) : code;
    return code == GA_EXIT_OK ? ga_read_size(context, "rounds", values[ROUNDS], range, &work->rounds) : code;
}

static enum ga_exit find(struct ga_precision_work *work, const struct ga_weight_choice *choice,
                         const char *const *values)
{
    const struct ga_context *context = work->context;
    struct ga_precision *found = &work->found;
    enum ga_exit code = ga_trial_open(context, choice, values[INPUT], values[TOKENIZER], true, &work->trial);
    if (code != GA_EXIT_OK) {
        return code;
    }
    found->isa = work->trial.instance.variant->isa;
    found->input = values[INPUT];
    found->what = work->trial.what;
    found->rows = work->trial.count;
    found->threads = choice->threads ? choice->threads : 1;
    found->figures = ga_precision_linears(context->model);
    work->progress = ga_progress_begin(context, "runs");
    code = ga_precision_measure(work);
    ga_progress_end(&work->progress);
    if (code == GA_EXIT_OK) {
        print_table(context, found);
        code = choose(work);
        ga_progress_end(&work->progress);
    }
    if (code == GA_EXIT_OK) {
        print_chosen(found);
        print_unmeasured(context->model);
        code = write_files(context, values, found);
    }
    return code;
}

static const char *refusal(const struct ga_model *model)
{
    return model->arithmetic_choices == 0
               ? "has one dtype for each linear; configure it with --dtype any to choose among them"
               : NULL;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_precision_work work = {.context = context, .rounds = 5, .found = {.limit = 1e-3}};
    enum ga_exit code = read_arguments(&work, values, &choice.threads);
    code = code == GA_EXIT_OK ? check_files(context, values) : code;
    if (code == GA_EXIT_OK) {
        code = find(&work, &choice, values);
        ga_precision_work_free(&work);
    }
    return code;
}

const struct ga_command ga_command_precision = {
    .name = "precision",
    .summary = "find the fastest dtypes of linears within an error, on your own rows",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = refusal,
    .run = run,
};
