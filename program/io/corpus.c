// corpus.c: reads a file of texts once for their checksums, and single texts again by their places.
#define _POSIX_C_SOURCE 200809L
#include "corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct ga_text_mark ga_text_mark(const struct ga_texts *texts)
{
    return (struct ga_text_mark){ga_checksum(texts->text, texts->length), texts->length};
}

bool ga_text_marks_equal(struct ga_text_mark a, struct ga_text_mark b)
{
    return a.checksum == b.checksum && a.length == b.length;
}

static enum ga_exit check_regular(const struct ga_context *context, const struct ga_texts *texts)
{
    struct stat st;
    if (fstat(fileno(texts->file), &st) == 0 && S_ISREG(st.st_mode)) {
        return GA_EXIT_OK;
    }
    return ga_failed(context, "%s: is not a regular file; expected one, as its texts are read more than once",
                     texts->path);
}

static enum ga_exit add(const struct ga_context *context, struct ga_corpus *corpus, const struct ga_texts *texts,
                        off_t place)
{
    if (corpus->count == corpus->room) {
        const size_t room = 2 * corpus->room + 1024;
        struct ga_text_mark *marks = realloc(corpus->marks, room * sizeof *marks);
        corpus->marks = marks ? marks : corpus->marks;
        uint64_t *places = marks ? realloc(corpus->places, room * sizeof *places) : NULL;
        if (!places) {
            return ga_failed(context, "%s: no memory for a list of %zu texts", corpus->path, room);
        }
        corpus->places = places;
        corpus->room = room;
    }
    corpus->marks[corpus->count] = ga_text_mark(texts);
    corpus->places[corpus->count++] = (uint64_t)place;
    return GA_EXIT_OK;
}

static enum ga_exit read_all(const struct ga_context *context, struct ga_corpus *corpus, struct ga_texts *texts)
{
    enum ga_exit code = check_regular(context, texts);
    bool found = true;
    while (code == GA_EXIT_OK && found) {
        const off_t place = ftello(texts->file);
        code = ga_texts_next(context, texts, &found);
        if (code == GA_EXIT_OK && found) {
            code = add(context, corpus, texts, place);
        }
    }
    if (code == GA_EXIT_OK && corpus->count == 0) {
        ga_note(context, "%s: has no texts, so none will be found; expected one a line", corpus->path);
    }
    return code;
}

enum ga_exit ga_corpus_read(const struct ga_context *context, const char *path, bool nul, struct ga_corpus *corpus_out)
{
    struct ga_texts texts;
    *corpus_out = (struct ga_corpus){.path = path, .nul = nul};
    enum ga_exit code = ga_texts_open(context, path, nul, &texts);
    code = code == GA_EXIT_OK ? read_all(context, corpus_out, &texts) : code;
    ga_texts_close(&texts);
    return code;
}

enum ga_exit ga_corpus_text(const struct ga_context *context, const struct ga_corpus *corpus, size_t i,
                            struct ga_texts *texts)
{
    bool found = false;
    if (fseeko(texts->file, (off_t)corpus->places[i], SEEK_SET) != 0) {
        return ga_failed(context, "%s: cannot be read: %s", corpus->path, strerror(errno));
    }
    texts->count = i;
    const enum ga_exit code = ga_texts_next(context, texts, &found);
    if (code == GA_EXIT_OK && (!found || !ga_text_marks_equal(ga_text_mark(texts), corpus->marks[i]))) {
        return ga_failed(context, "%s: %s %zu was changed while it was searched; search again", corpus->path,
                         corpus->nul ? "text" : "line", i + 1);
    }
    return code;
}

void ga_corpus_free(struct ga_corpus *corpus)
{
    free(corpus->marks);
    free(corpus->places);
    *corpus = (struct ga_corpus){0};
}

// -- All texts as one number ----------------------------------------------------------------------------------------

struct ga_corpus_sum ga_corpus_sum_start(void)
{
    return (struct ga_corpus_sum){.sum = ga_checksum_start()};
}

void ga_corpus_sum_add(struct ga_corpus_sum *sum, struct ga_text_mark mark)
{
    unsigned char bytes[GA_CHECKSUM_BLOCK] = {0};
    ga_write_u64(bytes, mark.checksum);
    ga_write_u64(bytes + sizeof(uint64_t), mark.length);
    ga_checksum_add(&sum->sum, bytes, sizeof bytes);
    sum->texts++;
    sum->bytes += mark.length;
}

uint64_t ga_corpus_sum_end(const struct ga_corpus_sum *sum)
{
    return ga_checksum_end(&sum->sum);
}

enum ga_exit ga_corpus_sum_next(const struct ga_context *context, struct ga_texts *texts, struct ga_corpus_sum *sum,
                                bool *found_out)
{
    const enum ga_exit code = ga_texts_next(context, texts, found_out);
    if (code == GA_EXIT_OK && *found_out) {
        ga_corpus_sum_add(sum, ga_text_mark(texts));
    }
    return code;
}

enum ga_exit ga_corpus_add_up(const struct ga_context *context, struct ga_texts *texts, struct ga_corpus_sum *sum_out)
{
    const off_t begin = ftello(texts->file);
    enum ga_exit code = check_regular(context, texts);
    bool found = true;
    *sum_out = ga_corpus_sum_start();
    while (code == GA_EXIT_OK && found) {
        code = ga_corpus_sum_next(context, texts, sum_out, &found);
    }
    texts->count = 0;
    return code != GA_EXIT_OK || fseeko(texts->file, begin, SEEK_SET) == 0
               ? code
               : ga_failed(context, "%s: cannot be read again: %s", texts->path, strerror(errno));
}
