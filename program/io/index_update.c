// index_update.c: finds which texts an index knows, computes the vectors of the others, and writes the index anew.
#include "index_update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "rows_file.h"
#include "text_ahead.h"

static const size_t NEW = SIZE_MAX; // in place of a row: the index does not have the text

// -- What is known --------------------------------------------------------------------------------------------------

// Rows of an index by their texts: an open table of places + 1, 0 where it is empty.
struct table {
    size_t *places; // [size]
    size_t size;    // a power of two
};

// Where the mark is, or where it would be.
static size_t place_of(const struct table *table, const struct ga_search_index *index, struct ga_text_mark mark)
{
    size_t at = (size_t)mark.checksum & (table->size - 1);
    while (table->places[at] > 0 && !ga_text_marks_equal(ga_index_mark(index, table->places[at] - 1), mark)) {
        at = (at + 1) & (table->size - 1);
    }
    return at;
}

static bool make_table(const struct ga_search_index *index, struct table *table)
{
    table->size = 16;
    while (table->size < 2 * index->count) {
        table->size *= 2;
    }
    table->places = calloc(table->size, sizeof *table->places);
    for (size_t i = 0; table->places && i < index->count; i++) {
        const size_t at = place_of(table, index, ga_index_mark(index, i));
        if (!index->damaged[i]) {
            table->places[at] = i + 1;
        }
    }
    return table->places != NULL;
}

// Each text's row in the index, or NEW: [corpus->count], which the caller frees; NULL where there is no memory.
static size_t *find_sources(const struct ga_corpus *corpus, const struct ga_search_index *index, size_t *n_new_out)
{
    struct table table;
    size_t *sources = malloc((corpus->count + 1) * sizeof *sources);
    const bool fits = make_table(index, &table);
    *n_new_out = 0;
    for (size_t i = 0; sources && fits && i < corpus->count; i++) {
        const size_t found = table.places[place_of(&table, index, corpus->marks[i])];
        sources[i] = found > 0 ? found - 1 : NEW;
        *n_new_out += found == 0;
    }
    free(table.places);
    if (!fits) {
        free(sources);
    }
    return fits ? sources : NULL;
}

// Whether the index has the texts of the corpus and no others, in their order: of equal texts any row is right.
static bool is_current(const struct ga_corpus *corpus, const struct ga_search_index *index, size_t n_new)
{
    bool is = n_new == 0 && index->n_damaged == 0 && index->count == corpus->count;
    for (size_t i = 0; is && i < corpus->count; i++) {
        is = ga_text_marks_equal(corpus->marks[i], ga_index_mark(index, i));
    }
    return is;
}

// -- Writing --------------------------------------------------------------------------------------------------------

// One index as it is written.
struct writing {
    struct ga_index_update *update;
    const struct ga_search_index *index; // as it was
    const size_t *sources;               // [corpus->count]
    size_t width;
    struct ga_texts texts;      // the corpus
    struct ga_text_ahead ahead; // the new ones, by blocks
    size_t n_read;              // texts of the corpus that are in blocks
    size_t ends[2];             // of each block of ahead, in the corpus
    float *fresh, *rows;        // [GA_BLOCK_TEXTS][width]: of new texts, and of all of a block
    unsigned char *entries;     // [corpus->count][GA_INDEX_ENTRY]
    struct ga_rows_file file;
    bool is_kept; // the file, after a failure
};

// struct ga_text_ahead's read: tokenizes what is new among the next texts, and notes where the block ends.
static enum ga_exit read_block(void *context, struct ga_text_block *block)
{
    struct writing *w = context;
    const struct ga_corpus *corpus = w->update->corpus;
    const size_t first = w->n_read;
    enum ga_exit code = GA_EXIT_OK;
    size_t i = first;
    ga_text_block_clear(block);
    while (i < corpus->count && i - first < GA_BLOCK_TEXTS && code == GA_EXIT_OK && !ga_text_block_is_full(block)) {
        if (w->sources[i] == NEW) {
            code = ga_corpus_text(w->update->context, corpus, i, &w->texts);
            code = code == GA_EXIT_OK ? ga_text_block_add(w->update->reader, &w->texts, block) : code;
        }
        i++;
    }
    w->ends[block - w->ahead.blocks] = w->n_read = i;
    return code;
}

// The vector of text i; *fresh: how many new ones of the block there were before it.
static const float *vector_of(const struct writing *w, size_t i, size_t *fresh)
{
    const size_t source = w->sources[i];
    return source == NEW ? w->fresh + (*fresh)++ * w->width : w->index->vectors + source * w->width;
}

// Writes the texts from the first-th up to end; without_new: those alone that the index had.
static enum ga_exit put_block(struct writing *w, size_t first, size_t end, bool without_new)
{
    const struct ga_corpus *corpus = w->update->corpus;
    size_t count = 0, fresh = 0;
    for (size_t i = first; i < end; i++) {
        if (!without_new || w->sources[i] != NEW) {
            float *row = w->rows + count * w->width;
            memcpy(row, vector_of(w, i, &fresh), w->width * sizeof *row);
            ga_index_put_entry(corpus->marks[i], row, w->width, w->entries + (w->file.rows + count) * GA_INDEX_ENTRY);
            count++;
        }
    }
    return ga_rows_file_put(&w->file, w->rows, count)
               ? GA_EXIT_OK
               : ga_failed(w->update->context, "%s: could not be written: %s", w->index->path, strerror(errno));
}

