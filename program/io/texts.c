// texts.c: texts from a file or standard input, and the tokenizer by its file's name.
#define _POSIX_C_SOURCE 200809L
#include "texts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text_file.h"

enum ga_exit ga_texts_open(const struct ga_context *context, const char *path, bool nul, struct ga_texts *texts_out)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    *texts_out = (struct ga_texts){
        .file = is_stdin ? stdin : ga_text_open(context, path),
        .path = is_stdin ? "standard input" : path,
        .end = nul ? '\0' : '\n',
    };
    return texts_out->file ? GA_EXIT_OK : GA_EXIT_FAILED;
}

// Room for one more byte and the NUL; false where there is no memory.
static bool make_room(struct ga_texts *texts)
{
    if (texts->length + 1 < texts->room) {
        return true;
    }
    const size_t room = 2 * texts->room + 128;
    char *text = realloc(texts->text, room);
    texts->text = text ? text : texts->text;
    texts->room = text ? room : texts->room;
    return text != NULL;
}

// Reads to the end of a text, of the file, or to the byte that is one too many; returns what it has met there.
static int read_text(struct ga_texts *texts, bool *has_room_out)
{
    int byte = 0;
    texts->length = 0;
    while ((*has_room_out = make_room(texts)) && (byte = getc_unlocked(texts->file)) != EOF && byte != texts->end &&
           texts->length < GA_LONGEST_TEXT) {
        texts->text[texts->length++] = (char)byte;
    }
    return byte;
}

enum ga_exit ga_texts_next(const struct ga_context *context, struct ga_texts *texts, bool *found_out)
{
    bool has_room;
    const int last = read_text(texts, &has_room);
    if (!has_room || (last == EOF && ferror(texts->file))) {
        return ga_failed(context, "%s: cannot be read: %s", texts->path, strerror(has_room ? errno : ENOMEM));
    }
    *found_out = last != EOF || texts->length > 0;
    texts->count += *found_out;
    texts->text[texts->length] = '\0';
    return last == EOF || last == texts->end
               ? GA_EXIT_OK
               : ga_failed(context, "%s: %s %zu is longer than %d bytes; expected %s", texts->path,
                           texts->end ? "line" : "text", texts->count, GA_LONGEST_TEXT,
                           texts->end ? "one text a line" : "a NUL after each text");
}

double ga_texts_share(const struct ga_texts *texts)
{
    struct stat st;
    const off_t at = ftello(texts->file);
    const bool is_known = fstat(fileno(texts->file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    return is_known && at > 0 ? (double)at / (double)st.st_size : 0;
}

void ga_texts_close(struct ga_texts *texts)
{
    if (texts->file && texts->file != stdin) {
        (void)fclose(texts->file); // it was only read
    }
    free(texts->text);
    *texts = (struct ga_texts){0};
}

// -- The tokenizer --------------------------------------------------------------------------------------------------

const char *ga_text_refusal(const struct ga_model *model)
{
    return model->vocab_size == 0 ? "takes no token ids; its spec would say vocab_size = 30522"
           : !ga_text_library.tokenizer_open_for
               ? "was built without text: ./configure found no utf8proc or no PCRE2 (Debian: libutf8proc-dev "
                 "libpcre2-dev)"
               : NULL;
}

enum ga_exit ga_check_text(const struct ga_context *context)
{
    const char *why = ga_text_refusal(context->model);
    return why ? ga_failed(context, "%s %s", context->model->name, why) : GA_EXIT_OK;
}

// An id that the model has no row for would be found much later.
static enum ga_exit check_ids(const struct ga_context *context, const char *label,
                              const struct ga_text_tokenizer *tokenizer)
{
    const size_t ids = ga_text_library.tokenizer_ids(tokenizer), vocab_size = context->model->vocab_size;
    return ids <= vocab_size ? GA_EXIT_OK
                             : ga_failed(context,
                                         "%s: has ids up to %zu; expected below %zu, as %s has: it is of "
                                         "another model, or tokens were added to it and not to the model",
                                         label, ids - 1, vocab_size, context->model->name);
}

// Another tokenizer than the recorded one gives results that look right and are not.
static enum ga_exit check_hash(const struct ga_context *context, const struct ga_tokenizer_file *file,
                               const struct ga_text_tokenizer *tokenizer)
{
    const uint64_t found = ga_text_library.tokenizer_hash(tokenizer);
    uint64_t recorded;
    if (!ga_text_library.recorded_hash(context->model->spec, &recorded) || recorded == found) {
        return GA_EXIT_OK;
    }
    if (!file->is_insisted) {
        return ga_failed(context,
                         "%s: its hash is %016" PRIx64 "; %s was made for the tokenizer of hash %016" PRIx64
                         ": --tokenizer FILE takes another one",
                         file->label, found, context->model->name, recorded);
    }
    ga_note(context, "%s: its hash is %016" PRIx64 "; %s was made for the tokenizer of hash %016" PRIx64, file->label,
            found, context->model->name, recorded);
    return GA_EXIT_OK;
}

enum ga_exit ga_open_tokenizer(const struct ga_context *context, const struct ga_tokenizer_file *file,
                               struct ga_text_tokenizer **tokenizer_out)
{
    struct ga_error error;
    if (ga_text_library.tokenizer_open_for(context->model->spec, file->label, file->bytes, file->size, tokenizer_out,
                                           &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    enum ga_exit code = check_ids(context, file->label, *tokenizer_out);
    code = code == GA_EXIT_OK ? check_hash(context, file, *tokenizer_out) : code;
    if (code != GA_EXIT_OK) {
        ga_text_library.tokenizer_close(*tokenizer_out);
        *tokenizer_out = NULL;
    }
    return code;
}

enum ga_exit ga_text_tools_open(const struct ga_context *context, const char *path, const char *weights,
                                struct ga_text_tools *tools_out)
{
    struct ga_tokenizer_file file;
    *tools_out = (struct ga_text_tools){0};
    enum ga_exit code = ga_check_text(context);
    if (code != GA_EXIT_OK) {
        return code;
    }
    code = ga_tokenizer_file_read(context, path, weights, &file);
    code = code == GA_EXIT_OK ? ga_open_tokenizer(context, &file, &tools_out->tokenizer) : code;
    ga_tokenizer_file_free(&file);
    if (code == GA_EXIT_OK && ga_text_library.context_open(tools_out->tokenizer, &tools_out->context) != GA_OK) {
        code = ga_failed(context, "no memory for the tokenizer");
    }
    if (code != GA_EXIT_OK) {
        ga_text_tools_close(tools_out);
    }
    return code;
}

void ga_text_tools_close(struct ga_text_tools *tools)
{
    if (tools->tokenizer) {
        ga_text_library.context_close(tools->context);
        ga_text_library.tokenizer_close(tools->tokenizer);
    }
    *tools = (struct ga_text_tools){0};
}
