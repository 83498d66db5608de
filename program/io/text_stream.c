// text_stream.c: the text of a few ids at a time: what one more id adds to the text of those before it.
#define _GNU_SOURCE // memmem
#include "text_stream.h"

#include <stdlib.h>
#include <string.h>

// Tokens before one that are decoded with it, as a character may be of several.
enum { LOOKED_AT = 8 };

static enum ga_exit no_memory(const struct ga_text_stream *stream)
{
    return ga_failed(stream->context, "no memory for the text of %zu tokens", stream->count);
}

// Room for `count` items of `size` bytes, at least twice what there was; false where there is no memory.
static bool grow(void **items, size_t *room, size_t count, size_t size)
{
    if (count > *room) {
        const size_t wanted = count > 2 * *room ? count : 2 * *room;
        void *grown = realloc(*items, wanted * size);
        if (!grown) {
            return false;
        }
        *items = grown;
        *room = wanted;
    }
    return true;
}

// -- What is printed ------------------------------------------------------------------------------------------------

// Bytes at the end of held that a stop text begins with.
static size_t start_of(const struct ga_text_stream *stream, const char *stop)
{
    const size_t length = strlen(stop);
    size_t most = length > 0 ? length - 1 : 0;
    most = most < stream->n_held ? most : stream->n_held;
    while (most > 0 && memcmp(stream->held + stream->n_held - most, stop, most) != 0) {
        most--;
    }
    return most;
}

// The most of them that any stop text begins with.
static size_t start_of_stop(const struct ga_text_stream *stream)
{
    size_t most = 0;
    for (size_t i = 0; i < stream->n_stops; i++) {
        const size_t start = start_of(stream, stream->stops[i]);
        most = start > most ? start : most;
    }
    return most;
}

// The first place in held where a stop text is, or NULL.
static const char *find_stop(const struct ga_text_stream *stream)
{
    const char *first = NULL;
    for (size_t i = 0; i < stream->n_stops; i++) {
        const char *stop = stream->stops[i];
        const char *found = *stop ? memmem(stream->held, stream->n_held, stop, strlen(stop)) : NULL;
        first = found && (!first || found < first) ? found : first;
    }
    return first;
}

// count 0 where nothing was ever held, and there is no memory of it.
static void print_held(struct ga_text_stream *stream, size_t count)
{
    if (count == 0) {
        return;
    }
    ga_put_text(stream->held, count);
    fflush(stdout);
    stream->n_held -= count;
    memmove(stream->held, stream->held + count, stream->n_held);
}

static enum ga_exit hold(struct ga_text_stream *stream, const char *bytes, size_t length, bool *stopped_out)
{
    if (!grow((void **)&stream->held, &stream->held_room, stream->n_held + length + 1, 1)) {
        return no_memory(stream);
    }
    memcpy(stream->held + stream->n_held, bytes, length);
    stream->n_held += length;
    const char *found = find_stop(stream);
    *stopped_out = found != NULL;
    print_held(stream, found ? (size_t)(found - stream->held) : stream->n_held - start_of_stop(stream));
    stream->n_held = found ? 0 : stream->n_held; // what comes from it on is not printed
    return GA_EXIT_OK;
}

// -- Decoding -------------------------------------------------------------------------------------------------------

// The text of ids[begin, end): *length_out bytes of it, the context's until the next call.
static enum ga_exit decode(struct ga_text_stream *stream, size_t end, struct ga_text_view *text_out)
{
    struct ga_error error = {.text = ""};
    return ga_text_library.decode(stream->tools->context, stream->ids + stream->begin, end - stream->begin, true,
                                  text_out, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(stream->context, "%s", error.text);
}

// Whether a text ends in U+FFFD, as a character does some of whose bytes are still to come.
static bool is_cut(struct ga_text_view text)
{
    return text.length >= 3 && memcmp(text.bytes + text.length - 3, "\xEF\xBF\xBD", 3) == 0;
}

// Decoders look at the tokens before one, so that what an id adds is the difference of two texts.
static enum ga_exit show(struct ga_text_stream *stream, bool at_end, bool *stopped_out)
{
    struct ga_text_view before, text;
    enum ga_exit code = decode(stream, stream->shown, &before);
    const size_t known = before.length;
    if (code == GA_EXIT_OK) {
        code = decode(stream, stream->count, &text);
    }
    if (code != GA_EXIT_OK || text.length <= known || (is_cut(text) && !at_end)) {
        return code;
    }
    stream->begin = stream->shown;
    stream->shown = stream->count;
    return hold(stream, text.bytes + known, text.length - known, stopped_out);
}

enum ga_exit ga_text_stream_begin(struct ga_text_stream *stream, const int32_t *ids, size_t count)
{
    if (!grow((void **)&stream->ids, &stream->room, count, sizeof *ids)) {
        return no_memory(stream);
    }
    memcpy(stream->ids, ids, count * sizeof *ids);
    stream->count = stream->shown = count;
    stream->begin = count > LOOKED_AT ? count - LOOKED_AT : 0;
    return GA_EXIT_OK;
}

enum ga_exit ga_text_stream_add(struct ga_text_stream *stream, int32_t id, bool *stopped_out)
{
    *stopped_out = false;
    if (!grow((void **)&stream->ids, &stream->room, stream->count + 1, sizeof *stream->ids)) {
        return no_memory(stream);
    }
    stream->ids[stream->count++] = id;
    return show(stream, false, stopped_out);
}

enum ga_exit ga_text_stream_end(struct ga_text_stream *stream)
{
    bool stopped = false;
    const enum ga_exit code = show(stream, true, &stopped);
    print_held(stream, stream->n_held);
    return code;
}

void ga_text_stream_close(struct ga_text_stream *stream)
{
    free(stream->ids);
    free(stream->held);
}
