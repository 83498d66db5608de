// sequences.c: reads sequences of token ids from text, an id at a time, or from tensors, and keeps them side by side.
#include "sequences.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_call.h"
#include "output_name.h"
#include "text_file.h"

// -- What is read, as it grows --------------------------------------------------------------------------------------

struct reading {
    const struct ga_context *context;
    const char *path;
    bool cut;
    struct ga_sequences *sequences;
    size_t n_ids, id_room, start_room;
};

static enum ga_exit no_memory(const struct reading *reading)
{
    return ga_failed(reading->context, "%s: no memory for its token ids", reading->path);
}

// A pipe need not end: memory does.
enum { MOST_IDS = 1 << 28, MOST_SEQUENCES = 1 << 26 };

static enum ga_exit check_limits(const struct reading *reading)
{
    const bool fits = reading->n_ids < MOST_IDS && reading->sequences->count < MOST_SEQUENCES;
    return fits ? GA_EXIT_OK
                : ga_failed(reading->context, "%s: more than %d token ids or %d sequences; give it in parts",
                            reading->path, MOST_IDS, MOST_SEQUENCES);
}

// Ends a sequence where the next one begins.
static enum ga_exit end_sequence(struct reading *reading)
{
    struct ga_sequences *sequences = reading->sequences;
    if (sequences->count + 2 > reading->start_room) {
        const size_t room = 2 * reading->start_room + 256;
        size_t *starts = realloc(sequences->starts, room * sizeof *starts);
        if (!starts) {
            return no_memory(reading);
        }
        starts[0] = 0;
        sequences->starts = starts;
        reading->start_room = room;
    }
    sequences->starts[++sequences->count] = reading->n_ids;
    return check_limits(reading);
}

static size_t ids_so_far(const struct reading *reading)
{
    const struct ga_sequences *sequences = reading->sequences;
    return reading->n_ids - (sequences->count > 0 ? sequences->starts[sequences->count] : 0);
}

static enum ga_exit add_id(struct reading *reading, int64_t id, const char *where, size_t number)
{
    const struct ga_model *model = reading->context->model;
    if (id < 0 || (uint64_t)id >= model->vocab_size || id > INT32_MAX) {
        return ga_failed(reading->context, "%s: %s %zu: token id %" PRId64 "; expected 0..%zu", reading->path, where,
                         number, id, model->vocab_size - 1);
    }
    if (ids_so_far(reading) == model->q_len.max) {
        return reading->cut ? GA_EXIT_OK
                            : ga_failed(reading->context,
                                        "%s: %s %zu: more ids than a sequence of this model has, %zu; --cut takes the "
                                        "first ones",
                                        reading->path, where, number, model->q_len.max);
    }
    if (reading->n_ids == reading->id_room) {
        const size_t room = 2 * reading->id_room + 4096;
        int32_t *ids = realloc(reading->sequences->ids, room * sizeof *ids);
        if (!ids) {
            return no_memory(reading);
        }
        reading->sequences->ids = ids;
        reading->id_room = room;
    }
    reading->sequences->ids[reading->n_ids++] = (int32_t)id;
    return check_limits(reading);
}

// -- Text -----------------------------------------------------------------------------------------------------------

enum { MOST_DIGITS = 18 };

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\t' || byte == ',' || byte == '\r';
}

// Reads the number that begins with `byte`; *next_out: what follows it.
static enum ga_exit read_id(struct reading *reading, FILE *file, int byte, size_t line, int *next_out)
{
    int64_t id = 0;
    size_t digits = 0;
    for (; byte >= '0' && byte <= '9' && digits < MOST_DIGITS; byte = getc(file), digits++) {
        id = 10 * id + (byte - '0');
    }
    *next_out = byte;
    if (digits == 0 || !(is_blank(byte) || byte == '\n' || byte == EOF)) {
        return ga_failed(
            reading->context,
            "%s: line %zu has something else than token ids; expected whole numbers separated by blanks or commas",
            reading->path, line);
    }
    return add_id(reading, id, "line", line);
}

static enum ga_exit read_lines(struct reading *reading, FILE *file)
{
    enum ga_exit code = GA_EXIT_OK;
    size_t line = 1;
    for (int byte = getc(file); byte != EOF && code == GA_EXIT_OK; line++) { // a line a turn
        while (code == GA_EXIT_OK && byte != '\n' && byte != EOF) {
            if (is_blank(byte)) {
                byte = getc(file);
            } else {
                code = read_id(reading, file, byte, line, &byte);
            }
        }
        code = code == GA_EXIT_OK ? end_sequence(reading) : code;
        byte = byte == '\n' ? getc(file) : byte;
    }
    return code;
}

static enum ga_exit read_text(struct reading *reading)
{
    FILE *file = ga_text_open(reading->context, reading->path);
    if (!file) {
        return GA_EXIT_FAILED;
    }
    enum ga_exit code = read_lines(reading, file);
    if (code == GA_EXIT_OK && ferror(file)) {
        code = ga_failed(reading->context, "%s: could not be read: %s", reading->path, strerror(errno));
    }
    fclose(file);
    return code;
}

// -- Tensors --------------------------------------------------------------------------------------------------------

