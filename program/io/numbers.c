// numbers.c: numbers and words given on the command line, read strictly: the whole text, in range, or a message.
// Takes no sign, blank, hexadecimal or suffix where a whole number is asked for.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "threads.h"

// Reads digits at *text and moves past them; false where there are none. A number too large for 64 bits reads as
// UINT64_MAX with *fits_out false.
static bool read_digits(const char **text, uint64_t *value_out, bool *fits_out)
{
    if (!isdigit((unsigned char)**text)) {
        return false;
    }
    char *end;
    errno = 0;
    *value_out = strtoull(*text, &end, 10);
    *fits_out = errno != ERANGE;
    *text = end;
    return true;
}

static enum ga_exit refuse_range(const struct ga_context *context, const char *option, const char *text,
                                 struct ga_range range)
{
    if (range.min == range.max) {
        return ga_misused(context, "--%s %s: this model takes %zu only", option, text, range.min);
    }
    return ga_misused(context, "--%s %s: out of range, %zu..%zu", option, text, range.min, range.max);
}

enum ga_exit ga_read_sizes(const struct ga_context *context, const char *option, const char *text,
                           struct ga_range range, struct ga_sizes *sizes_out)
{
    sizes_out->count = text ? 0 : sizes_out->count;
    for (const char *at = text; at; at++) {
        uint64_t value;
        bool fits;
        if (!read_digits(&at, &value, &fits) || (*at != '\0' && *at != ',')) {
            return ga_misused(context, "--%s \"%s\": not whole numbers separated by commas; expected each %zu..%zu",
                              option, text, range.min, range.max);
        }
        if (!fits || value < range.min || value > range.max) {
            return refuse_range(context, option, text, range);
        }
        if (sizes_out->count == GA_MAX_SIZES) {
            return ga_misused(context, "--%s: more than %d numbers; give the rest in another run", option,
                              GA_MAX_SIZES);
        }
        sizes_out->items[sizes_out->count++] = (size_t)value;
        if (*at == '\0') {
            break;
        }
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_read_size(const struct ga_context *context, const char *option, const char *text, struct ga_range range,
                          size_t *size_out)
{
    const char *at = text;
    uint64_t value;
    bool fits;
    if (!text) {
        return GA_EXIT_OK;
    }
    if (!read_digits(&at, &value, &fits) || *at != '\0') {
        return ga_misused(context, "--%s \"%s\": not a whole number; expected %zu..%zu", option, text, range.min,
                          range.max);
    }
    if (!fits || value < range.min || value > range.max) {
        return refuse_range(context, option, text, range);
    }
    *size_out = (size_t)value;
    return GA_EXIT_OK;
}

enum ga_exit ga_read_seed(const struct ga_context *context, const char *option, const char *text, uint64_t *seed_out)
{
    const char *at = text;
    bool fits;
    if (!text) {
        return GA_EXIT_OK;
    }
    if (!read_digits(&at, seed_out, &fits) || *at != '\0') {
        return ga_misused(context, "--%s \"%s\": not a whole number; expected 0..%" PRIu64, option, text, UINT64_MAX);
    }
    if (!fits) {
        return ga_misused(context, "--%s %s: out of range, 0..%" PRIu64, option, text, UINT64_MAX);
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_read_real(const struct ga_context *context, const char *option, const char *text, double least,
                          double most, double *real_out)
{
    char *end;
    if (!text) {
        return GA_EXIT_OK;
    }
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || isspace((unsigned char)*text)) {
        return ga_misused(context, "--%s \"%s\": not a number; expected one from %g to %g", option, text, least, most);
    }
    if (!(value >= least && value <= most)) { // also a NaN
        return ga_misused(context, "--%s %s: out of range, %g..%g", option, text, least, most);
    }
    *real_out = value;
    return GA_EXIT_OK;
}

enum ga_exit ga_read_word(const struct ga_context *context, const char *option, const char *text,
                          const char *const *words, size_t *word_out)
{
    char list[128] = "";
    for (size_t i = 0; text && words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *word_out = i;
            return GA_EXIT_OK;
        }
        strncat(list, i == 0 ? "" : words[i + 1] ? ", " : " or ", sizeof list - strlen(list) - 1);
        strncat(list, words[i], sizeof list - strlen(list) - 1);
    }
    return text ? ga_misused(context, "--%s %s: expected %s", option, text, list) : GA_EXIT_OK;
}

enum ga_exit ga_read_format(const struct ga_context *context, const char *option, const char *text, const char *usual,
                            bool *is_json_out)
{
    const char *const words[] = {usual, "json", NULL};
    size_t word = 0;
    const enum ga_exit code = ga_read_word(context, option, text, words, &word);
    *is_json_out = word == 1;
    return code;
}

enum ga_exit ga_read_threads(const struct ga_context *context, const char *text, size_t *threads_out)
{
    *threads_out = 1;
    if (!text) {
        return GA_EXIT_OK;
    }
    if (strcmp(text, "all") == 0) {
        *threads_out = ga_threads_available();
        return GA_EXIT_OK;
    }
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return ga_misused(context, "--threads \"%s\": neither a whole number, 1..%d, nor all", text, GA_MAX_THREADS);
    }
    return ga_read_size(context, "threads", text, (struct ga_range){1, GA_MAX_THREADS}, threads_out);
}
