// nearest.c: the table-valued function NAME_nearest(table, column, text, k): the k rows whose column is nearest to the
// text, by the cosine. A column of blobs is taken as vectors, any other is embedded row by row. Keeps no index.
#include <stdlib.h>
#include <string.h>

#include "extension.h"

SQLITE_EXTENSION_INIT3

enum { MOST_K = 100000, MOST_SEARCHES = 8 }; // the latter within each other: a view may search itself

// Columns: what a row is, and the arguments, which are hidden.
enum column { ID, VALUE, SCORE, TABLE, COLUMN, TEXT, K, COLUMNS };

static const char schema[] = "CREATE TABLE nearest(id INTEGER, value, score REAL, \"table\" HIDDEN, \"column\" HIDDEN, "
                             "text HIDDEN, k HIDDEN)";

struct nearest_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct ga_sqlite_state *state; // the module's
};

struct hit {
    sqlite3_int64 id;
    sqlite3_value *value; // its own, of sqlite3_value_dup
    double score;
};

struct nearest_cursor {
    sqlite3_vtab_cursor base;
    struct hit *hits; // [count], the best first
    size_t count;
    size_t at;
};

// -- The table ------------------------------------------------------------------------------------------------------

static int connect(sqlite3 *db, void *state, int count, const char *const *words, sqlite3_vtab **table_out,
                   char **message_out)
{
    (void)count, (void)words, (void)message_out;
    const int status = sqlite3_declare_vtab(db, schema);
    if (status != SQLITE_OK) {
        return status;
    }
    struct nearest_table *table = sqlite3_malloc(sizeof *table);
    if (!table) {
        return SQLITE_NOMEM;
    }
    *table = (struct nearest_table){.db = db, .state = state};
    // It reads any table by its name, which a view that a database brings with it may not.
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    *table_out = &table->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

// Where each hidden column equals an argument: 1 + its place in the constraints; -1 where this plan cannot use it.
static void find_arguments(const sqlite3_index_info *info, int found[COLUMNS])
{
    for (int i = 0; i < info->nConstraint; i++) {
        const int column = info->aConstraint[i].iColumn;
        if (column >= TABLE && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
            found[column] = info->aConstraint[i].usable ? i + 1 : -1;
        }
    }
}

// Takes the arguments in the order of their columns. Without all four there is no plan.
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int found[COLUMNS] = {0};
    find_arguments(info, found);
    for (int column = TABLE; column < COLUMNS; column++) {
        if (found[column] == 0) {
            sqlite3_free(table->zErrMsg);
            table->zErrMsg = sqlite3_mprintf("%s_nearest takes (table, column, text, k)", ga_sqlite_model->name);
            return SQLITE_ERROR;
        }
        if (found[column] < 0) {
            return SQLITE_CONSTRAINT;
        }
        info->aConstraintUsage[found[column] - 1].argvIndex = column - TABLE + 1;
        info->aConstraintUsage[found[column] - 1].omit = 1;
    }
    info->estimatedCost = 1e6;
    info->estimatedRows = 10;
    info->orderByConsumed = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == SCORE && info->aOrderBy[0].desc;
    return SQLITE_OK;
}

// -- The k best -----------------------------------------------------------------------------------------------------

static void drop_hits(struct nearest_cursor *cursor)
{
    for (size_t i = 0; i < cursor->count; i++) {
        sqlite3_value_free(cursor->hits[i].value);
    }
    sqlite3_free(cursor->hits);
    cursor->hits = NULL;
    cursor->count = cursor->at = 0;
}

// Puts a row at its place among the k best; of equal ones the first stays before.
static int keep(struct nearest_cursor *cursor, size_t k, sqlite3_int64 id, sqlite3_value *value, double score)
{
    if (cursor->count == k && score <= cursor->hits[k - 1].score) {
        return SQLITE_OK;
    }
    sqlite3_value *copy = sqlite3_value_dup(value);
    if (!copy) {
        return SQLITE_NOMEM;
    }
    if (cursor->count == k) {
        sqlite3_value_free(cursor->hits[--cursor->count].value);
    }
    size_t place = cursor->count++;
    for (; place > 0 && cursor->hits[place - 1].score < score; place--) {
        cursor->hits[place] = cursor->hits[place - 1];
    }
    cursor->hits[place] = (struct hit){.id = id, .value = copy, .score = score};
    return SQLITE_OK;
}

// A search that goes on: vectors of what is looked for and of a row.
struct search {
    struct nearest_table *table;
    struct nearest_cursor *cursor;
    size_t k;
    float *wanted_room, *row_room; // [d_embedding] each
    const float *wanted;
};

static int look_at_row(struct search *search, sqlite3_stmt *rows)
{
    sqlite3_value *value = sqlite3_column_value(rows, 1);
    const float *vector;
    const int status =
        ga_sqlite_vector(search->table->state, value, search->row_room, &vector, &search->table->base.zErrMsg);
    if (status != SQLITE_OK || !vector) {
        return status;
    }
    return keep(search->cursor, search->k, sqlite3_column_int64(rows, 0), value,
                ga_sqlite_cosine(search->wanted, vector, ga_sqlite_model->stack->d_embedding));
}

