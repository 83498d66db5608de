// safetensors_header.c: refuses text that is no safetensors header, saying at which byte; parses nothing itself.
#include "safetensors_header.h"

#include <string.h>

// -- Before parsing -------------------------------------------------------------------------------------------------

static bool check_start(const struct ga_header *r)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char first = r->text.size == 0 ? '\0' : r->text.bytes[0];
    if (first == '{') {
        return true;
    }
    if (r->text.size >= 3 && memcmp(r->text.bytes, mark, 3) == 0) {
        return ga_header_refuse(r, GA_FAULT_BYTE_ORDER_MARK, ga_header_offset(0), NULL,
                                "the header begins with a byte order mark; expected '{'");
    }
    if (first == ' ' || first == '\t' || first == '\n' || first == '\r') {
        return r->rules.allow_leading_blank || ga_header_refuse(r, GA_FAULT_LEADING_BLANK, ga_header_offset(0), NULL,
                                                                "the header begins with a blank; expected '{'");
    }
    return ga_header_refuse(r, GA_FAULT_NOT_AN_OBJECT, ga_header_offset(0), NULL,
                            "the header begins with byte 0x%02x; expected '{', the start of one JSON object",
                            (unsigned char)first);
}

// jansson overlooks a NUL that follows a number.
static bool check_nul(const struct ga_header *r)
{
    const char *nul = memchr(r->text.bytes, '\0', r->text.size);
    return nul == NULL || ga_header_refuse(r, GA_FAULT_NUL_BYTE, ga_header_offset((size_t)(nul - r->text.bytes)), NULL,
                                           "a NUL byte; expected a header of text only");
}

size_t ga_json_too_deep(struct ga_text text, size_t most)
{
    size_t depth = 0, at = 0;
    while (at < text.size) {
        const char c = text.bytes[at];
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= (c == '}' || c == ']') && depth > 0 ? 1 : 0;
        if (depth > most) {
            return at;
        }
        at = c == '"' ? ga_place_string_end(text, at) : at + 1;
    }
    return text.size;
}

static bool check_depth(const struct ga_header *r)
{
    const size_t at = ga_json_too_deep(r->text, GA_SAFETENSORS_DEPTH);
    return at == r->text.size || ga_header_refuse(r, GA_FAULT_NESTING, ga_header_offset(at), NULL,
                                                  "objects and arrays are nested more than %d deep; expected 3 at most",
                                                  GA_SAFETENSORS_DEPTH);
}

bool ga_json_is_sparse(struct ga_text text, struct ga_json_excess *excess_out)
{
    const size_t by_size = text.size / GA_JSON_CONTAINER_BYTES + 4;
    const size_t most = by_size < GA_JSON_MOST_CONTAINERS ? by_size : GA_JSON_MOST_CONTAINERS;
    size_t containers = 0, values = 0, at = 0;
    while (at < text.size && containers <= most && values <= GA_JSON_MOST_VALUES) {
        const char c = text.bytes[at];
        const bool opens = c == '{' || c == '[';
        containers += opens ? 1 : 0;
        values += opens || c == ',' ? 1 : 0; // the first of each, and one after each comma
        at = c == '"' ? ga_place_string_end(text, at) : at + 1;
    }
    const bool is_dense = containers > most;
    *excess_out = (struct ga_json_excess){is_dense ? "objects and arrays" : "values",
                                          is_dense ? most : GA_JSON_MOST_VALUES, at == 0 ? 0 : at - 1};
    return !is_dense && values <= GA_JSON_MOST_VALUES;
}

static bool check_values(const struct ga_header *r)
{
    struct ga_json_excess excess;
    return ga_json_is_sparse(r->text, &excess) ||
           ga_header_refuse(r, GA_FAULT_VALUES_TOO_MANY, ga_header_offset(excess.place), NULL,
                            "more than %zu %s in a header of %zu bytes; expected at most so many", excess.most,
                            excess.what, r->text.size);
}

bool ga_header_check_text(const struct ga_header *r)
{
    return check_start(r) && check_nul(r) && check_depth(r) && check_values(r);
}

// -- After parsing --------------------------------------------------------------------------------------------------

