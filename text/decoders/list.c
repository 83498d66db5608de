// list.c: lists of strings.
#include <string.h>

#include "decoder.h"

enum ga_status ga_text_list_append(struct ga_text_list *list, const char *bytes, size_t length)
{
    const size_t begin = list->text.length;
    const enum ga_status status = ga_text_string_append(&list->text, bytes, length, (struct ga_text_span){0, 0});
    return status == GA_OK ? ga_text_list_end(list, begin) : status;
}

enum ga_status ga_text_list_replace(struct ga_text_list *list, struct ga_text_bytes string, struct ga_text_bytes mark,
                                    const char *with)
{
    const struct ga_text_span none = {0, 0};
    const size_t begin = list->text.length;
    enum ga_status status = GA_OK;
    for (size_t at = 0; at < string.length && status == GA_OK;) {
        const bool is_mark =
            string.length - at >= mark.length && memcmp(string.bytes + at, mark.bytes, mark.length) == 0;
        status = is_mark ? ga_text_string_append(&list->text, with, strlen(with), none)
                         : ga_text_string_append(&list->text, string.bytes + at, 1, none);
        at += is_mark ? mark.length : 1;
    }
    return status == GA_OK ? ga_text_list_end(list, begin) : status;
}

enum ga_status ga_text_list_end(struct ga_text_list *list, size_t begin)
{
    void *items = list->cuts.items;
    const enum ga_status status =
        ga_text_grow(&items, &list->cuts.capacity, list->cuts.count, 1, sizeof *list->cuts.items);
    list->cuts.items = items;
    if (status == GA_OK) {
        list->cuts.items[list->cuts.count++] = (struct ga_text_span){(uint32_t)begin, (uint32_t)list->text.length};
    }
    return status;
}

struct ga_text_bytes ga_text_list_at(const struct ga_text_list *list, size_t i)
{
    const struct ga_text_span span = list->cuts.items[i];
    return (struct ga_text_bytes){list->text.bytes + span.begin, span.end - span.begin};
}

void ga_text_list_free(struct ga_text_list *list)
{
    ga_text_string_free(&list->text);
    ga_text_cuts_free(&list->cuts);
}