static int look_at_rows(struct search *search, const char *table, const char *column)
{
    sqlite3 *db = search->table->db;
    struct ga_sqlite_state *state = search->table->state;
    sqlite3_stmt *rows = NULL;
    if (state->searches == MOST_SEARCHES) {
        search->table->base.zErrMsg =
            sqlite3_mprintf("%s_nearest: %d searches within each other; does \"%w\" search itself?",
                            ga_sqlite_model->name, (int)MOST_SEARCHES, table);
        return SQLITE_ERROR;
    }
    state->searches++;
    char *query = sqlite3_mprintf("SELECT t.rowid, t.\"%w\" FROM \"%w\" AS t", column, table);
    int status = query ? sqlite3_prepare_v2(db, query, -1, &rows, NULL) : SQLITE_NOMEM;
    sqlite3_free(query);
    if (status == SQLITE_ERROR) {
        search->table->base.zErrMsg = sqlite3_mprintf("%s_nearest: %s", ga_sqlite_model->name, sqlite3_errmsg(db));
    }
    while (status == SQLITE_OK && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        status = look_at_row(search, rows);
    }
    if (status == SQLITE_ERROR && !search->table->base.zErrMsg) { // of a search within this one
        search->table->base.zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(rows);
    state->searches--;
    return status == SQLITE_DONE ? SQLITE_OK : status;
}

// Arguments: table, column, text or vector, k. No text: no rows.
static int search_with(struct search *search, sqlite3_value **values)
{
    const char *table = ga_sqlite_name(values[0]), *column = ga_sqlite_name(values[1]);
    if (!table || !column) {
        search->table->base.zErrMsg = sqlite3_mprintf("%s_nearest: %s is NULL or has a NUL within; expected a name",
                                                      ga_sqlite_model->name, table ? "column" : "table");
        return SQLITE_ERROR;
    }
    const int status = ga_sqlite_vector(search->table->state, values[2], search->wanted_room, &search->wanted,
                                        &search->table->base.zErrMsg);
    return status == SQLITE_OK && search->wanted ? look_at_rows(search, table, column) : status;
}

static int take_k(struct nearest_table *table, sqlite3_value *value, size_t *k_out)
{
    const sqlite3_int64 k = sqlite3_value_int64(value);
    if (k < 1 || k > MOST_K) {
        table->base.zErrMsg =
            sqlite3_mprintf("%s_nearest: k is %lld; expected 1 to %d", ga_sqlite_model->name, k, MOST_K);
        return SQLITE_ERROR;
    }
    *k_out = (size_t)k;
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *plan_text, int count, sqlite3_value **values)
{
    (void)plan, (void)plan_text, (void)count;
    struct nearest_cursor *cursor = (struct nearest_cursor *)base;
    struct search search = {.table = (struct nearest_table *)base->pVtab, .cursor = cursor};
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = NULL;
    drop_hits(cursor);
    int status = take_k(search.table, values[3], &search.k);
    if (status != SQLITE_OK) {
        return status;
    }
    const size_t bytes = ga_sqlite_model->stack->d_embedding * sizeof(float);
    cursor->hits = sqlite3_malloc64(search.k * sizeof *cursor->hits);
    search.wanted_room = sqlite3_malloc64(bytes);
    search.row_room = sqlite3_malloc64(bytes);
    status = cursor->hits && search.wanted_room && search.row_room ? search_with(&search, values) : SQLITE_NOMEM;
    sqlite3_free(search.wanted_room);
    sqlite3_free(search.row_room);
    return status;
}

// -- The cursor -----------------------------------------------------------------------------------------------------

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor_out)
{
    (void)table;
    struct nearest_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor) {
        return SQLITE_NOMEM;
    }
    *cursor = (struct nearest_cursor){.count = 0};
    *cursor_out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    drop_hits((struct nearest_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct nearest_cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct nearest_cursor *cursor = (const struct nearest_cursor *)base;
    return cursor->at >= cursor->count;
}

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct nearest_cursor *cursor = (const struct nearest_cursor *)base;
    const struct hit *hit = &cursor->hits[cursor->at];
    if (column == ID) {
        sqlite3_result_int64(context, hit->id);
    } else if (column == VALUE) {
        sqlite3_result_value(context, hit->value);
    } else if (column == SCORE) {
        sqlite3_result_double(context, hit->score);
    }
    return SQLITE_OK;
}

static int give_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id_out)
{
    *id_out = (sqlite3_int64)((const struct nearest_cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect, // without xCreate: it is there without CREATE VIRTUAL TABLE
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = give_column,
    .xRowid = give_id,
};

int ga_sqlite_add_nearest(sqlite3 *db, struct ga_sqlite_state *state)
{
    char *name = sqlite3_mprintf("%s_nearest", ga_sqlite_model->name);
    if (!name) {
        return SQLITE_NOMEM;
    }
    state->references++;
    const int status = sqlite3_create_module_v2(db, name, &module, state, ga_sqlite_release);
    sqlite3_free(name);
    return status;
}
