// kernels_apart.c: the fact that what a thread has of its own in scratch lies apart from what another has, so that what
// a core reads ahead of itself is nobody else's. Looks at attention alone, where threads share rows of heads at most.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"

enum { THREADS = 2, BATCH = 8, ROWS = 64 }; // two full groups of sequences: as many units of work for each thread
enum { LINE = 64, APART = 256 };            // bytes

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

// How often lines of one part follow nearer than APART bytes behind lines of another.
static size_t meetings(const struct writers *writers)
{
    size_t count = 0, last = SIZE_MAX;
    for (size_t i = 0; i < writers->lines; i++) {
        if (writers->part_of[i]) {
            count += last != SIZE_MAX && writers->part_of[i] != writers->part_of[last] && (i - last) * LINE <= APART;
            last = i;
        }
    }
    return count;
}

// The rows of all heads, which threads share, may be in scratch: where one thread's end the other's begin.
static void look_for_neighbours(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                                const struct guard *scratch)
{
    const size_t lines = scratch->bytes / LINE;
    struct writers writers = {scratch, malloc(lines * LINE), calloc(lines, 1), lines};
    const struct ga_parallel parallel = {.threads = THREADS, .run = run_and_note, .self = &writers};
    struct ga_error error = {.status = GA_OK, .text = ""};
    call->io.parallel = &parallel;
    if (checks_need(checks, writers.before && writers.part_of, "no memory for scratch's lines") &&
        checks_need(checks, ga_model_run(subject->loaded[v], &call->io, scratch->data, scratch->bytes, &error) == GA_OK,
                    "%s", error.text)) {
        const size_t count = meetings(&writers);
        checks_that(checks, count <= 1, "what two threads write is side by side in %zu places", count);
    }
    free(writers.before);
    free(writers.part_of);
}

static void run_variant(struct checks *checks, const struct subject *subject, size_t v, struct call *call)
{
    const struct ga_variant *variant = ga_loaded_variant(subject->loaded[v]);
    const size_t bytes =
        ga_model_scratch_size(call->model, variant, call->shape.batch, call->shape.q_len, call->shape.kv_len, THREADS);
    struct guard scratch;
    checks_subject(checks, call->model->name, variant->isa);
    if (checks_need(checks, guard_make(&scratch, bytes, GA_ALIGN, GUARD_AT_END), "no memory for scratch")) {
        look_for_neighbours(checks, subject, v, call, &scratch);
        guard_drop(&scratch);
    }
}

void threads_write_apart(struct checks *checks, const struct ga_model *model)
{
    const struct shape shape = {
        .batch = BATCH,
        .q_len = shapes_clamp(&model->q_len, ROWS),
        .kv_len = shapes_clamp(&model->kv_len, ROWS),
        .form = shapes_cross_form(model),
        .seed = 1,
    };
    struct subject subject;
    struct call call;
    if (subject_make(&subject, checks, model, weights_random, false) &&
        checks_need(checks, call_make(&call, model, &shape, GUARD_AT_END), "no memory for the call")) {
        call_fill(&call);
        for (size_t v = 0; v < subject.n_loaded; v++) {
            run_variant(checks, &subject, v, &call);
        }
        call_drop(&call);
    }
    subject_drop(&subject);
}
