// shard_file.c: the header as JSON, blocks with a checksum each, and a lock on the file that is written.
#define _POSIX_C_SOURCE 200809L
#include "shard_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic_file.h"
#include "checksum.h"
#include "text_file.h"

static const char FORMAT[] = "genattn shard 1";

enum { SUM = sizeof(uint64_t), VALUE = 96 }; // VALUE: bytes of a value of the header in a message

// -- The header -----------------------------------------------------------------------------------------------------

static void put_header(const struct ga_shard_maker *maker, size_t width, char text[GA_SHARD_HEADER])
{
    const struct ga_index_maker *m = &maker->maker;
    const struct ga_shard *shard = &maker->shard;
    snprintf(text, GA_SHARD_HEADER,
             "{\"format\":\"%s\",\"model\":\"%s\",\"bits_revision\":\"%s\",\"spec\":\"%s\",\"weights\":\"%s\","
             "\"tokenizer\":\"%s\",\"corpus\":\"%016" PRIx64 "\",\"prompt\":\"%016" PRIx64
             "\",\"texts\":%zu,\"width\":%zu,\"shards\":%zu,\"shard\":%zu,\"block\":%zu}",
             FORMAT, m->model, m->bits, m->spec, m->weights, m->tokenizer, maker->corpus, maker->prompt, shard->texts,
             width, shard->of, shard->index, shard->block);
}

static const struct part {
    const char *key, *what; // what: in words, what another value means
} parts[] = {
    {"model", "another model"},
    {"bits_revision", "another bits revision"},
    {"spec", "another spec"},
    {"weights", "other weights"},
    {"tokenizer", "another tokenizer"},
    {"corpus", "another corpus"},
    {"prompt", "another prompt"},
    {"texts", "another corpus"},
    {"width", "another width of embeddings"},
    {"shards", "another number of shards"},
    {"shard", "another index of the shard"},
    {"block", "other blocks"},
};

// A value of the header as text.
static const char *value_text(const json_t *header, const char *key, char text[VALUE])
{
    const json_t *value = json_object_get(header, key);
    if (json_is_integer(value)) {
        snprintf(text, VALUE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        snprintf(text, VALUE, "%s", value ? json_string_value(value) : "none");
    }
    return text;
}

// Whether a file agrees with a header in each key that the header has; says what differs where it does not. than: what
// has the header, for the message; advice ends it.
static enum ga_exit check(const struct ga_shard_file *file, const json_t *expected, const char *than,
                          const char *advice)
{
    json_t *header = json_loads(file->header, 0, NULL);
    const struct part *other = NULL;
    char found[VALUE], wanted[VALUE];
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !other; i++) {
        const json_t *value = json_object_get(expected, parts[i].key);
        other = value && !json_equal(value, json_object_get(header, parts[i].key)) ? &parts[i] : NULL;
    }
    if (other) {
        ga_failed(file->context, "%s: was made with %s%s (%s: found %s, expected %s)%s", file->path, other->what, than,
                  other->key, value_text(header, other->key, found), value_text(expected, other->key, wanted), advice);
    }
    json_decref(header);
    return other ? GA_EXIT_FAILED : GA_EXIT_OK;
}

enum ga_exit ga_shard_check_program(const struct ga_shard_file *file)
{
    const struct ga_model *model = file->context->model;
    const struct ga_model_instance none = {0};
    const struct ga_index_maker maker = ga_index_maker_of(model, &none, 0);
    json_t *expected = json_pack("{ssssss}", "model", maker.model, "bits_revision", maker.bits, "spec", maker.spec);
    const enum ga_exit code = check(file, expected, "", "");
    json_decref(expected);
    return code;
}

enum ga_exit ga_shard_check_same(const struct ga_shard_file *file, const struct ga_shard_file *first)
{
    json_t *expected = json_loads(first->header, 0, NULL);
    char than[4096];
    (void)json_object_del(expected, "shard");
    snprintf(than, sizeof than, " than %s", first->path);
    const enum ga_exit code = check(file, expected, than, "");
    json_decref(expected);
    return code;
}