// After a failure at the first-th text: vectors that were there or were computed before are no less right for it.
static void keep_known(struct writing *w, size_t first)
{
    const size_t count = w->update->corpus->count, fresh = w->update->pooling->done;
    w->is_kept = fresh > 0;
    for (; w->is_kept && first < count; first += GA_BLOCK_TEXTS) {
        const size_t end = count - first < GA_BLOCK_TEXTS ? count : first + GA_BLOCK_TEXTS;
        w->is_kept = put_block(w, first, end, true) == GA_EXIT_OK;
    }
    if (w->is_kept) {
        ga_note(w->update->context, "%s: keeps what was computed of %zu texts; another search goes on from there",
                w->index->path, fresh);
    }
}

// Computes what is new among the next texts, and says where the block ends.
static enum ga_exit compute_block(struct writing *w, size_t *end_out)
{
    struct ga_pooling *pooling = w->update->pooling;
    const struct ga_text_block *block;
    const enum ga_exit code = ga_text_ahead_next(&w->ahead, &block);
    if (code != GA_EXIT_OK) {
        return code;
    }
    *end_out = w->ends[block - w->ahead.blocks];
    pooling->begin = pooling->end;
    pooling->end = (double)(pooling->done + block->sequences.count) / (double)w->update->n_new;
    w->update->n_cut += block->n_cut;
    return ga_pool_sequences(pooling, &block->sequences, w->fresh);
}

static enum ga_exit put_blocks(struct writing *w)
{
    enum ga_exit code = GA_EXIT_OK;
    for (size_t first = 0, end = 0; first < w->update->corpus->count && code == GA_EXIT_OK; first = end) {
        code = compute_block(w, &end);
        if (code != GA_EXIT_OK) {
            keep_known(w, first);
            return code;
        }
        code = put_block(w, first, end, false);
    }
    return code;
}

static enum ga_exit write_file(struct writing *w)
{
    const struct ga_context *context = w->update->context;
    char metadata[GA_INDEX_METADATA];
    const struct ga_rows_about about = {
        .tensor = GA_INDEX_VECTORS,
        .metadata = ga_index_metadata(w->update->maker, metadata),
        .entries = "entries",
        .bytes = w->entries,
        .entry_size = GA_INDEX_ENTRY,
    };
    struct ga_error error;
    if (ga_rows_file_new(w->index->path, w->width, GA_ROWS_DESCRIBED, &w->file, &error) != GA_OK) {
        return ga_failed(context, "%s; --index FILE puts the index elsewhere", error.text);
    }
    w->update->pooling->meanwhile = ga_text_ahead_read;
    w->update->pooling->meanwhile_context = &w->ahead;
    const enum ga_exit code = put_blocks(w);
    w->update->pooling->meanwhile = NULL;
    const bool good = code == GA_EXIT_OK || w->is_kept;
    const enum ga_status status = ga_rows_file_end(&w->file, good, &about, &error);
    return !good || status == GA_OK ? code : ga_failed(context, "%s", error.text);
}

static enum ga_exit write_index(struct ga_index_update *update, const struct ga_search_index *index,
                                const size_t *sources)
{
    const struct ga_context *context = update->context;
    struct writing w = {.update = update, .index = index, .sources = sources, .width = index->width};
    w.ahead = (struct ga_text_ahead){.read = read_block, .context = &w};
    const size_t bytes = GA_BLOCK_TEXTS * w.width * sizeof *w.rows;
    w.fresh = ga_block_room(bytes);
    w.rows = ga_block_room(bytes);
    w.entries = malloc(update->corpus->count * GA_INDEX_ENTRY + 1);
    enum ga_exit code = w.fresh && w.rows && w.entries
                            ? ga_texts_open(context, update->corpus->path, update->corpus->nul, &w.texts)
                            : ga_failed(context, "no memory for vectors of %zu texts", update->corpus->count);
    if (code == GA_EXIT_OK) {
        code = write_file(&w);
    }
    ga_texts_close(&w.texts);
    ga_text_ahead_close(&w.ahead);
    ga_block_free(w.fresh);
    ga_block_free(w.rows);
    free(w.entries);
    return code;
}

enum ga_exit ga_search_index_update(struct ga_index_update *update, struct ga_search_index *index)
{
    const char *path = index->path;
    size_t *sources = find_sources(update->corpus, index, &update->n_new);
    if (!sources) {
        return ga_failed(update->context, "no memory for a list of %zu texts", update->corpus->count);
    }
    enum ga_exit code = GA_EXIT_OK;
    if (!is_current(update->corpus, index, update->n_new)) {
        code = write_index(update, index, sources);
        ga_search_index_close(index);
        code = code == GA_EXIT_OK ? ga_search_index_open(update->context, path, update->maker, index) : code;
    }
    free(sources);
    return code;
}
