// call_spans.c: whether memory that a caller gave is aligned and apart from other memory. Looks at addresses only.
#include <stdint.h>

#include "call.h"

bool ga_is_aligned(const void *pointer, size_t bytes)
{
    return (uintptr_t)pointer % bytes == 0;
}

// An address and a size are never added, as the sum might wrap.
bool ga_spans_overlap(const struct ga_span *a, const struct ga_span *b)
{
    const uintptr_t a_start = (uintptr_t)a->start, b_start = (uintptr_t)b->start;
    const bool is_there = a->start != NULL && b->start != NULL && a->bytes > 0 && b->bytes > 0;
    return is_there && (a_start <= b_start ? b_start - a_start < a->bytes : a_start - b_start < b->bytes);
}

enum ga_status ga_call_spans(const char *who, const struct ga_span *spans, size_t count, size_t n_written,
                             struct ga_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (spans[i].start == NULL) {
            continue;
        }
        if (!ga_is_aligned(spans[i].start, spans[i].alignment)) {
            return ga_fail(error, GA_ALIGNMENT, "%s: %s is not aligned to its elements of %zu bytes", who,
                           spans[i].name, spans[i].alignment);
        }
        for (size_t j = 0; j < n_written && j < i; j++) {
            if (ga_spans_overlap(&spans[i], &spans[j])) {
                return ga_fail(error, GA_ARGUMENT, "%s: %s overlaps %s; expected memory of its own", who, spans[j].name,
                               spans[i].name);
            }
        }
    }
    return GA_OK;
}
