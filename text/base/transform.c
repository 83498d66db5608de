// transform.c: rewriting by characters. Knows no Unicode beyond UTF-8.
#include "transform.h"

#include "unicode.h"

size_t ga_text_skip(const struct ga_text_string *text, size_t at, size_t count)
{
    for (; count > 0 && at < text->length; count--) {
        size_t length;
        ga_text_code_point(text->bytes + at, &length);
        at += length;
    }
    return at;
}

enum ga_status ga_text_put(struct ga_text_transform *transform, uint32_t code_point, int change)
{
    const struct ga_text_string *in = transform->in;
    struct ga_text_span span = {0, 0};
    if (change > 0 || transform->at >= in->length) {
        span = transform->at ? ga_text_span_at(in, transform->at - 1) : span;
    } else {
        span = ga_text_span_at(in, transform->at);
        transform->at = ga_text_skip(in, transform->at, 1 + (size_t)-change);
    }
    char bytes[4];
    return ga_text_string_append(transform->out, bytes, ga_text_utf8(code_point, bytes), span);
}

enum ga_status ga_text_filter(const struct ga_text_string *in, bool (*removes)(uint32_t code_point),
                              struct ga_text_string *out)
{
    enum ga_status status = ga_text_string_reserve(out, in->length);
    for (size_t at = 0, length; at < in->length && status == GA_OK; at += length) {
        const uint32_t code_point = ga_text_code_point(in->bytes + at, &length);
        if (!removes(code_point)) {
            status = ga_text_string_append(out, in->bytes + at, length, ga_text_span_at(in, at));
        }
    }
    return status;
}

enum ga_status ga_text_lowercase_text(const struct ga_text_string *in, struct ga_text_string *out)
{
    struct ga_text_transform transform = {in, out, 0};
    enum ga_status status = ga_text_string_reserve(out, in->length);
    while (transform.at < in->length && status == GA_OK) {
        size_t length;
        uint32_t lowered[2];
        const size_t count = ga_text_lower(ga_text_code_point(in->bytes + transform.at, &length), lowered);
        status = ga_text_put(&transform, lowered[0], 0);
        status = status || count < 2 ? status : ga_text_put(&transform, lowered[1], 1);
    }
    return status;
}
