// embed_sink.c: where `embed` puts rows: a file of rows, a shard, or JSON. Computes none.
#define _POSIX_C_SOURCE 200809L
#include "embed_sink.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output_name.h"
#include "ranks.h"
#include "utf8.h"

static enum ga_exit open_json(struct ga_embed_sink *sink)
{
    struct ga_error error;
    sink->json = stdout;
    if (!sink->path) {
        return GA_EXIT_OK;
    }
    if (ga_atomic_file_new(sink->path, &sink->file, &error) != GA_OK) {
        return ga_failed(sink->context, "%s", error.text);
    }
    const int fd = dup(sink->file.fd);
    sink->json = fd < 0 ? NULL : fdopen(fd, "w");
    if (!sink->json) {
        (void)ga_atomic_file_end(&sink->file, false, &error);
        return ga_failed(sink->context, "%s", error.text);
    }
    return GA_EXIT_OK;
}

// -- Of ranks -------------------------------------------------------------------------------------------------------

enum ga_exit ga_embed_sink_agree(const struct ga_embed_sink *sink, enum ga_exit code)
{
    const bool good = sink->ranks < 2 || ga_rank_library.all(code == GA_EXIT_OK);
    return good || code != GA_EXIT_OK ? code : ga_failed(sink->context, "another rank failed");
}

static const struct ga_rows_about about = {.tensor = "embedding"};

static size_t make_header(const struct ga_embed_sink *sink, char bytes[GA_ROWS_HEADER])
{
    return ga_rows_header(sink->format, sink->texts, sink->width, &about, bytes);
}

static enum ga_exit open_of_ranks(struct ga_embed_sink *sink)
{
    const size_t room = strlen(sink->path) + sizeof ".mpi.tmp";
    sink->temporary = malloc(room);
    if (sink->temporary) {
        snprintf(sink->temporary, room, "%s.mpi.tmp", sink->path);
    }
    return ga_rank_library.all(sink->temporary != NULL) && ga_rank_library.open(sink->temporary)
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s.mpi.tmp: cannot be written by all ranks", sink->path);
}

static enum ga_exit put_of_rank(const struct ga_embed_sink *sink, const float *rows, size_t count)
{
    char bytes[GA_ROWS_HEADER];
    const size_t row = sink->width * sizeof *rows;
    return ga_rank_library.put(make_header(sink, bytes) + sink->first * row, rows, count * row)
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s: could not be written", sink->temporary);
}

// The first rank gives the file its header and its name, if all have written their rows.
static enum ga_exit close_of_ranks(struct ga_embed_sink *sink, enum ga_exit code)
{
    char bytes[GA_ROWS_HEADER];
    bool good = code == GA_EXIT_OK;
    if (good && sink->rank == 0) {
        good = ga_rank_library.put(0, bytes, make_header(sink, bytes));
    }
    good = ga_rank_library.close() && good;
    good = ga_rank_library.all(good);
    if (sink->rank == 0) {
        good = (good ? rename(sink->temporary, sink->path) : unlink(sink->temporary)) == 0 && good;
    }
    good = ga_rank_library.all(good);
    free(sink->temporary);
    return good || code != GA_EXIT_OK ? code : ga_failed(sink->context, "%s: was not written", sink->path);
}

// -- Of one program -------------------------------------------------------------------------------------------------

