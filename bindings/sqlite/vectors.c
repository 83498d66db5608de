// vectors.c: vectors and names of SQL values, a cosine, and what a connection keeps for them. Registers nothing.
#include <math.h>
#include <string.h>

#include "extension.h"

SQLITE_EXTENSION_INIT3

// Element i of floats at any address: a blob of SQLite's is aligned to nothing.
static double element(const void *floats, size_t i)
{
    float value;
    memcpy(&value, (const char *)floats + i * sizeof value, sizeof value);
    return (double)value;
}

double ga_sqlite_cosine(const void *a, const void *b, size_t count)
{
    double product = 0, a_squares = 0, b_squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = element(a, i), y = element(b, i);
        product += x * y;
        a_squares += x * x;
        b_squares += y * y;
    }
    const double squares = a_squares * b_squares;
    return squares > 0 && isfinite(squares) ? product / sqrt(squares) : 0;
}

static int blob_vector(sqlite3_value *value, float *room, const float **vector_out, char **message_out)
{
    const size_t expected = ga_sqlite_model->stack->d_embedding * sizeof(float);
    const int bytes = sqlite3_value_bytes(value);
    if ((size_t)bytes != expected) {
        *message_out = sqlite3_mprintf("%s: a vector of %d bytes; expected %lld, %lld floats", ga_sqlite_model->name,
                                       bytes, (sqlite3_int64)expected, (sqlite3_int64)(expected / sizeof(float)));
        return SQLITE_ERROR;
    }
    memcpy(room, sqlite3_value_blob(value), expected);
    *vector_out = room;
    return SQLITE_OK;
}

int ga_sqlite_vector(struct ga_sqlite_state *state, sqlite3_value *value, float *room, const float **vector_out,
                     char **message_out)
{
    *vector_out = NULL;
    if (sqlite3_value_type(value) == SQLITE_NULL) {
        return SQLITE_OK;
    }
    if (sqlite3_value_type(value) == SQLITE_BLOB) {
        return blob_vector(value, room, vector_out, message_out);
    }
    if (!state->embedder) {
        *message_out = sqlite3_mprintf("%s has no weights; call %s_load(weights) first", ga_sqlite_model->name,
                                       ga_sqlite_model->name);
        return SQLITE_ERROR;
    }
    struct ga_error error = {.text = ""};
    const char *text = (const char *)sqlite3_value_text(value);
    const size_t length = (size_t)sqlite3_value_bytes(value);
    if (!text || ga_sqlite_embed(state->embedder, text, length, room, &error) != GA_OK) {
        *message_out = sqlite3_mprintf("%s: %s", ga_sqlite_model->name, text ? error.text : "no memory for a text");
        return SQLITE_ERROR;
    }
    *vector_out = room;
    return SQLITE_OK;
}

const char *ga_sqlite_name(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text && strlen(text) == (size_t)sqlite3_value_bytes(value) ? text : NULL;
}

void ga_sqlite_release(void *data)
{
    struct ga_sqlite_state *state = data;
    if (--state->references == 0) {
        ga_sqlite_embedder_close(state->embedder);
        sqlite3_free(state);
    }
}
