// corpus.c: reads a file of texts once for their checksums, and single texts again by their places.
#define _POSIX_C_SOURCE 200809L
#include "corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checksum.h"

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
    return ga_failed(context,
                     "%s: is not a regular file; expected one, as its texts are read again when they are found",
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
