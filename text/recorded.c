// recorded.c: what a spec records of a model's texts: which tokenizer it was made for, and what its folder said beside.
#include <string.h>

#include "ga_text.h"
#include "reader.h"
#include "settings.h"

enum { DIGITS = 16 };

// The value of a hexadecimal digit, in small letters as specs have them; 16 for any other character.
static unsigned digit_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, digit) : NULL;
    return at ? (unsigned)(at - digits) : 16;
}

// What stands after a field's beginning, or NULL. The text of a spec has a field a line, and no line's end within a
// value.
static const char *after(const char *text, const char *field)
{
    const char *at = text ? strstr(text, field) : NULL;
    return at ? at + strlen(field) : NULL;
}

bool ga_text_recorded_hash(const char *spec, uint64_t *hash_out)
{
    if (!hash_out) {
        return false;
    }
    const char *at = after(spec, "\n  tokenizer = \"");
    *hash_out = 0;
    for (size_t i = 0; at && i < DIGITS; i++) {
        const unsigned value = digit_value(at[i]);
        if (value == 16) {
            return false;
        }
        *hash_out = *hash_out << 4 | value;
    }
    return at != NULL;
}

// -- Settings -------------------------------------------------------------------------------------------------------

// What stands after these words in the fields [fields, end), or NULL.
static const char *find(const char *fields, const char *end, const char *words)
{
    const char *at = strstr(fields, words);
    return at && at < end ? at + strlen(words) : NULL;
}

static bool says(const char *fields, const char *end, const char *words)
{
    return find(fields, end, words) != NULL;
}

// The fields of `text_input`, of which the prompt is the last, as no other may hold the words of one.
static const char *text_fields(const char *spec, const char **end_out, const char **prompt_out)
{
    const char *fields = after(spec, "\n  text_input = {");
    const char *line_end = fields ? strchr(fields, '\n') : NULL;
    const char *prompt = line_end ? after(fields, " prompt = \"") : NULL;
    *prompt_out = prompt && prompt < line_end ? prompt : NULL;
    *end_out = *prompt_out ? *prompt_out : line_end;
    return line_end ? fields : NULL;
}

struct ga_text_settings ga_text_recorded_settings(const char *spec)
{
    const char *end, *prompt;
    const char *fields = text_fields(spec, &end, &prompt);
    if (!fields) {
        return (struct ga_text_settings){0};
    }
    return (struct ga_text_settings){
        .lower_case = says(fields, end, " lower_case = true"),
        .says_side = says(fields, end, " truncation_side = "),
        .from_left = says(fields, end, " truncation_side = \"left\""),
        .untyped = says(fields, end, " token_types = false"),
        .ends = find(fields, end, " eos = "),
    };
}

bool ga_text_next_end(const char **ends, int32_t *id_out)
{
    const char *at = *ends;
    int64_t id = 0;
    while (at && (*at == ' ' || *at == ',' || *at == '{')) {
        at++;
    }
    const char *digits = at;
    for (; at && *at >= '0' && *at <= '9' && id < GA_TEXT_IDS; at++) {
        id = 10 * id + (*at - '0');
    }
    const bool is_id = at != digits && id < GA_TEXT_IDS;
    *ends = is_id ? at : NULL;
    *id_out = is_id ? (int32_t)id : -1;
    return is_id;
}

// Returns the next byte of a text in which %xx stands for a byte in hexadecimal, and moves *at past it.
static char next_byte(const char **at)
{
    const char *from = *at;
    const unsigned high = *from == '%' ? digit_value(from[1]) : 16;
    const unsigned low = high < 16 ? digit_value(from[2]) : 16;
    *at = from + (low < 16 ? 3 : 1);
    return low < 16 ? (char)(high << 4 | low) : *from;
}

size_t ga_text_recorded_prompt(const char *spec, char *prompt_out, size_t size)
{
    const char *end, *at;
    size_t length = 0;
    (void)text_fields(spec, &end, &at);
    while (at && *at && *at != '"' && *at != '\n') {
        const char byte = next_byte(&at);
        if (prompt_out != NULL && length < size) {
            prompt_out[length] = byte;
        }
        length++;
    }
    return length;
}
