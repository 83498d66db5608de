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

// The fields of `text_input`: [fields, end), then the prompt and the list of prompts, or NULL. These two come last, as
// their values may hold the words of other fields.
struct text_fields {
    const char *fields, *end, *prompt, *prompts;
};

static struct text_fields text_fields(const char *spec)
{
    struct text_fields f = {.fields = after(spec, "\n  text_input = {")};
    f.end = f.fields ? strchr(f.fields, '\n') : NULL;
    if (!f.end) {
        return (struct text_fields){0};
    }
    f.prompts = find(f.fields, f.end, " prompts = {");
    f.prompt = find(f.fields, f.prompts ? f.prompts : f.end, " prompt = \"");
    if (f.prompt) { // which may hold the words of the list
        const char *prompt_end = f.prompt + strcspn(f.prompt, "\"\n");
        f.prompts = find(prompt_end, f.end, " prompts = {");
    }
    f.end = f.prompt ? f.prompt : f.prompts ? f.prompts : f.end;
    return f;
}

struct ga_text_settings ga_text_recorded_settings(const char *spec)
{
    const struct text_fields f = text_fields(spec);
    const char *fields = f.fields, *end = f.end;
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

// What a field's value is in [fields, end), or NULL.
static const char *value_of(const char *fields, const char *end, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = fields; (at = strstr(at, name)) != NULL && at < end; at += length) {
        if (length > 0 && at[-1] == ' ' && strncmp(at + length, " = ", 3) == 0) {
            return at + length + 3;
        }
        at += length == 0;
    }
    return NULL;
}

bool ga_text_recorded_number(const char *spec, const char *field, size_t i, int32_t *number_out)
{
    const struct text_fields f = text_fields(spec);
    const char *at = f.fields && field && number_out ? value_of(f.fields, f.end, field) : NULL;
    bool is_there = at != NULL;
    for (size_t n = 0; is_there && n <= i; n++) {
        is_there = ga_text_next_end(&at, number_out);
    }
    return is_there;
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

// Writes the bytes that a spelled text stands for, up to `end` or a quote, as many as fit; returns how many there are.
static size_t spelled(const char *at, char end, char *out, size_t size)
{
    size_t length = 0;
    while (at && *at && *at != '"' && *at != '\n' && *at != end) {
        const char byte = next_byte(&at);
        if (out != NULL && length < size) {
            out[length] = byte;
        }
        length++;
    }
    return length;
}

size_t ga_text_recorded_prompt(const char *spec, char *prompt_out, size_t size)
{
    return spelled(text_fields(spec).prompt, '"', prompt_out, size);
}

size_t ga_text_recorded_text(const char *spec, const char *field, char *text_out, size_t size)
{
    const struct text_fields f = text_fields(spec);
    const char *at = f.fields && field ? value_of(f.fields, f.end, field) : NULL;
    return at && *at == '"' ? spelled(at + 1, '"', text_out, size) : 0;
}

// -- Prompts by name ------------------------------------------------------------------------------------------------

// The next "NAME=PROMPT" of a list: its name, and *at past it; NULL at the end.
static const char *next_prompt(const char **at)
{
    const char *name = *at ? *at + strspn(*at, " ,") : NULL;
    if (!name || *name != '"') {
        return NULL;
    }
    name++;
    const char *end = name + strcspn(name, "\"\n");
    *at = *end == '"' ? end + 1 : NULL;
    return *end == '"' && memchr(name, '=', (size_t)(end - name)) ? name : NULL;
}

size_t ga_text_prompt_name(const char *spec, size_t i, char *name_out, size_t size)
{
    const char *at = text_fields(spec).prompts, *name = next_prompt(&at);
    for (; name && i > 0; i--) {
        name = next_prompt(&at);
    }
    return name ? spelled(name, '=', name_out, size) : GA_TEXT_NO_PROMPT;
}

// Whether a spelled name stands for these words.
static bool is_called(const char *spelled_name, const char *name)
{
    while (*spelled_name != '=' && *name && next_byte(&spelled_name) == *name) {
        name++;
    }
    return *spelled_name == '=' && !*name;
}

size_t ga_text_named_prompt(const char *spec, const char *name, char *prompt_out, size_t size)
{
    const char *at = name ? text_fields(spec).prompts : NULL, *found = next_prompt(&at);
    while (found && !is_called(found, name)) {
        found = next_prompt(&at);
    }
    return found ? spelled(strchr(found, '=') + 1, '"', prompt_out, size) : GA_TEXT_NO_PROMPT;
}