// The shard of a header; false where it is not one.
static bool read_shard(const char *text, struct ga_shard *shard, size_t *width)
{
    json_t *header = json_loads(text, 0, NULL);
    const char *format = "";
    json_int_t texts = 0, wide = 0, of = 0, index = 0, block = 0;
    const bool is = json_unpack(header, "{sssIsIsIsIsI}", "format", &format, "texts", &texts, "width", &wide, "shards",
                                &of, "shard", &index, "block", &block) == 0 &&
                    strcmp(format, FORMAT) == 0 && texts >= 0 && wide > 0 && block > 0 && of > 0 &&
                    of <= GA_MOST_SHARDS && index >= 0 && index < of && block <= GA_MOST_BLOCK &&
                    texts <= INT64_MAX / (json_int_t)sizeof(float) / 2 / wide;
    *shard = (struct ga_shard){(size_t)index, (size_t)of, (size_t)texts, (size_t)block};
    *width = (size_t)wide;
    json_decref(header);
    return is;
}

static enum ga_exit read_header(struct ga_shard_file *file)
{
    const size_t read = fread(file->header, 1, GA_SHARD_HEADER, file->file);
    const bool is_whole = read == GA_SHARD_HEADER && file->header[GA_SHARD_HEADER - 1] == '\n';
    file->header[GA_SHARD_HEADER - 1] = '\0';
    return is_whole && read_shard(file->header, &file->shard, &file->width)
               ? GA_EXIT_OK
               : ga_failed(file->context, "%s: is not a shard that embed made; expected one", file->path);
}

// -- Blocks ---------------------------------------------------------------------------------------------------------

static size_t floats_of(const struct ga_shard_file *file, size_t i)
{
    size_t count;
    (void)ga_shard_block(&file->shard, i, &count);
    return count * file->width;
}

// Where own block i begins; `done` of it: where the file ends.
static off_t place_of(const struct ga_shard_file *file, size_t i)
{
    return (off_t)(GA_SHARD_HEADER + ga_shard_texts(&file->shard, i) * file->width * sizeof(float) + i * SUM);
}

bool ga_shard_read(struct ga_shard_file *file, size_t i, float *rows_out)
{
    const size_t floats = floats_of(file, i);
    unsigned char sum[SUM];
    return fread(rows_out, sizeof *rows_out, floats, file->file) == floats && fread(sum, 1, SUM, file->file) == SUM &&
           ga_checksum(rows_out, floats * sizeof *rows_out) == ga_read_u64(sum);
}

enum ga_exit ga_shard_put(struct ga_shard_file *file, const float *rows)
{
    const size_t floats = floats_of(file, file->done);
    unsigned char sum[SUM];
    ga_write_u64(sum, ga_checksum(rows, floats * sizeof *rows));
    if (fwrite(rows, sizeof *rows, floats, file->file) != floats || fwrite(sum, 1, SUM, file->file) != SUM ||
        fflush(file->file) != 0) {
        return ga_failed(file->context, "%s: could not be written: %s", file->path, strerror(errno));
    }
    file->done++;
    return GA_EXIT_OK;
}

// By the file's size.
static void count_blocks(struct ga_shard_file *file)
{
    struct stat st;
    const size_t blocks = ga_shard_blocks(&file->shard);
    const off_t size = fstat(fileno(file->file), &st) == 0 ? st.st_size : 0;
    while (file->done < blocks && place_of(file, file->done + 1) <= size) {
        file->done++;
    }
}

// -- Files ----------------------------------------------------------------------------------------------------------

enum ga_exit ga_shard_open(const struct ga_context *context, const char *path, struct ga_shard_file *file_out)
{
    *file_out = (struct ga_shard_file){.context = context, .path = path, .file = ga_text_open(context, path)};
    const enum ga_exit code = file_out->file ? read_header(file_out) : GA_EXIT_FAILED;
    if (code == GA_EXIT_OK) {
        count_blocks(file_out);
    }
    return code;
}

