// search_index.c: tells an index by its metadata, compares what made it, and checks each vector.
#define _POSIX_C_SOURCE 200809L
#include "search_index.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "text_file.h"

static const char FORMAT[] = "genattn search index 1";

enum { PREFIX = 8 }; // bytes of a safetensors file that say how long its header is

// A part of what made an index: its key in the metadata, the value that is expected there, and in words what another
// value means.
struct part {
    const char *key, *value, *what;
};

// -- What made it ---------------------------------------------------------------------------------------------------

static void put_digits(uint64_t checksum, char text[GA_INDEX_MADE])
{
    snprintf(text, GA_INDEX_MADE, "%016" PRIx64, checksum);
}

struct ga_index_maker ga_index_maker_of(const struct ga_model *model, const struct ga_model_instance *instance,
                                        uint64_t tokenizer)
{
    struct ga_index_maker maker = {.model = model->name, .width = model->stack->d_embedding};
    snprintf(maker.bits, sizeof maker.bits, "%" PRIu32, model->bits_revision);
    put_digits(ga_checksum(model->spec, strlen(model->spec)), maker.spec);
    put_digits(instance->weights, maker.weights);
    put_digits(tokenizer, maker.tokenizer);
    return maker;
}

char *ga_index_metadata(const struct ga_index_maker *maker, char text[GA_INDEX_METADATA])
{
    snprintf(text, GA_INDEX_METADATA,
             "{\"format\":\"%s\",\"model\":\"%s\",\"bits_revision\":\"%s\",\"spec\":\"%s\",\"weights\":\"%s\","
             "\"tokenizer\":\"%s\"}",
             FORMAT, maker->model, maker->bits, maker->spec, maker->weights, maker->tokenizer);
    return text;
}

