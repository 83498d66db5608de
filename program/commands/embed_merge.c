// embed_merge.c: looks at all shards first and tells all that is wrong with them, then writes each block at its place.
// In memory there is one block.
#include "embed_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "embed_sink.h"

enum { MOST_TOLD = 20 }; // missing shards that have a message each

struct merge {
    const struct ga_context *context;
    const struct ga_arguments *arguments;
    struct ga_embed_sink sink;
    struct ga_shard_file first; // closed; its header is what others must agree with
    const char **paths;         // [first.shard.of], of each shard, or NULL
};

// -- What there is --------------------------------------------------------------------------------------------------

static enum ga_exit check_complete(const struct ga_shard_file *file)
{
    const size_t blocks = ga_shard_blocks(&file->shard);
    return file->done == blocks
               ? GA_EXIT_OK
               : ga_failed(file->context,
                           "%s: shard %zu/%zu is not finished, it has %zu of %zu blocks; run embed --shard %zu/%zu "
                           "--resume --output %s",
                           file->path, file->shard.index, file->shard.of, file->done, blocks, file->shard.index,
                           file->shard.of, file->path);
}

// Notes whose shard it is; of two of one index the second is refused.
static enum ga_exit note_path(struct merge *merge, const struct ga_shard_file *file)
{
    const char **path = &merge->paths[file->shard.index];
    if (*path) {
        return ga_failed(merge->context, "%s: is shard %zu/%zu, as %s is; expected one of them", file->path,
                         file->shard.index, file->shard.of, *path);
    }
    *path = file->path;
    return GA_EXIT_OK;
}

// The first shard is compared with this program, others with the first.
static enum ga_exit check_origin(struct merge *merge, const struct ga_shard_file *file)
{
    if (merge->paths) {
        return ga_shard_check_same(file, &merge->first);
    }
    const enum ga_exit code = ga_shard_check_program(file);
    if (code == GA_EXIT_OK) {
        merge->first = *file;
        merge->paths = calloc(file->shard.of, sizeof *merge->paths);
    }
    return code != GA_EXIT_OK || merge->paths ? code : ga_failed(merge->context, "no memory for a list of shards");
}

static enum ga_exit look_at(struct merge *merge, const char *path)
{
    struct ga_shard_file file;
    enum ga_exit code = ga_shard_open(merge->context, path, &file);
    if (code == GA_EXIT_OK) {
        code = check_origin(merge, &file);
    }
    if (code == GA_EXIT_OK) {
        code = note_path(merge, &file);
    }
    if (code == GA_EXIT_OK) {
        code = check_complete(&file);
    }
    return ga_shard_close(&file, code);
}

static enum ga_exit check_missing(const struct merge *merge)
{
    const size_t of = merge->first.shard.of;
    size_t missing = 0;
    for (size_t i = 0; i < of; i++) {
        missing += merge->paths[i] == NULL;
        if (!merge->paths[i] && missing <= MOST_TOLD) {
            ga_failed(merge->context, "shard %zu/%zu is missing; run embed --shard %zu/%zu, or name its file", i, of, i,
                      of);
        }
    }
    if (missing > MOST_TOLD) {
        ga_failed(merge->context, "%zu of %zu shards are missing", missing, of);
    }
    return missing > 0 ? GA_EXIT_FAILED : GA_EXIT_OK;
}

static enum ga_exit look_at_all(struct merge *merge)
{
    const struct ga_arguments *arguments = merge->arguments;
    enum ga_exit all = GA_EXIT_OK;
    for (size_t i = 0; i < arguments->n_operands; i++) {
        const enum ga_exit code = look_at(merge, arguments->operands[i]);
        all = code != GA_EXIT_OK ? code : all;
    }
    const enum ga_exit code = merge->paths ? check_missing(merge) : GA_EXIT_OK;
    return code != GA_EXIT_OK ? code : all;
}

// -- What is written ------------------------------------------------------------------------------------------------