static bool is_ids(const struct ga_tensor *tensor, size_t rank, const size_t *shape)
{
    return ga_holds_integers(tensor) && ga_tensor_has_shape(tensor, rank, shape);
}

struct tensors {
    const struct ga_tensor *tokens, *types, *lengths;
};

static enum ga_exit check_tensors(const struct reading *reading, const struct tensors *tensors)
{
    const struct ga_stack *stack = reading->context->model->stack;
    if (!tensors->tokens) {
        return ga_failed(reading->context, "%s: no tensor \"tokens\"", reading->path);
    }
    if (!is_ids(tensors->tokens, tensors->tokens->rank, tensors->tokens->shape) || tensors->tokens->rank != 2) {
        return ga_refuse_shape(reading->context, reading->path, tensors->tokens, "I32 or I64 [sequences, length]");
    }
    if (tensors->types && stack->token_types == 0) {
        return ga_failed(reading->context, "%s: tensor \"token_types\": this model takes none", reading->path);
    }
    if (tensors->types && !is_ids(tensors->types, 2, tensors->tokens->shape)) {
        return ga_refuse_shape(reading->context, reading->path, tensors->types, "I32 or I64 as tokens");
    }
    if (tensors->lengths && !is_ids(tensors->lengths, 1, tensors->tokens->shape)) {
        return ga_refuse_shape(reading->context, reading->path, tensors->lengths,
                               "I32 or I64 one a sequence of tokens");
    }
    return GA_EXIT_OK;
}

// The types of sequence b's ids, which have been read.
static enum ga_exit read_types(struct reading *reading, const struct ga_tensor *types, size_t b)
{
    struct ga_sequences *sequences = reading->sequences;
    const size_t count = reading->context->model->stack->token_types;
    for (size_t at = sequences->starts[b]; at < sequences->starts[b + 1]; at++) {
        const int64_t type = ga_integer_at(types, b * types->shape[1] + at - sequences->starts[b]);
        if (type < 0 || (uint64_t)type >= count) {
            return ga_failed(reading->context, "%s: tensor \"token_types\": sequence %zu: %" PRId64 "; expected 0..%zu",
                             reading->path, b, type, count - 1);
        }
        sequences->types[at] = (int32_t)type;
    }
    return GA_EXIT_OK;
}

static enum ga_exit read_sequences(struct reading *reading, const struct tensors *tensors)
{
    const size_t batch = tensors->tokens->shape[0], longest = tensors->tokens->shape[1];
    enum ga_exit code = GA_EXIT_OK;
    for (size_t b = 0; b < batch && code == GA_EXIT_OK; b++) {
        const int64_t length = tensors->lengths ? ga_integer_at(tensors->lengths, b) : (int64_t)longest;
        if (length < 0 || (uint64_t)length > longest) {
            return ga_failed(reading->context, "%s: tensor \"lengths\": element [%zu] is %" PRId64 "; expected 0..%zu",
                             reading->path, b, length, longest);
        }
        for (size_t i = 0; i < (size_t)length && code == GA_EXIT_OK; i++) {
            code = add_id(reading, ga_integer_at(tensors->tokens, b * longest + i), "sequence", b);
        }
        code = code == GA_EXIT_OK ? end_sequence(reading) : code;
    }
    if (tensors->types && code == GA_EXIT_OK) {
        reading->sequences->types = calloc(reading->n_ids + 1, sizeof *reading->sequences->types);
        code = reading->sequences->types ? GA_EXIT_OK : no_memory(reading);
    }
    for (size_t b = 0; tensors->types && b < batch && code == GA_EXIT_OK; b++) {
        code = read_types(reading, tensors->types, b);
    }
    return code;
}

static enum ga_exit read_tensors(struct reading *reading)
{
    struct ga_weights *file;
    struct ga_error error;
    if (ga_weights_open(reading->path, &file, &error) != GA_OK) {
        return ga_failed(reading->context, "%s", error.text);
    }
    const struct tensors tensors = {ga_weights_find(file, "tokens"), ga_weights_find(file, "token_types"),
                                    ga_weights_find(file, "lengths")};
    enum ga_exit code = check_tensors(reading, &tensors);
    code = code == GA_EXIT_OK ? read_sequences(reading, &tensors) : code;
    ga_weights_close(file);
    return code;
}

// -- Either ---------------------------------------------------------------------------------------------------------

enum ga_exit ga_sequences_read(const struct ga_context *context, const char *path, bool cut,
                               struct ga_sequences *sequences_out)
{
    *sequences_out = (struct ga_sequences){0};
    struct reading reading = {.context = context, .path = path, .cut = cut, .sequences = sequences_out};
    enum ga_exit code = ga_name_ends_in(path, GA_SAFETENSORS_ENDING) ? read_tensors(&reading) : read_text(&reading);
    if (code == GA_EXIT_OK && sequences_out->count == 0) {
        code = ga_failed(context, "%s: holds no sequence", path);
    }
    return code;
}

size_t ga_sequence_length(const struct ga_sequences *sequences, size_t i)
{
    return sequences->starts[i + 1] - sequences->starts[i];
}

void ga_sequences_free(struct ga_sequences *sequences)
{
    free(sequences->starts);
    free(sequences->ids);
    free(sequences->types);
    free(sequences->seen);
    *sequences = (struct ga_sequences){0};
}
