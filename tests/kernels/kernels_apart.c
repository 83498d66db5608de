// kernels_apart.c: the fact that what a thread has of its own in scratch lies apart from what another has, so that what
// a core reads ahead of itself is nobody else's. Looks at attention alone, where threads share rows of heads at most.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"

enum { THREADS = 2, BATCH = 8, ROWS = 64 }; // two full groups of sequences: as many units of work for each thread
enum { MANY_ROWS = 1024 };                  // of one sequence, of which each head is a unit of work of one thread
enum { LINE = 64, APART = 256 };            // bytes
enum { STRETCH = 8 };                       // lines

// Which part wrote each line of scratch last.
struct writers {
    const struct guard *scratch;
    unsigned char *before;  // what scratch held before a part
    unsigned char *part_of; // of each line, from 1 on; 0: nobody yet
    size_t lines;
};

bool kernels_for_apart(const struct ga_model *model)
{
    return model->kind == GA_SDPA && model->n_kv_heads > 1;
}

static void note_lines(const struct writers *writers, size_t part)
{
    const unsigned char *after = writers->scratch->data;
    for (size_t i = 0; i < writers->lines; i++) {
        if (memcmp(after + i * LINE, writers->before + i * LINE, LINE) != 0) {
            writers->part_of[i] = (unsigned char)(part + 1);
        }
    }
}

static void run_and_note(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    const struct writers *writers = self;
    for (size_t part = 0; part < parts; part++) {
        memcpy(writers->before, writers->scratch->data, writers->lines * LINE);
        task(context, part);
        note_lines(writers, part);
    }
}

// The number of places where a run of STRETCH lines of one part begins less than APART bytes after such a run of
// another part. Rows of all heads, which threads share, give shorter runs.
static size_t meetings(const struct writers *writers)
{
    size_t count = 0, last = 0, stretch = 0;
    bool may_meet = false;
    for (size_t i = 0; i < writers->lines; i++) {
        if (writers->part_of[i]) {
            const bool is_near = stretch > 0 && (i - last) * LINE <= APART;
            const bool is_same = is_near && writers->part_of[i] == writers->part_of[last];
            may_meet = is_same ? may_meet : is_near && stretch >= STRETCH;
            stretch = is_same ? stretch + 1 : 1;
            count += may_meet && stretch == STRETCH;
            last = i;
        }
    }
    return count;
}

// The rows of all heads, which threads share, may be in scratch: where one thread's end the other's begin.
static void look_for_neighbours(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                                const struct guard *scratch, size_t threads)
{
    const size_t lines = scratch->bytes / LINE;
    struct writers writers = {scratch, malloc(lines * LINE), calloc(lines, 1), lines};
    const struct ga_parallel parallel = {.threads = threads, .run = run_and_note, .self = &writers};
    struct ga_error error = {.status = GA_OK, .text = ""};
    call->io.parallel = &parallel;
    if (checks_need(checks, writers.before && writers.part_of, "no memory for scratch's lines") &&
        checks_need(checks, ga_model_run(subject->loaded[v], &call->io, scratch->data, scratch->bytes, &error) == GA_OK,
                    "%s", error.text)) {
        const size_t count = meetings(&writers);
        checks_that(checks, count < threads, "what two of %zu threads write is side by side in %zu places", threads,
                    count);
    }
    free(writers.before);
    free(writers.part_of);
}

static void run_variant(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                        size_t threads)
{
    const struct ga_variant *variant = ga_loaded_variant(subject->loaded[v]);
    const size_t bytes =
        ga_model_scratch_size(call->model, variant, call->shape.batch, call->shape.q_len, call->shape.kv_len, threads);
    struct guard scratch;
    checks_subject(checks, call->model->name, variant->isa);
    if (checks_need(checks, guard_make(&scratch, bytes, GA_ALIGN, GUARD_AT_END), "no memory for scratch")) {
        look_for_neighbours(checks, subject, v, call, &scratch, threads);
        guard_drop(&scratch);
    }
}

static void run_shape(struct checks *checks, const struct subject *subject, size_t batch, size_t rows, size_t threads)
{
    const struct ga_model *model = subject->model;
    const struct shape shape = {
        .batch = batch,
        .q_len = shapes_clamp(&model->q_len, rows),
        .kv_len = shapes_clamp(&model->kv_len, rows),
        .form = shapes_cross_form(model),
        .seed = 1,
    };
    struct call call;
    if (checks_need(checks, call_make(&call, model, &shape, GUARD_AT_END), "no memory for the call")) {
        call_fill(&call);
        for (size_t v = 0; v < subject->n_loaded; v++) {
            run_variant(checks, subject, v, &call, threads);
        }
        call_drop(&call);
    }
}

void threads_write_apart(struct checks *checks, const struct ga_model *model)
{
    struct subject subject;
    if (subject_make(&subject, checks, model, weights_random, false)) {
        run_shape(checks, &subject, BATCH, ROWS, THREADS);
        run_shape(checks, &subject, 1, MANY_ROWS, model->n_kv_heads);
    }
    subject_drop(&subject);
}
