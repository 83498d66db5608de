// regex.c: where Oniguruma and PCRE2 read the same letters in two ways, by tables of what to write instead. The sets of
// characters are those that the tokenizers package 0.23 matches, found by giving it every code point.
#include "regex.h"

#include <string.h>

#define SPACE "\\p{Z}\\t-\\r\\x{85}"
#define NO_SPACE                                                                                    \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}" \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}"
#define WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"
#define WORD_ALONE WORD "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}" // of Latin-1 more than in a class
#define AFTER_WORD "(?<=[" WORD_ALONE "])"
#define AFTER_OTHER "(?<![" WORD_ALONE "])"
#define BEFORE_WORD "(?=[" WORD_ALONE "])"
#define BEFORE_OTHER "(?![" WORD_ALONE "])"

// What stands for an escape such as \s, outside a class and in one; NULL: it is refused there.
static const struct {
    char letter;
    const char *alone, *in_class;
} escapes[] = {
    {'s', "[" SPACE "]", SPACE},
    {'S', "[^" SPACE "]", NO_SPACE},
    {'w', "[" WORD_ALONE "]", WORD},
    {'W', "[^" WORD_ALONE "]", NULL},
    {'d', "\\p{Nd}", "\\p{Nd}"},
    {'D', "\\P{Nd}", "\\P{Nd}"},
    {'h', "[0-9A-Fa-f]", "0-9A-Fa-f"},
    {'H', "[^0-9A-Fa-f]", NULL},
    {'v', "\\x{b}", "\\x{b}"},
    {'b', "(?:" AFTER_WORD BEFORE_OTHER "|" AFTER_OTHER BEFORE_WORD ")", "\\x{8}"},
    {'B', "(?:" AFTER_WORD BEFORE_WORD "|" AFTER_OTHER BEFORE_OTHER ")", NULL},
    {'N', "[^\\n]", NULL},
    {'O', "(?s:.)", NULL},
    {'C', NULL, NULL},
    {'E', NULL, NULL},
    {'Q', NULL, NULL},
    {'g', NULL, NULL},
};

static const struct {
    const char *name, *set;
} classes[] = {
    {"space", SPACE},
    {"word", WORD},
    {"alpha", "\\p{Alphabetic}"},
    {"alnum", "\\p{Alphabetic}\\p{Nd}"},
    {"digit", "\\p{Nd}"},
    {"xdigit", "0-9A-Fa-f"},
    {"upper", "\\p{Uppercase}"},
    {"lower", "\\p{Lowercase}"},
    {"punct", "\\p{P}\\p{S}"},
    {"cntrl", "\\p{Cc}"},
};

static const char *const properties[] = {
    "Any}",       "Alphabetic}",         "Uppercase}",
    "Lowercase}", "White_Space}",        "Ideographic}",
    "Emoji}",     "Emoji_Presentation}", "Extended_Pictographic}",
};

// Where rewriting stands.
struct rewriting {
    struct ga_text_reader *reader;
    struct ga_text_bytes regex;
    size_t at;
    struct ga_text_string *out;
    bool in_class;
    size_t depth;     // of groups
    bool is_extended; // by the flag x, whose comments may have parentheses
    bool has_option;  // a ? of this branch of the whole expression is not counted
};

static bool follows(const struct rewriting *r, size_t from, const char *text)
{
    const size_t length = strlen(text);
    return r->regex.length - r->at >= from + length && memcmp(r->regex.bytes + r->at + from, text, length) == 0;
}

