// tokenizer_file.c: finds the tokenizer.json that a command is to use, and reads it whole.
#define _POSIX_C_SOURCE 200809L
#include "tokenizer_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pack_file.h"
#include "text_library.h"

static enum ga_exit read_path(const struct ga_context *context, const char *path, struct ga_tokenizer_file *file)
{
    struct ga_error error;
    (void)snprintf(file->label, sizeof file->label, "%s", path);
    return ga_text_library.tokenizer_read(path, &file->bytes, &file->size, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(context, "%s", error.text);
}

static enum ga_exit read_attached(const struct ga_context *context, const struct ga_pack *pack,
                                  const struct ga_pack_section *section, struct ga_tokenizer_file *file)
{
    struct ga_error error;
    (void)snprintf(file->label, sizeof file->label, "%s: its tokenizer", pack->label);
    file->is_insisted = true; // by whom the weights were packed
    file->size = section->bytes;
    file->bytes = malloc(section->bytes + 1);
    if (!file->bytes) {
        return ga_failed(context, "%s: no memory for %zu bytes", file->label, file->size);
    }
    return ga_pack_read_attachment(pack, section, file->bytes, &error) == GA_OK ? GA_EXIT_OK
                                                                                : ga_failed(context, "%s", error.text);
}

// Reads what the packed weights hold; leaves file as it is where they hold none.
static enum ga_exit read_packed(const struct ga_context *context, const char *weights, struct ga_tokenizer_file *file)
{
    struct ga_pack pack;
    struct ga_error error;
    if (ga_pack_open(weights, &pack, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    const struct ga_pack_section *section = ga_pack_attachment(&pack, GA_TEXT_ATTACHMENT);
    const enum ga_exit code = section ? read_attached(context, &pack, section, file) : GA_EXIT_OK;
    ga_pack_close(&pack);
    return code;
}

// Reads the tokenizer.json in the folder of the weights; of both files, it names the one that is not there.
static enum ga_exit read_beside(const struct ga_context *context, const char *weights, struct ga_tokenizer_file *file)
{
    char beside[PATH_MAX];
    struct stat st;
    if (stat(weights, &st) != 0) {
        return ga_failed(context, "%s: cannot be opened: %s", weights, strerror(errno));
    }
    if (!ga_tokenizer_is_beside(weights) || !ga_text_library.tokenizer_beside(weights, beside, sizeof beside)) {
        return ga_failed(context, "%s: there is no tokenizer.json in it or in its folder; --tokenizer FILE names one",
                         weights);
    }
    return read_path(context, beside, file);
}

enum ga_exit ga_tokenizer_file_read(const struct ga_context *context, const char *path, const char *weights,
                                    struct ga_tokenizer_file *file_out)
{
    *file_out = (struct ga_tokenizer_file){.is_insisted = path != NULL};
    if (path) {
        return read_path(context, path, file_out);
    }
    if (ga_pack_is_file(weights)) {
        const enum ga_exit code = read_packed(context, weights, file_out);
        if (code != GA_EXIT_OK || file_out->bytes) {
            return code;
        }
    }
    return weights ? read_beside(context, weights, file_out)
                   : ga_misused(context, "no tokenizer: give --tokenizer FILE, or --weights of a folder that has one");
}

bool ga_tokenizer_is_beside(const char *weights)
{
    char beside[PATH_MAX];
    struct stat st;
    return ga_text_library.tokenizer_beside(weights, beside, sizeof beside) && stat(beside, &st) == 0 &&
           S_ISREG(st.st_mode);
}

void ga_tokenizer_file_free(struct ga_tokenizer_file *file)
{
    free(file->bytes);
    *file = (struct ga_tokenizer_file){0};
}