// Of two processes that write one file the second is refused. A file system without locks lets both.
static enum ga_exit lock(const struct ga_shard_file *file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const bool is_taken = fcntl(fileno(file->file), F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN);
    return is_taken ? ga_failed(file->context, "%s: another process writes it; wait until it ends", file->path)
                    : GA_EXIT_OK;
}

static enum ga_exit open_to_write(struct ga_shard_file *file)
{
    file->file = fopen(file->path, "r+b");
    return file->file ? lock(file) : ga_failed(file->context, "%s: cannot be opened: %s", file->path, strerror(errno));
}

// Counts the blocks before the first damaged one, and cuts the file there.
static enum ga_exit keep_sound(struct ga_shard_file *file)
{
    const size_t blocks = ga_shard_blocks(&file->shard);
    struct stat st;
    float *rows = malloc(file->shard.block * file->width * sizeof *rows);
    while (rows && file->done < blocks && ga_shard_read(file, file->done, rows)) {
        file->done++;
    }
    free(rows);
    const off_t end = place_of(file, file->done);
    if (!rows || fstat(fileno(file->file), &st) != 0 || ftruncate(fileno(file->file), end) != 0 ||
        fseeko(file->file, end, SEEK_SET) != 0) {
        return ga_failed(file->context, "%s: cannot be resumed: %s", file->path, strerror(errno));
    }
    if (st.st_size > end) {
        ga_note(file->context, "%s: block %zu is damaged or was not finished; it and those after it are computed again",
                file->path, file->done);
    }
    return GA_EXIT_OK;
}

static enum ga_exit resume(struct ga_shard_file *file, const char *wanted)
{
    json_t *expected = json_loads(wanted, 0, NULL);
    enum ga_exit code = open_to_write(file);
    code = code == GA_EXIT_OK ? read_header(file) : code;
    if (code == GA_EXIT_OK) {
        code = check(file, expected, "", "; without --resume it is made anew");
    }
    json_decref(expected);
    return code == GA_EXIT_OK ? keep_sound(file) : code;
}

static enum ga_exit begin(struct ga_shard_file *file)
{
    char padded[GA_SHARD_HEADER];
    struct ga_error error;
    memset(padded, ' ', sizeof padded);
    memcpy(padded, file->header, strlen(file->header));
    padded[sizeof padded - 1] = '\n';
    if (ga_atomic_file_write(file->path, padded, sizeof padded, &error) != GA_OK) {
        return ga_failed(file->context, "%s", error.text);
    }
    const enum ga_exit code = open_to_write(file);
    return code != GA_EXIT_OK || fseeko(file->file, GA_SHARD_HEADER, SEEK_SET) == 0
               ? code
               : ga_failed(file->context, "%s: cannot be written: %s", file->path, strerror(errno));
}

enum ga_exit ga_shard_begin(const struct ga_context *context, const char *path, const struct ga_shard_maker *maker,
                            bool resumes, struct ga_shard_file *file_out)
{
    *file_out =
        (struct ga_shard_file){.context = context, .path = path, .shard = maker->shard, .width = maker->maker.width};
    put_header(maker, file_out->width, file_out->header);
    char wanted[GA_SHARD_HEADER];
    memcpy(wanted, file_out->header, sizeof wanted);
    return resumes && access(path, F_OK) == 0 ? resume(file_out, wanted) : begin(file_out);
}

enum ga_exit ga_shard_close(struct ga_shard_file *file, enum ga_exit code)
{
    const bool is_flushed = !file->file || fsync(fileno(file->file)) == 0;
    const bool is_closed = !file->file || fclose(file->file) == 0;
    file->file = NULL;
    return code != GA_EXIT_OK || (is_flushed && is_closed)
               ? code
               : ga_failed(file->context, "%s: could not be written: %s", file->path, strerror(errno));
}
