// embed_sink.c: where `embed` puts rows: a file of rows, a shard, or JSON. Computes none.
#define _POSIX_C_SOURCE 200809L
#include "embed_sink.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "numpy_file.h"
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
    const bool is_described = sink->of_tokens && sink->format == GA_ROWS_SAFETENSORS;
    const enum ga_rows_format format = is_described ? GA_ROWS_DESCRIBED : sink->format;
    return ga_rows_file_new(sink->path, sink->width, format, &sink->rows, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s", error.text);
}

// Nine digits are read back to the same float.
static void put_vector(FILE *json, const float *vector, size_t width)
{
    fputs("[", json);
    for (size_t i = 0; i < width; i++) {
        fputs(i > 0 ? ", " : "", json);
        if (isfinite(vector[i])) {
            fprintf(json, "%.9g", (double)vector[i]);
        } else {
            fputs("null", json); // JSON has no word for them
        }
    }
    fputs("]", json);
}

// The vector of text i, or of vectors of tokens the list of the text's.
static void put_vectors(const struct ga_embed_sink *sink, const float *rows, const size_t *starts, size_t i)
{
    const size_t width = sink->width;
    if (!starts) {
        put_vector(sink->json, rows + i * width, width);
        return;
    }
    fputs("[", sink->json);
    for (size_t k = starts[i]; k < starts[i + 1]; k++) {
        fputs(k > starts[i] ? ", " : "", sink->json);
        put_vector(sink->json, rows + k * width, width);
    }
    fputs("]", sink->json);
}

// block: the texts of the rows, or NULL; starts: of vectors of tokens, or NULL.
static void put_objects(const struct ga_embed_sink *sink, const struct ga_text_block *block, const float *rows,
                        const size_t *starts, size_t count)
{
    for (size_t i = 0, from = 0; i < count; i++) {
        fputs("{", sink->json);
        if (block) {
            fputs("\"text\": ", sink->json);
            ga_put_json_text(sink->json, block->bytes + from, block->ends[i] - from);
            fputs(", ", sink->json);
            from = block->ends[i] + 1;
        }
        fputs("\"embedding\": ", sink->json);
        put_vectors(sink, rows, starts, i);
        fputs("}\n", sink->json);
    }
}

static enum ga_exit put_json(const struct ga_embed_sink *sink, const struct ga_text_block *block, const float *rows,
                             const size_t *starts, size_t count)
{
    put_objects(sink, block, rows, starts, count);
    return fflush(sink->json) == 0 ? GA_EXIT_OK
                                   : ga_failed(sink->context, "%s: could not be written: %s",
                                               sink->path ? sink->path : "standard output", strerror(errno));
}

static enum ga_exit put_rows(struct ga_embed_sink *sink, const float *rows, size_t count)
{
    return ga_rows_file_put(&sink->rows, rows, count)
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s: could not be written: %s", sink->path, strerror(errno));
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
    return sink->is_json ? put_json(sink, block, rows, NULL, count) : put_rows(sink, rows, count);
}

// -- Of tokens ------------------------------------------------------------------------------------------------------

// Notes where the texts begin that come next, and where the last one ends.
static bool add_starts(struct ga_embed_sink *sink, const struct ga_token_vectors *vectors)
{
    const size_t needed = sink->n_starts + vectors->count + 1;
    if (needed > sink->start_room) {
        int64_t *grown = realloc(sink->starts, 2 * needed * sizeof *grown);
        if (!grown) {
            return false;
        }
        sink->starts = grown;
        sink->start_room = 2 * needed;
    }
    const size_t last = sink->n_starts > 0 ? sink->n_starts - 1 : 0;
    const int64_t first = sink->n_starts > 0 ? sink->starts[last] : 0;
    for (size_t i = 0; i <= vectors->count; i++) {
        sink->starts[last + i] = first + (int64_t)vectors->starts[i];
    }
    sink->n_starts = last + vectors->count + 1;
    return true;
}

enum ga_exit ga_embed_sink_put_tokens(struct ga_embed_sink *sink, const struct ga_text_block *block,
                                      const struct ga_token_vectors *vectors)
{
    if (sink->is_json) {
        return put_json(sink, block, vectors->rows, vectors->starts, vectors->count);
    }
    return add_starts(sink, vectors) ? put_rows(sink, vectors->rows, vectors->starts[vectors->count])
                                     : ga_failed(sink->context, "no memory for where texts begin");
}

// The file of a NumPy array has no place for where texts begin: they are in a second file.
static enum ga_status write_numpy_starts(const struct ga_embed_sink *sink, struct ga_error *error)
{
    const size_t size = strlen(sink->path) + sizeof ".starts" GA_NUMPY_ENDING;
    const bool ends_so = ga_name_ends_in(sink->path, GA_NUMPY_ENDING);
    const int own = (int)(strlen(sink->path) - (ends_so ? sizeof GA_NUMPY_ENDING - 1 : 0));
    char *path = malloc(size);
    if (!path) {
        return ga_fail(error, GA_MEMORY, "no memory for a path");
    }
    snprintf(path, size, "%.*s.starts" GA_NUMPY_ENDING, own, sink->path);
    const struct ga_tensor tensor = {
        .name = "starts", .dtype = GA_I64, .rank = 1, .shape = {sink->n_starts}, .data = sink->starts};
    const enum ga_status status = ga_numpy_write(path, &tensor, error);
    free(path);
    return status;
}

static enum ga_status end_rows(struct ga_embed_sink *sink, bool good, struct ga_error *error)
{
    const struct ga_rows_about of_texts = {.tensor = "embedding", .starts = sink->starts, .n_starts = sink->n_starts};
    if (good && sink->of_tokens && sink->format == GA_ROWS_NUMPY) {
        const enum ga_status status = write_numpy_starts(sink, error);
        if (status != GA_OK) {
            struct ga_error second;
            (void)ga_rows_file_end(&sink->rows, false, &about, &second);
            return status;
        }
    }
    return ga_rows_file_end(&sink->rows, good, sink->of_tokens ? &of_texts : &about, error);
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
        status = end_rows(sink, good, &error);
    }
    free(sink->starts);
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