enum ga_exit ga_embed_sink_open(struct ga_embed_sink *sink)
{
    struct ga_error error;
    if (sink->ranks > 1) {
        return open_of_ranks(sink);
    }
    if (sink->is_json) {
        return open_json(sink);
    }
    if (sink->maker) {
        return ga_shard_begin(sink->context, sink->path, sink->maker, sink->resumes, &sink->shard);
    }
    return ga_rows_file_new(sink->path, sink->width, sink->format, &sink->rows, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s", error.text);
}

// Nine digits are read back to the same float.
static void put_vector(FILE *json, const float *vector, size_t width)
{
    fputs("\"embedding\": [", json);
    for (size_t i = 0; i < width; i++) {
        fputs(i > 0 ? ", " : "", json);
        if (isfinite(vector[i])) {
            fprintf(json, "%.9g", (double)vector[i]);
        } else {
            fputs("null", json); // JSON has no word for them
        }
    }
    fputs("]}\n", json);
}

// block: the texts of the rows, or NULL.
static void put_objects(const struct ga_embed_sink *sink, const struct ga_text_block *block, const float *rows,
                        size_t count)
{
    const size_t width = sink->width;
    for (size_t i = 0, from = 0; i < count; i++) {
        fputs("{", sink->json);
        if (block) {
            fputs("\"text\": ", sink->json);
            ga_put_json_text(sink->json, block->bytes + from, block->ends[i] - from);
            fputs(", ", sink->json);
            from = block->ends[i] + 1;
        }
        put_vector(sink->json, rows + i * width, width);
    }
}

enum ga_exit ga_embed_sink_put(struct ga_embed_sink *sink, const struct ga_text_block *block, const float *rows,
                               size_t count)
{
    if (sink->ranks > 1) {
        return put_of_rank(sink, rows, count);
    }
    if (sink->maker) {
        return ga_shard_put(&sink->shard, rows);
    }
    if (sink->is_json) {
        put_objects(sink, block, rows, count);
        return fflush(sink->json) == 0 ? GA_EXIT_OK
                                       : ga_failed(sink->context, "%s: could not be written: %s",
                                                   sink->path ? sink->path : "standard output", strerror(errno));
    }
    return ga_rows_file_put(&sink->rows, rows, count)
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s: could not be written: %s", sink->path, strerror(errno));
}

enum ga_exit ga_embed_sink_close(struct ga_embed_sink *sink, enum ga_exit code)
{
    struct ga_error error;
    if (sink->ranks > 1) {
        return close_of_ranks(sink, code);
    }
    if (sink->maker) {
        return ga_shard_close(&sink->shard, code);
    }
    bool good = code == GA_EXIT_OK;
    enum ga_status status = GA_OK;
    if (sink->is_json && sink->path) {
        good = fclose(sink->json) == 0 && good;
        status = ga_atomic_file_end(&sink->file, good, &error);
    } else if (!sink->is_json) {
        status = ga_rows_file_end(&sink->rows, good, &about, &error);
    }
    if (code != GA_EXIT_OK || status == GA_OK) {
        return code;
    }
    return ga_failed(sink->context, "%s", error.text);
}

// -- Formats --------------------------------------------------------------------------------------------------------

enum ga_exit ga_embed_sink_choose(struct ga_embed_sink *sink, const char *output, const char *given)
{
    static const char *const names[] = {[GA_ROWS_SAFETENSORS] = "safetensors", [GA_ROWS_NUMPY] = "npy"};
    static const char *const endings[] = {GA_SAFETENSORS_ENDING, GA_NUMPY_ENDING, NULL};
    const bool is_numpy = output && ga_name_ends_in(output, GA_NUMPY_ENDING);
    const char *format = given ? given : names[is_numpy ? GA_ROWS_NUMPY : GA_ROWS_SAFETENSORS];
    sink->path = output;
    sink->is_json = strcmp(format, "json") == 0;
    sink->format = strcmp(format, "npy") == 0 ? GA_ROWS_NUMPY : GA_ROWS_SAFETENSORS;
    if (!sink->is_json && strcmp(format, names[sink->format]) != 0) {
        return ga_misused(sink->context, "--format %s: expected safetensors, npy or json", format);
    }
    if (!sink->is_json && !output) {
        return ga_misused(sink->context, "embed: --output FILE is missing (or --format json, which is printed)");
    }
    return given ? GA_EXIT_OK
                 : ga_check_output_name(sink->context, output, endings, "; with --format, any name is taken");
}
