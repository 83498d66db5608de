// functions.c: the SQL functions NAME_load, NAME, cosine and their like, and where SQLite enters. Knows no tables.
#include <string.h>

#include "cpu.h"
#include "extension.h"
#include "program.h" // GA_VERSION

SQLITE_EXTENSION_INIT1

// -- Functions ------------------------------------------------------------------------------------------------------

static void fail(sqlite3_context *context, char *message)
{
    sqlite3_result_error(context, message ? message : "no memory", -1);
    sqlite3_free(message);
}

// NAME_load(weights), NAME_load(weights, tokenizer): what was loaded, in words.
static void load(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct ga_sqlite_state *state = sqlite3_user_data(context);
    const char *weights = ga_sqlite_name(values[0]), *tokenizer = count > 1 ? ga_sqlite_name(values[1]) : NULL;
    const bool lacks_tokenizer = count > 1 && !tokenizer && sqlite3_value_type(values[1]) != SQLITE_NULL;
    const struct ga_model *model = ga_sqlite_model;
    struct ga_sqlite_embedder *embedder;
    struct ga_error error = {.text = ""};
    if (!weights || lacks_tokenizer) {
        fail(context, sqlite3_mprintf("%s_load: %s is NULL or has a NUL within; expected a path", model->name,
                                      weights ? "the tokenizer" : "weights"));
    } else if (ga_sqlite_embedder_open(model, weights, tokenizer, &embedder, &error) != GA_OK) {
        fail(context, sqlite3_mprintf("%s_load: %s", model->name, error.text));
    } else {
        ga_sqlite_embedder_close(state->embedder);
        state->embedder = embedder;
        char *words = sqlite3_mprintf("%s: %s, vectors of %lld floats", model->name, ga_sqlite_embedder_isa(embedder),
                                      (sqlite3_int64)model->stack->d_embedding);
        sqlite3_result_text(context, words ? words : "", -1, SQLITE_TRANSIENT);
        sqlite3_free(words);
    }
}

// NAME(text): a blob of d_embedding floats, as sqlite-vec has them; NULL for NULL.
static void embed(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const size_t bytes = ga_sqlite_model->stack->d_embedding * sizeof(float);
    float *room = sqlite3_malloc64(bytes);
    const float *vector;
    char *message = NULL;
    if (!room) {
        sqlite3_result_error_nomem(context);
    } else if (ga_sqlite_vector(sqlite3_user_data(context), values[0], room, &vector, &message) != SQLITE_OK) {
        fail(context, message);
    } else if (vector) {
        sqlite3_result_blob64(context, vector, bytes, SQLITE_TRANSIENT);
    }
    sqlite3_free(room);
}

// cosine(a, b) of two blobs of as many floats; NULL where one is NULL.
static void cosine(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) {
        return;
    }
    const void *a = sqlite3_value_blob(values[0]), *b = sqlite3_value_blob(values[1]);
    const int bytes = sqlite3_value_bytes(values[0]);
    if (bytes != sqlite3_value_bytes(values[1]) || bytes % (int)sizeof(float) != 0) {
        fail(context, sqlite3_mprintf("cosine of %d and %d bytes; expected two vectors of as many floats", bytes,
                                      sqlite3_value_bytes(values[1])));
    } else {
        sqlite3_result_double(context, ga_sqlite_cosine(a, b, (size_t)bytes / sizeof(float)));
    }
}

// NAME_version(): what this extension is, as JSON: of the weights loaded, or of those that would be loaded, the
// instruction set; and the format of a vector.
static void version(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count, (void)values;
    const struct ga_sqlite_state *state = sqlite3_user_data(context);
    const struct ga_model *model = ga_sqlite_model;
    const struct ga_variant *best;
    struct ga_error error = {.text = ""};
    const char *isa = state->embedder ? ga_sqlite_embedder_isa(state->embedder) : NULL;
    if (!isa && ga_model_variant(model, NULL, &best, &error) == GA_OK) {
        isa = best->isa;
    }
    if (!isa) {
        fail(context, sqlite3_mprintf("%s_version: %s", model->name, error.text));
        return;
    }
    char *words = sqlite3_mprintf(
        "{\"genattn\":\"%s\",\"model\":\"%s\",\"abi\":%d,\"bits_revision\":%d,\"isa\":\"%s\",\"loaded\":%s,"
        "\"format\":\"f32[%lld]\"}",
        GA_VERSION, model->name, (int)GA_ABI, (int)model->bits_revision, isa, state->embedder ? "true" : "false",
        (sqlite3_int64)model->stack->d_embedding);
    sqlite3_result_text(context, words ? words : "", -1, SQLITE_TRANSIENT);
    sqlite3_free(words);
}

// NAME_allow_amx(): asks Linux to let this process use the matrix registers of AMX: 1 if it may then. Weights that are
// loaded afterwards use them.
static void allow_amx(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count, (void)values;
    sqlite3_result_int(context, ga_cpu_allow_amx());
}

// -- Registration ---------------------------------------------------------------------------------------------------

struct function {
    const char *name; // after the model's, with %s for it
    int arguments;
    int flags;
    void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
};

// What reads files or changes the process may not be called from a view or a trigger, which a database brings with it.
static const struct function functions[] = {
    {"%s_load", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, load},
    {"%s_load", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, load},
    {"%s_allow_amx", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, allow_amx},
    {"%s", 1, SQLITE_UTF8, embed},
    {"%s_version", 0, SQLITE_UTF8, version},
    {"cosine", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, cosine},
};

// A reference is counted before each registration, which gives it back where it fails.
static int add_function(sqlite3 *db, struct ga_sqlite_state *state, const struct function *function)
{
    char *name = sqlite3_mprintf(function->name, ga_sqlite_model->name);
    if (!name) {
        return SQLITE_NOMEM;
    }
    state->references++;
    const int status = sqlite3_create_function_v2(db, name, function->arguments, function->flags, state, function->call,
                                                  NULL, NULL, ga_sqlite_release);
    sqlite3_free(name);
    return status;
}

static int add_all(sqlite3 *db, struct ga_sqlite_state *state)
{
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && status == SQLITE_OK; i++) {
        status = add_function(db, state, &functions[i]);
    }
    return status == SQLITE_OK ? ga_sqlite_add_nearest(db, state) : status;
}

int sqlite3_extension_init(sqlite3 *db, char **message_out, const sqlite3_api_routines *api);

// Where SQLite enters, whatever the file is called.
int sqlite3_extension_init(sqlite3 *db, char **message_out, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    (void)message_out;
    struct ga_sqlite_state *state = sqlite3_malloc(sizeof *state);
    if (!state) {
        return SQLITE_NOMEM;
    }
    memset(state, 0, sizeof *state);
    state->references = 1;
    const int status = add_all(db, state);
    ga_sqlite_release(state);
    return status;
}
