// sequence_batches.c: sorts sequences by length, runs them batch by batch, and puts each one's numbers in its place.
#define _POSIX_C_SOURCE 200809L
#include "sequence_batches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"

// -- The order ------------------------------------------------------------------------------------------------------

struct place {
    size_t length, at;
};

static int longest_first(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->length != b->length ? (a->length < b->length) - (a->length > b->length)
                                  : (a->at > b->at) - (a->at < b->at);
}

// The places of all sequences, for the caller to free; NULL: no memory.
static struct place *sorted_places(const struct ga_sequences *sequences)
{
    struct place *places = malloc((sequences->count + 1) * sizeof *places);
    for (size_t i = 0; places && i < sequences->count; i++) {
        places[i] = (struct place){ga_sequence_length(sequences, i), i};
    }
    if (places) {
        qsort(places, sequences->count, sizeof *places, longest_first);
    }
    return places;
}

// -- Batches --------------------------------------------------------------------------------------------------------

// What is being run, and room for one batch at a time.
struct work {
    const struct ga_batches *job;
    const struct place *places;
    size_t total, done; // ids of all sequences
    double start;
    int32_t *tokens, *types, *lengths;
    float *given;
    size_t room; // rows of these
    void *scratch;
    size_t scratch_size;
};

// Rows a sequence of the batch from the first-th on has in the call.
static size_t call_length(const struct work *work, size_t first)
{
    const size_t length = work->places[first].length, least = work->job->context->model->q_len.min;
    return length > least ? length : least;
}

// How many sequences from the first-th on go together: those whose rows fit; without lengths, of one length.
static size_t batch_size(const struct work *work, size_t first)
{
    const struct ga_model *model = work->job->context->model;
    const size_t left = work->job->sequences->count - first, fit = work->job->rows / call_length(work, first);
    size_t count = fit < 1 ? 1 : fit < left ? fit : left;
    if (model->batch) {
        count = model->batch < left ? model->batch : left;
    }
    for (size_t i = 1; !model->lengths && i < count; i++) {
        count = work->places[first + i].length == work->places[first].length ? count : i;
    }
    return count;
}

static void free_room(struct work *work)
{
    free(work->tokens);
    free(work->types);
    free(work->lengths);
    ga_block_free(work->given);
    ga_block_free(work->scratch);
}

// Room for a batch of so many rows and sequences, all zeros.
static enum ga_exit make_room(struct work *work, size_t batch, size_t rows)
{
    if (rows > work->room) {
        free_room(work);
        work->room = rows;
        work->scratch = NULL;
        work->scratch_size = 0;
        work->tokens = malloc(rows * sizeof *work->tokens);
        work->types = malloc(rows * sizeof *work->types);
        work->lengths = malloc(rows * sizeof *work->lengths);
        work->given = ga_block_new(rows * work->job->width * sizeof *work->given);
    }
    if (!work->tokens || !work->types || !work->lengths || !work->given) {
        return ga_failed(work->job->context, "no memory for a batch of %zu rows", rows);
    }
    memset(work->tokens, 0, rows * sizeof *work->tokens);
    memset(work->types, 0, rows * sizeof *work->types);
    memset(work->lengths, 0, batch * sizeof *work->lengths);
    return GA_EXIT_OK;
}

static enum ga_exit make_scratch(struct work *work, const struct ga_io *io)
{
    const struct ga_context *context = work->job->context;
    const size_t size = ga_model_scratch_size(context->model, work->job->instance->variant, io->batch, io->q_len, 0,
                                              io->parallel ? io->parallel->threads : 1);
    if (size > work->scratch_size) {
        ga_block_free(work->scratch);
        work->scratch = size == SIZE_MAX ? NULL : ga_block_new(size);
        work->scratch_size = size;
    }
    return work->scratch ? GA_EXIT_OK : ga_failed(context, "no memory for %zu bytes of scratch", size);
}

static void fill_batch(struct work *work, size_t first, size_t count, size_t q_len)
{
    const struct ga_sequences *sequences = work->job->sequences;
    for (size_t b = 0; b < count; b++) {
        const struct place *place = &work->places[first + b];
        const size_t start = sequences->starts[place->at];
        work->lengths[b] = (int32_t)place->length;
        if (place->length > 0) {
            memcpy(work->tokens + b * q_len, sequences->ids + start, place->length * sizeof *work->tokens);
        }
        if (place->length > 0 && sequences->types) {
            memcpy(work->types + b * q_len, sequences->types + start, place->length * sizeof *work->types);
        }
        work->done += place->length;
    }
}

static enum ga_exit call_model(struct work *work, size_t batch, size_t q_len)
{
    const struct ga_batches *job = work->job;
    struct ga_io io = {
        .batch = batch,
        .q_len = q_len,
        .tokens = work->tokens,
        .token_types = job->sequences->types ? work->types : NULL,
        .q_lengths = job->context->model->lengths ? work->lengths : NULL,
        .parallel = job->instance->parallel,
    };
    memcpy((unsigned char *)&io + job->field, &work->given, sizeof work->given);
    struct ga_error error;
    const enum ga_exit code = make_scratch(work, &io);
    if (code == GA_EXIT_OK &&
        ga_model_run(job->instance->loaded, &io, work->scratch, work->scratch_size, &error) != GA_OK) {
        return ga_failed(job->context, "%s", error.text);
    }
    return code;
}

// Runs sequences from the first-th on as one batch, and puts their numbers where they belong.
static enum ga_exit run_batch(struct work *work, size_t first, size_t count, float *out)
{
    const size_t fixed = work->job->context->model->batch, batch = fixed ? fixed : count, width = work->job->width;
    const size_t q_len = call_length(work, first);
    enum ga_exit code = make_room(work, batch, batch * q_len);
    if (code == GA_EXIT_OK) {
        fill_batch(work, first, count, q_len);
        code = call_model(work, batch, q_len);
    }
    for (size_t b = 0; b < count && code == GA_EXIT_OK; b++) {
        memcpy(out + work->places[first + b].at * width, work->given + b * width, width * sizeof *out);
    }
    return code;
}

// A line on a terminal that the next one overwrites; nothing where stderr is no terminal.
static void show_progress(const struct work *work, size_t done, size_t count)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    if (done == count) {
        fputs("\r\033[K", stderr);
        return;
    }
    fprintf(stderr, "\r%zu of %zu %s", done, count, work->job->what);
    if (work->done > 0) {
        const double seconds = ga_seconds_now() - work->start;
        fprintf(stderr, ", about %.0f s left", seconds * (double)(work->total - work->done) / (double)work->done);
    }
    fputs("\033[K", stderr);
}

enum ga_exit ga_run_batches(const struct ga_batches *batches, float *out)
{
    const size_t count = batches->sequences->count;
    struct place *places = sorted_places(batches->sequences);
    struct work work = {.job = batches, .places = places, .start = ga_seconds_now()};
    enum ga_exit code = GA_EXIT_OK;
    if (!places) {
        return ga_failed(batches->context, "no memory for %zu %s", count, batches->what);
    }
    work.total = count > 0 ? batches->sequences->starts[count] : 0;
    for (size_t first = 0, size = 0; first < count && code == GA_EXIT_OK; first += size) {
        show_progress(&work, first, count);
        size = batch_size(&work, first);
        code = run_batch(&work, first, size, out);
    }
    show_progress(&work, count, count);
    free_room(&work);
    free(places);
    return code;
}