static char byte_at(const struct rewriting *r, size_t from)
{
    return r->at + from < r->regex.length ? r->regex.bytes[r->at + from] : '\0';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// The callouts that count the steps of a match. Each loop of the expression passes one of them.
#define COUNT "(?C)"

static bool is_one_of(char byte, const char *bytes)
{
    return byte != '\0' && strchr(bytes, byte) != NULL;
}

// Writes text in the place of the next `length` bytes.
static enum ga_status put(struct rewriting *r, const char *text, size_t length)
{
    r->at += length;
    return ga_text_string_append(r->out, text, strlen(text), (struct ga_text_span){0, 0});
}

static enum ga_status copy(struct rewriting *r, size_t length)
{
    const char *bytes = r->regex.bytes + r->at;
    r->at += length;
    return ga_text_string_append(r->out, bytes, length, (struct ga_text_span){0, 0});
}

static enum ga_status refuse(const struct rewriting *r, const char *what)
{
    return ga_text_refuse_as(r->reader, "the regular expression, at its byte %zu: %s is not known here", r->at, what);
}

// \uHHHH.
static enum ga_status put_code_point(struct rewriting *r)
{
    enum { LENGTH = 6 };
    if (r->regex.length - r->at < LENGTH) {
        return refuse(r, "a short \\u");
    }
    const char digits[] = {'\\', 'x', '{', byte_at(r, 2), byte_at(r, 3), byte_at(r, 4), byte_at(r, 5), '}', '\0'};
    return put(r, digits, LENGTH);
}

static enum ga_status rewrite_escape(struct rewriting *r)
{
    const char letter = byte_at(r, 1);
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        if (escapes[i].letter == letter) {
            const char *text = r->in_class ? escapes[i].in_class : escapes[i].alone;
            return text ? put(r, text, 2) : refuse(r, (char[]){'\\', letter, '\0'});
        }
    }
    return letter == 'u' ? put_code_point(r) : copy(r, letter == '\0' ? 1 : 2);
}

static enum ga_status copy_to_brace(struct rewriting *r)
{
    const char *end = memchr(r->regex.bytes + r->at, '}', r->regex.length - r->at);
    return end ? copy(r, (size_t)(end - r->regex.bytes) + 1 - r->at) : refuse(r, "a { without }");
}

// Whether a property's name is no script's: a category, which has two letters at most, or one of properties.
static bool is_property(const struct rewriting *r)
{
    bool is = byte_at(r, 1) == '}' || byte_at(r, 2) == '}';
    for (size_t i = 0; !is && i < sizeof properties / sizeof *properties; i++) {
        is = follows(r, 0, properties[i]);
    }
    return is;
}

// \p{...}: by its name alone PCRE2 takes a script for all characters that are used in it.
static enum ga_status rewrite_property(struct rewriting *r)
{
    enum ga_status status = copy(r, byte_at(r, 3) == '^' ? 4 : 3);
    status = status == GA_OK && !is_property(r) ? put(r, "sc:", 0) : status;
    return status == GA_OK ? copy_to_brace(r) : status;
}

// [:name:], in a class.
static enum ga_status rewrite_named_class(struct rewriting *r)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const size_t length = strlen(classes[i].name);
        if (follows(r, 2, classes[i].name) && follows(r, 2 + length, ":]")) {
            return put(r, classes[i].set, length + 4);
        }
    }
    return refuse(r, "a class in a class");
}

// The beginning of a class, up to a ] that is one of its members.
static enum ga_status begin_class(struct rewriting *r)
{
    const size_t length = byte_at(r, 1) == '^' ? 2 : 1;
    r->in_class = true;
    const enum ga_status status = copy(r, length);
    return status == GA_OK && byte_at(r, 0) == ']' ? refuse(r, "an empty class") : status;
}

static enum ga_status rewrite_in_class(struct rewriting *r)
{
    const char byte = byte_at(r, 0);
    if (byte == '[') {
        return rewrite_named_class(r);
    }
    if (follows(r, 0, "&&")) {
        return refuse(r, "&& in a class");
    }
    r->in_class = byte != ']';
    return copy(r, 1);
}

static enum ga_status copy_comment(struct rewriting *r)
{
    const char *end = memchr(r->regex.bytes + r->at, ')', r->regex.length - r->at);
    r->depth--;
    return end ? copy(r, (size_t)(end - r->regex.bytes) + 1 - r->at) : refuse(r, "a comment without )");
}

// (?flags) and (?flags:, of which m is PCRE2's s.
static enum ga_status rewrite_flags(struct rewriting *r)
{
    size_t length = 2;
    enum ga_status status = copy(r, 2);
    while (status == GA_OK && byte_at(r, 0) != '\0' && strchr("imx-", byte_at(r, 0))) {
        r->is_extended = r->is_extended || byte_at(r, 0) == 'x';
        status = byte_at(r, 0) == 'm' ? put(r, "s", 1) : copy(r, 1);
        length++;
    }
    if (status == GA_OK && byte_at(r, 0) == '#') {
        return copy_comment(r);
    }
    if (status == GA_OK && (is_digit(byte_at(r, 0)) || is_one_of(byte_at(r, 0), "R&+") || follows(r, 0, "P>"))) {
        return refuse(r, "a group that calls another");
    }
    return status == GA_OK && length == 2 && byte_at(r, 0) == 's' ? refuse(r, "the flag s") : status;
}

