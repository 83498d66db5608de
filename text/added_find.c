// added_find.c: sorts added tokens, and finds them: in a text the longest at the first place, with the white space
// that it strips.
#include <stdlib.h>
#include <string.h>

#include "added.h"
#include "unicode.h"

static struct ga_text_bytes sought(const struct ga_text_matcher *matcher, const struct ga_text_added_token *token)
{
    return matcher->normalized ? ga_text_added_text(token) : (struct ga_text_bytes){token->content, token->length};
}

static int compare_bytes(struct ga_text_bytes a, struct ga_text_bytes b)
{
    const int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_content(const void *left, const void *right)
{
    const struct ga_text_added_token *const *a = left, *const *b = right;
    return compare_bytes((struct ga_text_bytes){(*a)->content, (*a)->length},
                         (struct ga_text_bytes){(*b)->content, (*b)->length});
}

static int by_normalized(const void *left, const void *right)
{
    const struct ga_text_added_token *const *a = left, *const *b = right;
    return compare_bytes(ga_text_added_text(*a), ga_text_added_text(*b));
}

// What a matcher cannot tell apart, or would find everywhere.
static enum ga_status check_sorted(const struct ga_text_matcher *matcher, struct ga_text_reader *reader)
{
    for (size_t i = 0; i < matcher->count; i++) {
        const struct ga_text_bytes bytes = sought(matcher, matcher->tokens[i]);
        if (bytes.length == 0) {
            return ga_text_refuse_as(reader, "nothing is left of \"%.60s\" when it is normalized",
                                     matcher->tokens[i]->content);
        }
        if (i > 0 && compare_bytes(sought(matcher, matcher->tokens[i - 1]), bytes) == 0) {
            return ga_text_refuse_as(reader, "\"%.60s\" and \"%.60s\" are the same when they are normalized",
                                     matcher->tokens[i - 1]->content, matcher->tokens[i]->content);
        }
    }
    return GA_OK;
}

static enum ga_status sort_matcher(struct ga_text_matcher *matcher, const struct ga_text_added *added, bool normalized,
                                   struct ga_text_reader *reader)
{
    matcher->normalized = normalized;
    matcher->tokens = malloc((added->count + 1) * sizeof *matcher->tokens);
    if (!matcher->tokens) {
        return ga_text_refuse_memory(reader);
    }
    for (size_t i = 0; i < added->count; i++) {
        if (added->tokens[i].is_normalized == normalized) {
            matcher->tokens[matcher->count++] = &added->tokens[i];
        }
    }
    qsort(matcher->tokens, matcher->count, sizeof *matcher->tokens, normalized ? by_normalized : by_content);
    const enum ga_status status = check_sorted(matcher, reader);
    for (size_t i = 0; i < matcher->count && status == GA_OK; i++) {
        matcher->begins[(unsigned char)sought(matcher, matcher->tokens[i]).bytes[0] + 1]++;
    }
    for (size_t byte = 0; byte < 256; byte++) {
        matcher->n_firsts += matcher->begins[byte + 1] > 0;
        matcher->first = matcher->begins[byte + 1] > 0 ? (char)byte : matcher->first;
        matcher->begins[byte + 1] += matcher->begins[byte];
    }
    return status;
}

static enum ga_status sort_special(struct ga_text_added *added, struct ga_text_reader *reader)
{
    added->special = malloc((added->count + 1) * sizeof *added->special);
    if (!added->special) {
        return ga_text_refuse_memory(reader);
    }
    for (size_t i = 0; i < added->count; i++) {
        if (added->tokens[i].special) {
            added->special[added->n_special++] = &added->tokens[i];
        }
    }
    qsort(added->special, added->n_special, sizeof *added->special, by_content);
    return GA_OK;
}

enum ga_status ga_text_added_sort(struct ga_text_added *added, struct ga_text_reader *reader)
{
    enum ga_status status = sort_special(added, reader);
    status = status ? status : sort_matcher(&added->raw, added, false, reader);
    return status ? status : sort_matcher(&added->normalized, added, true, reader);
}

static int compare_content(const void *bytes, const void *token)
{
    const struct ga_text_bytes *content = bytes;
    const struct ga_text_added_token *const *at = token;
    return compare_bytes(*content, (struct ga_text_bytes){(*at)->content, (*at)->length});
}

bool ga_text_added_is_special(const struct ga_text_added *added, struct ga_text_bytes bytes)
{
    return bsearch(&bytes, added->special, added->n_special, sizeof *added->special, compare_content) != NULL;
}

// The first of tokens[low, high) whose byte `at` is `byte` or above; all are longer than at.
static size_t lower_bound(const struct ga_text_matcher *matcher, size_t low, size_t high, size_t at, unsigned byte)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((unsigned char)sought(matcher, matcher->tokens[middle]).bytes[at] < byte) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The longest token that bytes[length] begins with, or NULL.
static const struct ga_text_added_token *longest_at(const struct ga_text_matcher *matcher, const char *bytes,
                                                    size_t length)
{
    const unsigned first = (unsigned char)bytes[0];
    size_t low = matcher->begins[first], high = matcher->begins[first + 1];
    const struct ga_text_added_token *found = NULL;
    for (size_t at = 1; low < high; at++) {
        if (sought(matcher, matcher->tokens[low]).length == at) { // the shortest of those that begin alike
            found = matcher->tokens[low++];
        }
        if (at == length) {
            break;
        }
        const unsigned byte = (unsigned char)bytes[at];
        low = lower_bound(matcher, low, high, at, byte);
        high = lower_bound(matcher, low, high, at, byte + 1);
    }
    return found;
}

// The character that ends at `end`; *begin_out: where it begins.
static uint32_t character_before(const char *bytes, size_t end, size_t *begin_out)
{
    size_t begin = end - 1, length;
    while (begin > 0 && ((unsigned char)bytes[begin] & 0xC0) == 0x80) {
        begin--;
    }
    *begin_out = begin;
    return ga_text_code_point(bytes + begin, &length);
}

static bool is_word(uint32_t code_point)
{
    return ga_text_classes(code_point) & GA_TEXT_IS_WORD;
}

static bool is_single_word(const char *bytes, size_t length, size_t begin, size_t end)
{
    size_t size;
    return (begin == 0 || !is_word(character_before(bytes, begin, &size))) &&
           (end == length || !is_word(ga_text_code_point(bytes + end, &size)));
}

static size_t strip_left(const char *bytes, size_t taken, size_t begin)
{
    size_t before;
    while (begin > taken && ga_text_is_whitespace(character_before(bytes, begin, &before))) {
        begin = before;
    }
    return begin < taken ? taken : begin;
}

// Where white space from `end` on ends. Tokens that are white space themselves stand in what one before them stripped.
static size_t strip_right(struct ga_text_added_search *search, const char *bytes, size_t length, size_t end)
{
    size_t size;
    if (end >= search->spaces_end) {
        while (end < length && ga_text_is_whitespace(ga_text_code_point(bytes + end, &size))) {
            end += size;
        }
        search->spaces_end = end;
    }
    return search->spaces_end;
}

// The first byte from `at` on that a token may begin with, or length.
static size_t next_candidate(const struct ga_text_matcher *matcher, const char *bytes, size_t length, size_t at)
{
    if (matcher->n_firsts == 1 && at < length) {
        const char *found = memchr(bytes + at, matcher->first, length - at);
        return found ? (size_t)(found - bytes) : length;
    }
    while (at < length && matcher->begins[(unsigned char)bytes[at]] == matcher->begins[(unsigned char)bytes[at] + 1]) {
        at++;
    }
    return at;
}

bool ga_text_added_find(const struct ga_text_matcher *matcher, const char *bytes, size_t length,
                        struct ga_text_added_search *search, struct ga_text_added_match *match_out)
{
    const size_t taken = search->taken;
    for (size_t at = search->from; matcher->count && (at = next_candidate(matcher, bytes, length, at)) < length; at++) {
        const struct ga_text_added_token *token = longest_at(matcher, bytes + at, length - at);
        if (!token) {
            continue;
        }
        const size_t end = at + sought(matcher, token).length;
        if (token->single_word && !is_single_word(bytes, length, at, end)) {
            at = end - 1; // as the package does, which looks for no other token inside
            continue;
        }
        const size_t from_left = token->lstrip ? strip_left(bytes, taken, at) : at;
        const size_t to_right = token->rstrip ? strip_right(search, bytes, length, end) : end;
        if (from_left < to_right) { // else the token before, which strips, took all of this one
            *match_out = (struct ga_text_added_match){token, from_left, to_right};
            search->from = end;
            search->taken = to_right;
            return true;
        }
        at = end - 1;
    }
    return false;
}
