// safetensors_json_oom.c: whether jansson had the memory it needed. It says so seldom: a failed allocation leaves no
// message, makes an invalid token of a sound string, or drops letters of a long one, or digits, and goes on.
#include <stdio.h>
#include <string.h>

#include "safetensors_header.h"

// The last byte before `at` that is no blank, or NUL.
static char byte_before(struct ga_text text, size_t at)
{
    while (at > 0 && strchr(" \t\n\r", text.bytes[at - 1]) != NULL) {
        at--;
    }
    return at > 0 ? text.bytes[at - 1] : '\0';
}

// True where an escape \u of the string has fewer than four digits, its closing quote being read for one.
static bool has_short_escape(struct ga_text text, size_t quote)
{
    const size_t end = ga_place_string_end(text, quote);
    for (size_t at = quote; at < end; at += text.bytes[at] == '\\' ? 2 : 1) {
        if (text.bytes[at] == '\\' && at + 1 < end && text.bytes[at + 1] == 'u' && end - at < 7) {
            return true;
        }
    }
    return false;
}

bool ga_json_has_surrogate(struct ga_text text, size_t quote)
{
    const size_t end = quote < text.size ? ga_place_string_end(text, quote) : quote;
    for (size_t at = quote; at + 3 < end; at += text.bytes[at] == '\\' ? 2 : 1) {
        const char *c = text.bytes + at;
        if (c[0] == '\\' && c[1] == 'u' && (c[2] == 'd' || c[2] == 'D') && strchr("89abcdefABCDEF", c[3]) != NULL) {
            return true;
        }
    }
    return false;
}

bool ga_json_out_of_memory(struct ga_text text, const json_error_t *why)
{
    const size_t end = why->position < 0 ? 0 : (size_t)why->position;
    if (why->text[0] == '\0' || json_error_code(why) == json_error_out_of_memory) {
        return true;
    }
    if (json_error_code(why) != json_error_invalid_syntax || end == 0 || end > text.size ||
        text.bytes[end - 1] != '"') {
        return false;
    }
    // A string that ends where the reading did, where one may stand, with nothing in it that could be refused.
    const struct ga_place_context context = ga_place_context(text, end);
    const char before = byte_before(text, context.last_string);
    return !context.in_string && before != '\0' && strchr("{[,:", before) != NULL &&
           !ga_json_has_surrogate(text, context.last_string) && !has_short_escape(text, context.last_string);
}

// The text's next string with its quotes, number or word from byte *at on, after which *at is then.
static struct ga_text next_token(struct ga_text text, size_t *at)
{
    static const char between[] = " \t\n\r{}[],:";
    size_t start = *at;
    while (start < text.size && strchr(between, text.bytes[start]) != NULL) {
        start++;
    }
    size_t end = start;
    while (end < text.size && text.bytes[start] != '"' && strchr(between, text.bytes[end]) == NULL) {
        end++;
    }
    *at = start < text.size && text.bytes[start] == '"' ? ga_place_string_end(text, start) : end;
    return (struct ga_text){text.bytes + start, *at - start};
}

// True where the token has `length` bytes between its quotes, or an escape, which makes it longer.
static bool is_string(struct ga_text token, size_t length)
{
    return token.size == length + 2 || (token.size > 0 && memchr(token.bytes, '\\', token.size) != NULL);
}

static bool is_integer(struct ga_text token, json_int_t number)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, number);
    const bool minus_zero = number == 0 && token.size == 2; // which is refused later
    return minus_zero || (token.size == (size_t)length && memcmp(token.bytes, digits, token.size) == 0);
}

static bool is_scalar(struct ga_text token, const json_t *value)
{
    return json_is_string(value)    ? is_string(token, json_string_length(value))
           : json_is_integer(value) ? is_integer(token, json_integer_value(value))
                                    : true;
}

// An object or array on the way to a value, and what comes next of it.
struct level {
    json_t *value;
    void *member; // of an object
    size_t item;  // of an array
};

// The next value of a level, NULL after the last; *whole is false where its name lost letters.
static json_t *next_value(struct ga_text text, size_t *at, struct level *level, bool *whole)
{
    void *const member = level->member;
    if (json_is_array(level->value)) {
        return json_array_get(level->value, level->item++);
    }
    if (member == NULL) {
        return NULL;
    }
    level->member = json_object_iter_next(level->value, member);
    *whole = *whole && is_string(next_token(text, at), strlen(json_object_iter_key(member)));
    return json_object_iter_value(member);
}

// Strings and numbers are met in the text's order, which jansson keeps.
bool ga_json_is_whole(struct ga_text text, json_t *root)
{
    struct level levels[GA_SAFETENSORS_DEPTH];
    size_t depth = 0, at = 0;
    bool whole = true;
    for (json_t *value = root; whole;) {
        if (value == NULL) {
            depth--;
        } else if (!json_is_object(value) && !json_is_array(value)) {
            whole = is_scalar(next_token(text, &at), value);
        } else if (depth == GA_SAFETENSORS_DEPTH) {
            return true; // deeper than what is read of an index; a header was refused before
        } else {
            levels[depth++] = (struct level){value, json_object_iter(value), 0};
        }
        if (depth == 0) {
            return whole;
        }
        value = next_value(text, &at, &levels[depth - 1], &whole);
    }
    return false;
}
