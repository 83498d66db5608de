// pattern.c: strings and regular expressions that are looked for, within limits.
#define _GNU_SOURCE // memmem
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#include <pcre2.h>

#include "regex.h"
#include "unicode.h"

enum {
    LONGEST = 4096,       // bytes of a pattern
    STEPS = 1000000,      // of one match, before it is given up
    DEPTH = 10000,        // of its backtracking
    HEAP_KIB = 64 * 1024, // that it may take
};

struct ga_text_pattern {
    pcre2_code *code; // NULL: a string
    pcre2_match_context *limits;
    size_t length;
    char text[];
};

struct pattern_fields {
    struct ga_text_bytes string, regex;
};

static const struct ga_text_field fields[] = {
    {"String", GA_TEXT_STRING, GA_TEXT_OPTIONAL, offsetof(struct pattern_fields, string)},
    {"Regex", GA_TEXT_STRING, GA_TEXT_OPTIONAL, offsetof(struct pattern_fields, regex)},
};

static enum ga_status compile_rewritten(struct ga_text_reader *reader, struct ga_text_pattern *pattern,
                                        const struct ga_text_string *text)
{
    int code;
    PCRE2_SIZE offset;
    const uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
    pattern->code = pcre2_compile((PCRE2_SPTR)text->bytes, text->length, options, &code, &offset, NULL);
    if (!pattern->code && code == PCRE2_ERROR_HEAP_FAILED) {
        return ga_text_refuse_memory(reader);
    }
    if (!pattern->code) {
        PCRE2_UCHAR message[120];
        pcre2_get_error_message(code, message, sizeof message);
        return ga_text_refuse_as(reader, "the regular expression, before \"%.*s\": %s",
                                 (int)(text->length - offset < 20 ? text->length - offset : 20), text->bytes + offset,
                                 (const char *)message);
    }
    return GA_OK;
}

static enum ga_status compile(struct ga_text_reader *reader, struct ga_text_pattern *pattern)
{
    struct ga_text_string text = {0};
    enum ga_status status =
        ga_text_regex_rewrite(reader, (struct ga_text_bytes){pattern->text, pattern->length}, &text);
    status = status == GA_OK ? compile_rewritten(reader, pattern, &text) : status;
    ga_text_string_free(&text);
    if (status != GA_OK) {
        return status;
    }
    pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE); // where there is none, it is interpreted
    pattern->limits = pcre2_match_context_create(NULL);
    if (!pattern->limits) {
        return ga_text_refuse_memory(reader);
    }
    pcre2_set_match_limit(pattern->limits, STEPS);
    pcre2_set_depth_limit(pattern->limits, DEPTH);
    pcre2_set_heap_limit(pattern->limits, HEAP_KIB);
    return GA_OK;
}

enum ga_status ga_text_pattern_open(struct ga_text_reader *reader, json_t *value, struct ga_text_pattern **pattern_out)
{
    struct pattern_fields given = {{NULL, 0}, {NULL, 0}};
    enum ga_status status = ga_text_read_fields(reader, value, fields, 2, &given);
    if (status != GA_OK) {
        return status;
    }
    const struct ga_text_bytes text = given.regex.bytes ? given.regex : given.string;
    if (!text.bytes || (given.regex.bytes && given.string.bytes) || text.length > LONGEST) {
        return ga_text_refuse_as(reader, "expected one \"String\" or \"Regex\" of at most %d bytes", LONGEST);
    }
    struct ga_text_pattern *pattern = calloc(1, sizeof *pattern + text.length + 1);
    if (!pattern) {
        return ga_text_refuse_memory(reader);
    }
    pattern->length = text.length;
    memcpy(pattern->text, text.bytes, text.length);
    status = given.regex.bytes ? compile(reader, pattern) : GA_OK;
    if (status != GA_OK) {
        ga_text_pattern_close(pattern);
        return status;
    }
    *pattern_out = pattern;
    return GA_OK;
}

void ga_text_pattern_close(struct ga_text_pattern *pattern)
{
    if (pattern) {
        pcre2_match_context_free(pattern->limits);
        pcre2_code_free(pattern->code);
        free(pattern);
    }
}

struct ga_text_bytes ga_text_pattern_text(const struct ga_text_pattern *pattern, bool *is_regex_out)
{
    *is_regex_out = pattern->code != NULL;
    return (struct ga_text_bytes){pattern->text, pattern->length};
}

enum ga_status ga_text_pattern_open_scratch(const struct ga_text_pattern *pattern, void **scratch_out)
{
    *scratch_out = pattern->code ? pcre2_match_data_create_from_pattern(pattern->code, NULL) : NULL;
    return pattern->code && !*scratch_out ? GA_MEMORY : GA_OK;
}

void ga_text_pattern_close_scratch(void *scratch)
{
    pcre2_match_data_free(scratch);
}

static enum ga_status find_regex(const struct ga_text_pattern *pattern, pcre2_match_data *data, const char *bytes,
                                 size_t length, size_t from, struct ga_text_span *match_out, bool *found_out,
                                 struct ga_error *error)
{
    const PCRE2_SPTR subject = (PCRE2_SPTR)bytes;
    int code = pcre2_match(pattern->code, subject, length, from, PCRE2_NO_UTF_CHECK, data, pattern->limits);
    if (code == PCRE2_ERROR_JIT_STACKLIMIT) {
        const uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT;
        code = pcre2_match(pattern->code, subject, length, from, options, data, pattern->limits);
    }
    *found_out = code >= 0;
    if (code == PCRE2_ERROR_NOMEMORY) {
        return GA_MEMORY;
    }
    if (code < 0 && code != PCRE2_ERROR_NOMATCH) {
        return ga_fail(error, GA_FORMAT, "the pattern \"%.100s\" takes more steps than it is given on this text",
                       pattern->text);
    }
    if (code >= 0) {
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data);
        *match_out = (struct ga_text_span){(uint32_t)ends[0], (uint32_t)(ends[1] < ends[0] ? ends[0] : ends[1])};
    }
    return GA_OK;
}

enum ga_status ga_text_pattern_find(const struct ga_text_pattern *pattern, void *scratch, const char *bytes,
                                    size_t length, size_t from, struct ga_text_span *match_out, bool *found_out,
                                    struct ga_error *error)
{
    if (pattern->code) {
        return find_regex(pattern, scratch, bytes, length, from, match_out, found_out, error);
    }
    const char *found =
        length - from < pattern->length ? NULL : memmem(bytes + from, length - from, pattern->text, pattern->length);
    *found_out = found != NULL;
    if (found) {
        const uint32_t begin = (uint32_t)(found - bytes);
        *match_out = (struct ga_text_span){begin, begin + (uint32_t)pattern->length};
    }
    return GA_OK;
}

size_t ga_text_pattern_after(struct ga_text_span match, const char *bytes, size_t length)
{
    if (match.end > match.begin || match.end >= length) {
        return match.end + (match.end == match.begin);
    }
    size_t size;
    ga_text_code_point(bytes + match.end, &size);
    return match.end + size;
}
