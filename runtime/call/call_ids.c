// call_ids.c: the whole numbers that a call indexes memory with (lengths, places, token ids and types), copied into its
// scratch as they are checked. What another thread writes to the caller's afterwards changes nothing. Runs nothing.
#include "call.h"

void ga_call_ids_take(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len, struct ga_arena *arena,
                      struct ga_call_ids *ids_out)
{
    const size_t lengths = model->lengths ? batch : 0, places = model->rope.positions > 0 ? batch : 0;
    const size_t tokens = model->vocab_size > 0 ? batch * q_len : 0;
    const size_t types = model->stack != NULL && model->stack->token_types > 0 ? batch * q_len : 0;
    const size_t source = model->src_vocab_size > 0 ? batch * kv_len : 0;
    *ids_out = (struct ga_call_ids){
        .q_lengths = ga_arena_take(arena, lengths, sizeof(int32_t)),
        .kv_lengths = ga_arena_take(arena, lengths, sizeof(int32_t)),
        .position = ga_arena_take(arena, places, sizeof(int32_t)),
        .kv_position = ga_arena_take(arena, places, sizeof(int32_t)),
        .tokens = ga_arena_take(arena, tokens, sizeof(int32_t)),
        .token_types = ga_arena_take(arena, types, sizeof(int32_t)),
        .key_tokens = ga_arena_take(arena, source, sizeof(int32_t)),
    };
}

// A number of the caller's, read once: it may be another one the next time.
static int32_t read_once(const int32_t *number)
{
    return *(const volatile int32_t *)number;
}

static bool is_within(int32_t number, size_t most)
{
    return number >= 0 && (size_t)number <= most;
}

// One number of each sequence, 0..most.
static enum ga_status copy_lengths(const struct ga_model *model, const char *field, const int32_t *given, int32_t *copy,
                                   size_t batch, size_t most, struct ga_error *error)
{
    for (size_t b = 0; given != NULL && b < batch; b++) {
        copy[b] = read_once(&given[b]);
        if (!is_within(copy[b], most)) {
            return ga_fail(error, GA_ARGUMENT, "%s: %s[%zu] is %ld; expected 0..%zu", model->name, field, b,
                           (long)copy[b], most);
        }
    }
    return GA_OK;
}

// Places of rows 0 .. length - 1 of each sequence, real or not, are among those the model has angles for.
static enum ga_status copy_places(const struct ga_model *model, const char *field, const int32_t *given, int32_t *copy,
                                  size_t batch, size_t length, struct ga_error *error)
{
    for (size_t b = 0; given != NULL && b < batch; b++) {
        const size_t most = model->rope.positions - length;
        copy[b] = read_once(&given[b]);
        if (!is_within(copy[b], most)) {
            return ga_fail(error, GA_ARGUMENT,
                           "%s: %s[%zu] is %ld; expected 0..%zu, as the sequence's %zu rows must end before place %zu "
                           "(rope.positions of the spec)",
                           model->name, field, b, (long)copy[b], most, length, model->rope.positions);
        }
    }
    return GA_OK;
}

// Ids of the rows that are read, in rows of `length`.
struct ids {
    const char *name;
    const int32_t *given;      // [batch][length]; NULL: absent
    int32_t *copy;             // as given
    const int32_t *lengths[2]; // [batch] each; the greater one says how many are read. NULL: all are
    size_t length, count;      // expected 0..count - 1
};

static size_t rows_read(const struct ids *ids, size_t sequence)
{
    size_t rows = 0;
    for (size_t i = 0; i < 2; i++) {
        const size_t length = ids->lengths[i] == NULL ? ids->length : (size_t)ids->lengths[i][sequence];
        rows = length > rows ? length : rows;
    }
    return rows;
}

static enum ga_status copy_ids(const struct ga_model *model, size_t batch, const struct ids *ids,
                               struct ga_error *error)
{
    for (size_t b = 0; ids->given != NULL && b < batch; b++) {
        const int32_t *given = ids->given + b * ids->length;
        int32_t *copy = ids->copy + b * ids->length;
        const size_t rows = rows_read(ids, b);
        for (size_t i = 0; i < rows; i++) {
            copy[i] = read_once(&given[i]);
            if (!is_within(copy[i], ids->count - 1)) {
                return ga_fail(error, GA_ARGUMENT, "%s: %s[%zu][%zu] is %ld; expected 0..%zu", model->name, ids->name,
                               b, i, (long)copy[i], ids->count - 1);
            }
        }
    }
    return GA_OK;
}

// Lengths and places, and the call with the copies in the place of the caller's. One list for both sides stays one.
static enum ga_status take_numbers(const struct ga_model *model, struct ga_io *call, const struct ga_call_ids *to,
                                   struct ga_error *error)
{
    const size_t batch = call->batch;
    const struct ga_io given = *call;
    const bool one_length = given.kv_lengths == given.q_lengths && call->kv_len == call->q_len;
    enum ga_status status = copy_lengths(model, "q_lengths", given.q_lengths, to->q_lengths, batch, call->q_len, error);
    call->q_lengths = given.q_lengths == NULL ? NULL : to->q_lengths;
    if (status == GA_OK && !one_length) {
        status = copy_lengths(model, "kv_lengths", given.kv_lengths, to->kv_lengths, batch, call->kv_len, error);
    }
    call->kv_lengths = given.kv_lengths == NULL ? NULL : one_length ? call->q_lengths : to->kv_lengths;
    if (status == GA_OK) {
        status = copy_places(model, "position", given.position, to->position, batch, call->q_len, error);
    }
    call->position = given.position == NULL ? NULL : to->position;
    if (status == GA_OK) {
        status = copy_places(model, "kv_position", given.kv_position, to->kv_position, batch, call->kv_len, error);
    }
    call->kv_position = given.kv_position == NULL ? NULL : to->kv_position;
    return status;
}

enum ga_status ga_call_ids(const struct ga_model *model, struct ga_io *call, const struct ga_call_ids *to,
                           struct ga_error *error)
{
    enum ga_status status = take_numbers(model, call, to, error);
    // Rows of a sequence are read as a query or as a key, where masked scores are filled all are. Keys of another
    // sequence say nothing of how many.
    const int32_t *of_keys = ga_call_has_memory(model) ? call->q_lengths : call->kv_lengths;
    const size_t n_types = model->stack == NULL ? 0 : model->stack->token_types;
    const struct ids ids[] = {
        {"tokens",
         call->tokens,
         to->tokens,
         {call->q_lengths, model->fills_padding ? NULL : of_keys},
         call->q_len,
         model->vocab_size},
        {"token_types", call->token_types, to->token_types, {call->q_lengths, call->q_lengths}, call->q_len, n_types},
        {"key_tokens",
         call->key_tokens,
         to->key_tokens,
         {call->kv_lengths, call->kv_lengths},
         call->kv_len,
         model->src_vocab_size},
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids && status == GA_OK; i++) {
        status = copy_ids(model, call->batch, &ids[i], error);
    }
    call->tokens = call->tokens == NULL ? NULL : to->tokens;
    call->token_types = call->token_types == NULL ? NULL : to->token_types;
    call->key_tokens = call->key_tokens == NULL ? NULL : to->key_tokens;
    return status;
}