// Whether an index's metadata agree with a maker in all parts; where not, the first other one and what was found there.
// An index made before there were revisions has none.
static bool agrees(const struct ga_index_maker *maker, const json_t *metadata, struct part *other_out,
                   const char **found_out)
{
    const struct part parts[] = {
        {"model", maker->model, "another model"},
        {"bits_revision", maker->bits, "another bits revision"},
        {"spec", maker->spec, "another spec of the model"},
        {"weights", maker->weights, "other weights"},
        {"tokenizer", maker->tokenizer, "another tokenizer"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *found = json_string_value(json_object_get(metadata, parts[i].key));
        if (!found || strcmp(found, parts[i].value) != 0) {
            *other_out = parts[i];
            *found_out = found ? found : "none";
            return false;
        }
    }
    return true;
}

// -- The file -------------------------------------------------------------------------------------------------------

// The header's text of what may be a safetensors file, up to the room of an index's; its length, 0 where there is none.
static size_t read_header(FILE *file, char *text, size_t room)
{
    unsigned char prefix[PREFIX];
    if (fread(prefix, 1, PREFIX, file) != PREFIX) {
        return 0;
    }
    const uint64_t length = ga_read_u64(prefix);
    return length <= room && fread(text, 1, (size_t)length, file) == length ? (size_t)length : 0;
}

// The metadata of an index, which the caller releases; NULL where the file is none.
static json_t *read_metadata(FILE *file)
{
    enum { ROOM = 4096 };
    char text[ROOM];
    const size_t length = read_header(file, text, ROOM);
    json_t *root = length > 0 ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *metadata = json_incref(json_object_get(root, "__metadata__"));
    const char *format = json_string_value(json_object_get(metadata, "format"));
    const bool is_index = format && strcmp(format, FORMAT) == 0;
    json_decref(root);
    if (!is_index) {
        json_decref(metadata);
    }
    return is_index ? metadata : NULL;
}

// What mktemp made, or a disk that was full: there is nothing in it that could be lost.
static bool is_empty(FILE *file)
{
    struct stat st;
    return fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

// Whether the file, an index, is of this maker; says what is other where it is not. Vectors of two makers never stand
// in one index.
static bool is_of(const struct ga_context *context, const char *path, const json_t *metadata,
                  const struct ga_index_maker *maker)
{
    struct part other;
    const char *found;
    const bool is = agrees(maker, metadata, &other, &found);
    if (!is) {
        ga_note(context, "%s: this index was made with %s; it is made anew (%s: found %s, expected %s)", path,
                other.what, other.key, found, other.value);
    }
    return is;
}

static enum ga_exit find_vectors(struct ga_search_index *index)
{
    const struct ga_tensor *vectors = ga_weights_find(index->file, GA_INDEX_VECTORS);
    const struct ga_tensor *entries = ga_weights_find(index->file, "entries");
    const bool fits = vectors && entries && vectors->dtype == GA_F32 && vectors->rank == 2 &&
                      vectors->shape[1] == index->width && entries->dtype == GA_U8 &&
                      ga_tensor_has_shape(entries, 2, (const size_t[]){vectors->shape[0], GA_INDEX_ENTRY});
    if (fits) {
        index->count = vectors->shape[0];
        index->vectors = vectors->data;
        index->entries = entries->data;
    }
    return fits ? GA_EXIT_OK : GA_EXIT_FAILED;
}

static enum ga_exit check_vectors(const struct ga_context *context, struct ga_search_index *index)
{
    index->damaged = calloc(index->count + 1, sizeof *index->damaged);
    if (!index->damaged) {
        return ga_failed(context, "%s: no memory for %zu texts", index->path, index->count);
    }
    const size_t bytes = index->width * sizeof *index->vectors;
    for (size_t i = 0; i < index->count; i++) {
        const uint64_t written = ga_read_u64(index->entries + i * GA_INDEX_ENTRY + 16);
        index->damaged[i] = ga_checksum(index->vectors + i * index->width, bytes) != written;
        index->n_damaged += index->damaged[i];
    }
    if (index->n_damaged > 0) {
        ga_note(context, "%s: %zu of %zu vectors are damaged; they are computed again", index->path, index->n_damaged,
                index->count);
    }
    return GA_EXIT_OK;
}

// Maps an index of the right maker; one that is damaged is left closed, with a word.
static enum ga_exit map(const struct ga_context *context, struct ga_search_index *index)
{
    const struct ga_weights_options options = {.in_place = true};
    struct ga_error error;
    if (ga_weights_open_with(index->path, &options, &index->file, &error) != GA_OK) {
        ga_note(context, "%s; the index is made anew", error.text);
        return GA_EXIT_OK;
    }
    if (find_vectors(index) != GA_EXIT_OK) {
        ga_note(context,
                "%s: has no tensors embedding F32 [texts, %zu] and entries U8 [texts, %d]; the index is made anew",
                index->path, index->width, GA_INDEX_ENTRY);
        return GA_EXIT_OK;
    }
    return check_vectors(context, index);
}

enum ga_exit ga_search_index_open(const struct ga_context *context, const char *path,
                                  const struct ga_index_maker *maker, struct ga_search_index *index_out)
{
    *index_out = (struct ga_search_index){.path = path, .width = maker->width};
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return GA_EXIT_OK;
    }
    FILE *file = ga_text_open(context, path);
    if (!file) {
        return GA_EXIT_FAILED;
    }
    const bool is_new = is_empty(file);
    json_t *metadata = read_metadata(file);
    (void)fclose(file); // it was only read
    if (is_new) {
        return GA_EXIT_OK;
    }
    if (!metadata) {
        return ga_failed(context,
                         "%s: is not an index that search made, so it is not overwritten; expected one, or no such "
                         "file: --index FILE gives another name",
                         path);
    }
    const enum ga_exit code = is_of(context, path, metadata, maker) ? map(context, index_out) : GA_EXIT_OK;
    json_decref(metadata);
    return code;
}

struct ga_text_mark ga_index_mark(const struct ga_search_index *index, size_t i)
{
    const unsigned char *entry = index->entries + i * GA_INDEX_ENTRY;
    return (struct ga_text_mark){ga_read_u64(entry), ga_read_u64(entry + 8)};
}

void ga_index_put_entry(struct ga_text_mark mark, const float *vector, size_t width,
                        unsigned char entry_out[GA_INDEX_ENTRY])
{
    ga_write_u64(entry_out, mark.checksum);
    ga_write_u64(entry_out + 8, mark.length);
    ga_write_u64(entry_out + 16, ga_checksum(vector, width * sizeof *vector));
}

void ga_search_index_close(struct ga_search_index *index)
{
    ga_weights_close(index->file);
    free(index->damaged);
    *index = (struct ga_search_index){0};
}
