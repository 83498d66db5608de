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
    STEPS = 1000000,      // of one match, as PCRE2 counts them, before it is given up
    FIRST_STEPS = 4096,   // of all matches in a text, counted where regex.c says, and
    BYTE_STEPS = 256,     // for each of its bytes
    DEPTH = 10000,        // of its backtracking
    HEAP_KIB = 64 * 1024, // that it may take
};

struct ga_text_pattern {
    pcre2_code *code;    // NULL: a string
    bool has_references; // to groups, whose text each step may compare
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
    uint32_t references = 0;
    pcre2_pattern_info(pattern->code, PCRE2_INFO_BACKREFMAX, &references);
    pattern->has_references = references > 0;
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
        pcre2_code_free(pattern->code);
        free(pattern);
    }
}

struct ga_text_bytes ga_text_pattern_text(const struct ga_text_pattern *pattern, bool *is_regex_out)
{
    *is_regex_out = pattern->code != NULL;
    return (struct ga_text_bytes){pattern->text, pattern->length};
}

// Memory for matches, and what is left of the steps of a text.
struct scratch {
    pcre2_match_data *data;
    pcre2_match_context *limits;
    uint64_t left;
    size_t start, last; // of the match that is tried, and where its last step was
    bool has_references;
};

// A step: the bytes it went over are counted too. Where a match compares the text of groups, all since its beginning.
static int count_step(pcre2_callout_block *block, void *data)
{
    struct scratch *s = data;
    const size_t at = block->current_position;
    const size_t last = block->start_match == s->start ? s->last : block->start_match;
    uint64_t steps = 1 + (at > last ? at - last : last - at);
    if (s->has_references) {
        steps += at > block->start_match ? at - block->start_match : 0;
    }
    s->start = block->start_match;
    s->last = at;
    s->left = s->left > steps ? s->left - steps : 0;
    return s->left > 0 ? 0 : PCRE2_ERROR_CALLOUT;
}

enum ga_status ga_text_pattern_open_scratch(const struct ga_text_pattern *pattern, void **scratch_out)
{
    struct scratch *s = pattern->code ? calloc(1, sizeof *s) : NULL;
    *scratch_out = s;
    if (!s) {
        return pattern->code ? GA_MEMORY : GA_OK;
    }
    s->has_references = pattern->has_references;
    s->data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    s->limits = pcre2_match_context_create(NULL);
    if (!s->data || !s->limits) {
        ga_text_pattern_close_scratch(s);
        *scratch_out = NULL;
        return GA_MEMORY;
    }
    pcre2_set_match_limit(s->limits, STEPS);
    pcre2_set_depth_limit(s->limits, DEPTH);
    pcre2_set_heap_limit(s->limits, HEAP_KIB);
    pcre2_set_callout(s->limits, count_step, s);
    return GA_OK;
}

void ga_text_pattern_close_scratch(void *scratch)
{
    struct scratch *s = scratch;
    if (s) {
        pcre2_match_data_free(s->data);
        pcre2_match_context_free(s->limits);
        free(s);
    }
}

void ga_text_pattern_begin(void *scratch, size_t length)
{
    struct scratch *s = scratch;
    if (s) {
        s->left = FIRST_STEPS + (uint64_t)BYTE_STEPS * length;
    }
}

static enum ga_status find_regex(const struct ga_text_pattern *pattern, struct scratch *s, const char *bytes,
                                 size_t length, size_t from, struct ga_text_span *match_out, bool *found_out,
                                 struct ga_error *error)
{
    const PCRE2_SPTR subject = (PCRE2_SPTR)bytes;
    s->start = SIZE_MAX;
    int code = pcre2_match(pattern->code, subject, length, from, PCRE2_NO_UTF_CHECK, s->data, s->limits);
    if (code == PCRE2_ERROR_JIT_STACKLIMIT) {
        const uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT;
        code = pcre2_match(pattern->code, subject, length, from, options, s->data, s->limits);
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
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(s->data);
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