static enum ga_exit put_block(struct merge *merge, struct ga_shard_file *file, size_t i, float *rows)
{
    size_t count;
    const size_t first = ga_shard_block(&file->shard, i, &count);
    if (!ga_shard_read(file, i, rows)) {
        return ga_failed(
            merge->context, "%s: block %zu of shard %zu/%zu is damaged; run embed --shard %zu/%zu --resume --output %s",
            file->path, i, file->shard.index, file->shard.of, file->shard.index, file->shard.of, file->path);
    }
    return ga_rows_file_put_at(&merge->sink.rows, first, rows, count)
               ? GA_EXIT_OK
               : ga_failed(merge->context, "%s: could not be written: %s", merge->sink.path, strerror(errno));
}

static enum ga_exit put_shard(struct merge *merge, const char *path, float *rows)
{
    struct ga_shard_file file;
    enum ga_exit code = ga_shard_open(merge->context, path, &file);
    if (code == GA_EXIT_OK) { // the file may be another one by now
        code = ga_shard_check_same(&file, &merge->first);
    }
    for (size_t i = 0; code == GA_EXIT_OK && i < ga_shard_blocks(&file.shard); i++) {
        code = put_block(merge, &file, i, rows);
    }
    return ga_shard_close(&file, code);
}

// All shards, so that all that are damaged are told.
static enum ga_exit put_shards(struct merge *merge)
{
    const struct ga_shard *shard = &merge->first.shard;
    float *rows = malloc(shard->block * merge->first.width * sizeof *rows);
    enum ga_exit all = rows ? GA_EXIT_OK : ga_failed(merge->context, "no memory for a block of embeddings");
    for (size_t i = 0; rows && i < shard->of; i++) {
        const enum ga_exit code = put_shard(merge, merge->paths[i], rows);
        all = code != GA_EXIT_OK ? code : all;
    }
    free(rows);
    return all;
}

static enum ga_exit write_all(struct merge *merge)
{
    merge->sink.width = merge->first.width;
    enum ga_exit code = ga_embed_sink_open(&merge->sink);
    if (code == GA_EXIT_OK) {
        code = ga_embed_sink_close(&merge->sink, put_shards(merge));
    }
    if (code == GA_EXIT_OK) {
        ga_print_line("%s: embedding F32 [%zu, %zu]", merge->sink.path, merge->first.shard.texts, merge->first.width);
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

// Options that would change nothing are refused.
static enum ga_exit check_options(const struct merge *merge, const struct ga_option *options)
{
    for (size_t i = 0; options[i].name; i++) {
        const char *name = options[i].name;
        if (merge->arguments->values[i] && strcmp(name, "merge") != 0 && strcmp(name, "output") != 0 &&
            strcmp(name, "format") != 0) {
            return ga_misused(merge->context, "%s%s has no meaning with --merge, which takes files of shards alone",
                              name[1] ? "--" : "-", name);
        }
    }
    return merge->arguments->n_operands > 0
               ? GA_EXIT_OK
               : ga_misused(merge->context, "--merge needs the files of all shards: embed --merge FILE... --output "
                                            "FILE");
}

// The value of an option of the table.
static const char *value_of(const struct merge *merge, const struct ga_option *options, const char *name)
{
    size_t i = 0;
    while (strcmp(options[i].name, name) != 0) {
        i++;
    }
    return merge->arguments->values[i];
}

enum ga_exit ga_embed_merge(const struct ga_context *context, const struct ga_arguments *arguments,
                            const struct ga_option *options)
{
    struct merge merge = {.context = context, .arguments = arguments, .sink.context = context};
    enum ga_exit code = check_options(&merge, options);
    if (code == GA_EXIT_OK) {
        code =
            ga_embed_sink_choose(&merge.sink, value_of(&merge, options, "output"), value_of(&merge, options, "format"));
    }
    if (code == GA_EXIT_OK && merge.sink.is_json) {
        code = ga_misused(context, "--format json: a shard has no texts; expected safetensors or npy with --merge");
    }
    if (code == GA_EXIT_OK) {
        code = look_at_all(&merge);
    }
    if (code == GA_EXIT_OK) {
        code = write_all(&merge);
    }
    free(merge.paths);
    return code;
}
