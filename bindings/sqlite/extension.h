// extension.h: what the files of the SQLite extension share: the state of one connection, and blobs of vectors.
#ifndef GA_SQLITE_EXTENSION_H
#define GA_SQLITE_EXTENSION_H

#include <sqlite3ext.h>

#include "embedder.h"

// The model of this extension, and its name, with which the SQL functions begin. In model.c.
extern const struct ga_model *const ga_sqlite_model;

// What a connection has. It is freed with the last of the functions that refer to it.
struct ga_sqlite_state {
    struct ga_sqlite_embedder *embedder; // NULL before NAME_load
    size_t references;
    size_t searches; // of NAME_nearest that go on, one within the other
};

// The vector of a value in room, which has d_model floats: of a blob its floats, of anything else that of its text.
// *vector_out is room, or NULL for NULL. SQLITE_OK, or SQLITE_ERROR with *message_out, which the caller
// frees with sqlite3_free.
int ga_sqlite_vector(struct ga_sqlite_state *state, sqlite3_value *value, float *room, const float **vector_out,
                     char **message_out);

// The text of a value that names a file, a table or a column; NULL for NULL, and for a text with a NUL within: what is
// named would be another thing.
const char *ga_sqlite_name(sqlite3_value *value);

// Registers the table-valued function NAME_nearest, which refers to state once more.
int ga_sqlite_add_nearest(sqlite3 *db, struct ga_sqlite_state *state);

// One reference less. For sqlite3_create_function_v2 and the like.
void ga_sqlite_release(void *state);

// The cosine of the angle between the floats a[count] and b[count], aligned to nothing, summed in double precision; 0
// where one of them is all zeros, or has what is not finite.
double ga_sqlite_cosine(const void *a, const void *b, size_t count);

#endif
