// text_speed.c: how fast libga_text gives the ids of a file's lines, one at a time, by one thread. Prints MB/s.
//
//     text_speed tokenizer.json lines.txt [rounds]
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ga_text.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *read_file(const char *path, size_t *length_out)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    *length_out = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length_out + 1);
    if (bytes && fread(bytes, 1, *length_out, file) != *length_out) {
        bytes[0] = '\0';
    }
    fclose(file);
    return bytes;
}

// Encodes all lines once; returns how many ids they have, 0 after a message.
static size_t encode_lines(struct ga_text_context *context, const char *bytes, size_t length)
{
    struct ga_text_encoding encoding;
    struct ga_error error;
    size_t ids = 0;
    for (const char *line = bytes, *end = bytes + length; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        if (ga_text_encode(context, line, (size_t)(next - line), NULL, 0, GA_TEXT_NO_TRUNCATION, &encoding, &error) !=
            GA_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 0;
        }
        ids += encoding.count;
        line = next + 1;
    }
    return ids;
}

int main(int argc, char **argv)
{
    struct ga_text_tokenizer *tokenizer = NULL;
    struct ga_text_context *context = NULL;
    struct ga_error error = {.text = "usage: text_speed tokenizer.json lines.txt [rounds]"};
    size_t length = 0, ids = 0;
    char *bytes = argc > 2 ? read_file(argv[2], &length) : NULL;
    if (!bytes || ga_text_tokenizer_open(argv[1], &tokenizer, &error) != GA_OK ||
        ga_text_context_open(tokenizer, &context) != GA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    double best = 1e30;
    for (int round = 0; round < (argc > 3 ? atoi(argv[3]) : 5); round++) {
        const double begin = seconds();
        ids = encode_lines(context, bytes, length);
        const double took = seconds() - begin;
        best = took < best ? took : best;
    }
    printf("%.2f MB/s, %zu ids\n", (double)length / best / 1e6, ids);
    ga_text_context_close(context);
    ga_text_tokenizer_close(tokenizer);
    free(bytes);
    return ids == 0;
}