// Counts a step, but where a branch of the whole expression ends: what came before has matched, and is not tried
// again.
static enum ga_status count(struct rewriting *r)
{
    const bool ends = r->at == r->regex.length || byte_at(r, 0) == '|';
    return ends && r->depth == 0 && !r->is_extended ? GA_OK : put(r, COUNT, 0);
}

// Copies `length` bytes of a repeat, and what says whether it is greedy. The first ? of a branch is not counted, which
// at most doubles the steps that are.
static enum ga_status end_repeat(struct rewriting *r, size_t length)
{
    const bool is_option = byte_at(r, 0) == '?' && r->depth == 0 && !r->has_option;
    const enum ga_status status = copy(r, length + is_one_of(byte_at(r, length), "?+"));
    r->has_option = r->has_option || is_option;
    return status == GA_OK && !is_option ? count(r) : status;
}

// {,n}, {n}, {n,}, {n,m}; a + after it repeats the whole, where PCRE2 would take what it repeats for good.
static enum ga_status rewrite_counts(struct rewriting *r)
{
    size_t length = 1;
    while (is_digit(byte_at(r, length)) || byte_at(r, length) == ',') {
        length++;
    }
    if (length < 2 || byte_at(r, length) != '}') {
        return copy(r, 1);
    }
    if (byte_at(r, length + 1) == '+') {
        return refuse(r, "a + after {}");
    }
    const enum ga_status status = byte_at(r, 1) == ',' ? put(r, "{0", 1) : copy(r, 1);
    return status == GA_OK ? end_repeat(r, length) : status;
}

// The end of a group, each of whose branches may be tried; a repeat after it counts itself.
static enum ga_status end_group(struct rewriting *r)
{
    const enum ga_status status = copy(r, 1);
    size_t next = 0;
    r->depth -= r->depth > 0;
    while (is_one_of(byte_at(r, next), " \t\r\n")) {
        next++;
    }
    return status == GA_OK && !is_one_of(byte_at(r, next), "*+?{") ? count(r) : status;
}

static enum ga_status rewrite_alone(struct rewriting *r)
{
    switch (byte_at(r, 0)) {
    case '[':
        return begin_class(r);
    case '^':
        return put(r, "(?m:^)", 1);
    case '$':
        return put(r, "(?m:$)", 1);
    case '|':
        r->has_option = r->has_option && r->depth > 0;
        return copy(r, 1);
    case '(':
        r->depth++;
        return byte_at(r, 1) == '?' ? rewrite_flags(r) : byte_at(r, 1) == '*' ? refuse(r, "(*") : copy(r, 1);
    case ')':
        return end_group(r);
    case '*':
    case '+':
    case '?':
        return end_repeat(r, 1);
    case '{':
        return rewrite_counts(r);
    default:
        return copy(r, 1);
    }
}

static enum ga_status rewrite_next(struct rewriting *r)
{
    if (follows(r, 0, "\\p{") || follows(r, 0, "\\P{")) {
        return rewrite_property(r);
    }
    if (follows(r, 0, "\\x{")) {
        return copy_to_brace(r);
    }
    if (byte_at(r, 0) == '\\') {
        return rewrite_escape(r);
    }
    return r->in_class ? rewrite_in_class(r) : rewrite_alone(r);
}

enum ga_status ga_text_regex_rewrite(struct ga_text_reader *reader, struct ga_text_bytes regex,
                                     struct ga_text_string *out)
{
    struct rewriting r = {.reader = reader, .regex = regex, .out = out};
    enum ga_status status = put(&r, "(*LF)", 0); // what . leaves out and ^ and $ look for
    while (status == GA_OK && r.at < regex.length) {
        status = rewrite_next(&r);
    }
    return status == GA_MEMORY || status == GA_OVERFLOW ? ga_text_refuse_memory(reader) : status;
}
