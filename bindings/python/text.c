// text.c: encodes a list of texts of Python's in one call, and collects their ids. Makes no batches and no vectors:
// those are Python's.
#include <stdlib.h>
#include <string.h>

#include "text.h"

// Room for `more` ids after those that are there.
static enum ga_status make_room(struct ga_python_ids *ids, size_t more, struct ga_error *error)
{
    const size_t wanted = ids->n_ids + more;
    if (wanted <= ids->room) {
        return GA_OK;
    }
    const size_t room = 2 * wanted + 1024;
    int32_t *grown = realloc(ids->ids, room * sizeof *grown);
    ids->ids = grown ? grown : ids->ids;
    int32_t *types = grown ? realloc(ids->type_ids, room * sizeof *types) : NULL;
    ids->type_ids = types ? types : ids->type_ids;
    if (!types) {
        return ga_fail(error, GA_MEMORY, "no memory for the ids of %zu texts", ids->done);
    }
    ids->room = room;
    return GA_OK;
}

static enum ga_status add(struct ga_python_ids *ids, const struct ga_text_encoding *encoding, struct ga_error *error)
{
    const enum ga_status status = make_room(ids, encoding->count, error);
    if (status == GA_OK && encoding->count > 0) {
        memcpy(ids->ids + ids->n_ids, encoding->ids, encoding->count * sizeof *ids->ids);
        memcpy(ids->type_ids + ids->n_ids, encoding->type_ids, encoding->count * sizeof *ids->type_ids);
        ids->n_ids += encoding->count;
    }
    return status;
}

static struct ga_text_view text_at(const struct ga_python_texts *texts, size_t i)
{
    const size_t begin = i > 0 ? texts->ends[i - 1] : 0;
    return (struct ga_text_view){texts->bytes + begin, texts->ends[i] - begin};
}

int ga_python_encode(struct ga_text_context *context, const struct ga_python_texts *texts, struct ga_python_ids *ids,
                     struct ga_error *error)
{
    const size_t step = texts->pairs ? 2 : 1;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < texts->count; i += step) {
        const struct ga_text_view text = text_at(texts, i);
        const struct ga_text_view pair = texts->pairs ? text_at(texts, i + 1) : (struct ga_text_view){NULL, 0};
        struct ga_text_encoding encoding;
        status =
            ga_text_encode(context, text.bytes, text.length, pair.bytes, pair.length, texts->flags, &encoding, error);
        status = status == GA_OK ? add(ids, &encoding, error) : status;
        if (status != GA_OK) {
            break;
        }
        ids->n_cut += encoding.n_cut > 0;
        ids->ends[ids->done++] = ids->n_ids;
    }
    return (int)status;
}

void ga_python_ids_free(struct ga_python_ids *ids)
{
    free(ids->ids);
    free(ids->type_ids);
}
