// gguf_fixture.h: GGUF files of metadata alone, opened by libga_text.
#ifndef GA_GGUF_FIXTURE_H
#define GA_GGUF_FIXTURE_H

#include <unistd.h>

#include "gguf_make.h"
#include "subword_fixture.h"

// Writes the first `length` bytes and opens them.
static inline struct subword open_cut(struct gguf_file *file, size_t length)
{
    char path[] = "/tmp/ga_gguf_XXXXXX";
    struct subword opened = {0};
    count_keys(file);
    const int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0);
    cr_assert_eq(write(descriptor, file->bytes, length), (ssize_t)length);
    close(descriptor);
    opened.status = ga_text_tokenizer_open(path, &opened.tokenizer, &opened.error);
    unlink(path);
    if (opened.status == GA_OK) {
        cr_assert_eq(ga_text_context_open(opened.tokenizer, &opened.context), GA_OK);
    }
    return opened;
}

static inline struct subword open_gguf(struct gguf_file *file)
{
    const struct subword opened = open_cut(file, file->length);
    cr_assert_eq(opened.status, GA_OK, "%s", opened.error.text);
    return opened;
}

static inline void expect_refused(struct gguf_file *file, const char *what)
{
    const struct subword opened = open_cut(file, file->length);
    cr_assert_eq(opened.status, GA_FORMAT);
    cr_assert_not_null(strstr(opened.error.text, what), "%s", opened.error.text);
}

static inline void expect_ids(struct subword *opened, const char *text, const char *ids)
{
    const char *found = subword_ids(opened, text);
    cr_expect_str_eq(found, ids, "\"%s\": %s", text, found);
}

// Renames a key, so that the file lacks it.
static inline struct gguf_file without(struct gguf_file file, const char *key)
{
    for (size_t at = 0; at + strlen(key) <= file.length; at++) {
        if (memcmp(file.bytes + at, key, strlen(key)) == 0) {
            file.bytes[at] = 'T';
            return file;
        }
    }
    cr_assert(false, "no %s there", key);
    return file;
}

#endif
