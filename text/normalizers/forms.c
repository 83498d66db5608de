// forms.c: NFC, NFD, NFKC and NFKD: utf8proc's tables, in steps that say which character each comes from.
#include "forms.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "transform.h"
#include "unicode.h"

enum { LONGEST = 32, SHORT_RUN = 16 }; // code points of a decomposition; marks that are sorted by insertion

bool ga_text_is_ascii(const char *bytes, size_t length)
{
    unsigned char all = 0;
    for (size_t i = 0; i < length; i++) {
        all |= (unsigned char)bytes[i];
    }
    return all < 0x80;
}

void ga_text_units_free(struct ga_text_units *units)
{
    free(units->items);
    free(units->spare);
    *units = (struct ga_text_units){0};
}

static uint32_t class_of(uint32_t code_point)
{
    if (code_point < 0x300 || ga_text_classes(code_point) & GA_TEXT_IS_UNKNOWN) {
        return 0;
    }
    return (uint32_t)utf8proc_get_property((utf8proc_int32_t)code_point)->combining_class;
}

// -- Decomposition --------------------------------------------------------------------------------------------------

// Writes the decomposition of a code point; returns how many it has.
static size_t decompose(uint32_t code_point, bool compat, utf8proc_int32_t parts[LONGEST])
{
    parts[0] = (utf8proc_int32_t)code_point;
    if (code_point < 0xA0 || ga_text_classes(code_point) & GA_TEXT_IS_UNKNOWN) {
        return 1;
    }
    int boundary = 0;
    const utf8proc_option_t options = UTF8PROC_DECOMPOSE | (compat ? UTF8PROC_COMPAT : 0);
    const utf8proc_ssize_t count =
        utf8proc_decompose_char((utf8proc_int32_t)code_point, parts, LONGEST, options, &boundary);
    return count > 0 && count <= LONGEST ? (size_t)count : 1;
}

static enum ga_status add_units(struct ga_text_units *units, const utf8proc_int32_t *parts, size_t count)
{
    void *items = units->items;
    const enum ga_status status = ga_text_grow(&items, &units->capacity, units->count, count, sizeof *units->items);
    units->items = items;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        const uint32_t code_point = (uint32_t)parts[i];
        units->items[units->count++] = (struct ga_text_unit){code_point, i > 0, class_of(code_point)};
    }
    return status;
}

// Sorts marks by class, those of equal ones in their order.
static void sort_few(struct ga_text_unit *marks, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct ga_text_unit mark = marks[i];
        size_t at = i;
        for (; at > 0 && marks[at - 1].combining_class > mark.combining_class; at--) {
            marks[at] = marks[at - 1];
        }
        marks[at] = mark;
    }
}

// The same in linear time, by counting; spare[count].
static void sort_many(struct ga_text_unit *marks, size_t count, struct ga_text_unit *spare)
{
    size_t begins[257] = {0};
    for (size_t i = 0; i < count; i++) {
        begins[(marks[i].combining_class & 255) + 1]++;
    }
    for (size_t i = 1; i < 257; i++) {
        begins[i] += begins[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        spare[begins[marks[i].combining_class & 255]++] = marks[i];
    }
    memcpy(marks, spare, count * sizeof *marks);
}

static enum ga_status sort_marks(struct ga_text_units *units, size_t begin, size_t end)
{
    if (end - begin <= SHORT_RUN) {
        sort_few(units->items + begin, end - begin);
        return GA_OK;
    }
    void *spare = units->spare;
    const enum ga_status status = ga_text_grow(&spare, &units->spare_capacity, 0, end - begin, sizeof *units->spare);
    units->spare = spare;
    if (status == GA_OK) {
        sort_many(units->items + begin, end - begin, units->spare);
    }
    return status;
}

// Puts each run of marks into the canonical order.
static enum ga_status sort_units(struct ga_text_units *units)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0, begin; i < units->count && status == GA_OK; i++) {
        for (begin = i; i < units->count && units->items[i].combining_class; i++) {
        }
        status = i - begin > 1 ? sort_marks(units, begin, i) : GA_OK;
    }
    return status;
}

// -- Composition ----------------------------------------------------------------------------------------------------

// Composes two characters into *composed_out; false where they do not.
static bool compose(uint32_t first, uint32_t second, uint32_t *composed_out)
{
    if (second < 0x300) {
        return false;
    }
    utf8proc_int32_t pair[2] = {(utf8proc_int32_t)first, (utf8proc_int32_t)second};
    if (utf8proc_normalize_utf32(pair, 2, UTF8PROC_STABLE | UTF8PROC_COMPOSE) != 1) {
        return false;
    }
    *composed_out = (uint32_t)pair[0];
    return !(ga_text_classes(*composed_out) & GA_TEXT_IS_UNKNOWN);
}

// Composes units in place: `kept` are what stays, `starter` is the one that marks are composed with, `last` is the
// class of the mark between them, 0 where there is none.
static void compose_units(struct ga_text_units *units)
{
    size_t kept = 0, starter = SIZE_MAX;
    uint32_t last = 0;
    for (size_t i = 0; i < units->count; i++) {
        const struct ga_text_unit unit = units->items[i];
        const bool blocked = last && last >= unit.combining_class;
        uint32_t composed;
        if (starter != SIZE_MAX && !blocked && compose(units->items[starter].code_point, unit.code_point, &composed)) {
            units->items[starter].code_point = composed;
            units->items[starter].change += unit.change - 1;
            continue;
        }
        starter = unit.combining_class == 0 ? kept : starter;
        last = starter == SIZE_MAX ? 0 : unit.combining_class;
        units->items[kept++] = unit;
    }
    units->count = kept;
}

enum ga_status ga_text_form(const struct ga_text_string *in, bool compat, bool composed, struct ga_text_units *units,
                            struct ga_text_string *out)
{
    if (ga_text_is_ascii(in->bytes, in->length)) {
        return ga_text_string_copy(out, in, 0, in->length);
    }
    enum ga_status status = GA_OK;
    units->count = 0;
    for (size_t at = 0, length; at < in->length && status == GA_OK; at += length) {
        utf8proc_int32_t parts[LONGEST];
        const size_t count = decompose(ga_text_code_point(in->bytes + at, &length), compat, parts);
        status = add_units(units, parts, count);
    }
    status = status == GA_OK ? sort_units(units) : status;
    if (status == GA_OK && composed) {
        compose_units(units);
    }
    struct ga_text_transform transform = {in, out, 0};
    for (size_t i = 0; i < units->count && status == GA_OK; i++) {
        status = ga_text_put(&transform, units->items[i].code_point, units->items[i].change);
    }
    return status;
}