// The first '-' outside a string, or size. In a header whose numbers all came out as 0 or more it can only belong to
// a -0, which jansson takes for a 0.
static size_t find_minus(struct ga_text text)
{
    size_t at = 0;
    while (at < text.size && text.bytes[at] != '-') {
        at = text.bytes[at] == '"' ? ga_place_string_end(text, at) : at + 1;
    }
    return at;
}

bool ga_header_check_rest(const struct ga_header *r)
{
    size_t end = r->text.size;
    while (end > 0 && r->text.bytes[end - 1] == ' ') {
        end--;
    }
    if (end == 0 || r->text.bytes[end - 1] != '}') {
        return ga_header_refuse(r, GA_FAULT_PADDING, ga_header_offset(end == 0 ? 0 : end - 1), NULL,
                                "a blank that is not a space ends the header; expected spaces only after '}'");
    }
    const size_t minus = find_minus(r->text);
    return minus == r->text.size || ga_header_refuse(r, GA_FAULT_NUMBER, ga_header_offset(minus), NULL,
                                                     "a number begins with '-'; expected whole numbers of at least 0");
}

// -- What jansson refused -------------------------------------------------------------------------------------------

static bool is_of_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.' || c == '_';
}

// The first byte of the word, string or sign that ends at byte `end`.
static size_t token_start(struct ga_text text, size_t end, const struct ga_place_context *context)
{
    if (end == 0) {
        return 0;
    }
    if (context->in_string || text.bytes[end - 1] == '"') {
        return context->last_string;
    }
    size_t start = end - 1;
    while (start > 0 && is_of_word(text.bytes[start]) && is_of_word(text.bytes[start - 1])) {
        start--;
    }
    return start;
}

struct told {
    enum ga_fault fault;
    size_t place;
};

static struct told tell_syntax(struct ga_text text, const json_error_t *why, size_t end,
                               const struct ga_place_context *context)
{
    const size_t start = token_start(text, end, context);
    const bool goes_on = end < text.size;
    if (context->in_string && goes_on && (unsigned char)text.bytes[end] < 0x20) {
        return (struct told){GA_FAULT_NAME_CONTROL, end};
    }
    if (strncmp(why->text, "invalid Unicode '", 17) == 0) { // jansson has no number for it
        return (struct told){GA_FAULT_SURROGATE, context->last_string};
    }
    if (end > 0 && text.bytes[end - 1] == '0' && goes_on && text.bytes[end] >= '0' && text.bytes[end] <= '9') {
        return (struct told){GA_FAULT_NUMBER, start};
    }
    return (struct told){GA_FAULT_SYNTAX, start};
}

static struct told tell(struct ga_text text, const json_error_t *why, size_t end,
                        const struct ga_place_context *context)
{
    switch (json_error_code(why)) {
    case json_error_invalid_utf8:
        return (struct told){GA_FAULT_NOT_UTF8, end};
    case json_error_null_byte_in_key:
        return (struct told){GA_FAULT_NAME_CONTROL, context->last_string};
    case json_error_end_of_input_expected:
        return (struct told){GA_FAULT_TRAILING_TEXT, token_start(text, end, context)};
    case json_error_numeric_overflow:
        return (struct told){GA_FAULT_NUMBER, token_start(text, end, context)};
    case json_error_premature_end_of_input:
        return (struct told){GA_FAULT_SYNTAX, text.size};
    default:
        return tell_syntax(text, why, end, context);
    }
}

enum ga_status ga_header_refuse_json(const struct ga_header *r, const json_error_t *why)
{
    if (why->text[0] == '\0') {
        return ga_header_fail_memory(r);
    }
    if (json_error_code(why) == json_error_duplicate_key) {
        return ga_header_refuse_duplicate(r, (size_t)why->position);
    }
    const size_t read = why->position < 0 ? 0 : (size_t)why->position;
    const size_t end = read < r->text.size ? read : r->text.size;
    const struct ga_place_context context = ga_place_context(r->text, end);
    const struct told told = tell(r->text, why, end, &context);
    json_t *name = context.depth > 1 ? ga_place_string(r->text, context.outer_key) : NULL;
    char shown[JSON_ERROR_TEXT_LENGTH];
    (void)ga_header_refuse(r, told.fault, ga_header_offset(told.place), json_string_value(name),
                           "the header is not valid JSON: %s; expected one JSON object",
                           ga_name_text(why->text, shown, sizeof shown));
    json_decref(name);
    return GA_FORMAT;
}
