// pack_write.c: packed weights written as a file that is whole or not there. What it writes, pack_file.c reads.
#include <string.h>

#include "atomic_file.h"
#include "call.h"
#include "checksum.h"
#include "pack_parts.h"

static enum ga_status check_loaded(const char *path, const struct ga_loaded *const *loaded, size_t count,
                                   struct ga_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (loaded[i] == NULL) {
            return ga_fail(error, GA_ARGUMENT, "%s: weights %zu of %zu are NULL", path, i, count);
        }
        const enum ga_status status = ga_call_loaded("ga_pack_write", loaded[i], error);
        if (status != GA_OK) {
            return status;
        }
        if (!ga_model_same(loaded[i]->model, loaded[0]->model)) {
            return ga_fail(error, GA_ARGUMENT, "%s: weights %zu of %zu are another model's", path, i, count);
        }
        for (size_t j = 0; j < i; j++) {
            if (loaded[j]->variant == loaded[i]->variant) {
                return ga_fail(error, GA_ARGUMENT, "%s: two of the weights are packed for %s", path,
                               loaded[i]->variant->isa);
            }
        }
        if (strlen(loaded[i]->variant->isa) >= GA_PACK_ISA) {
            return ga_fail(error, GA_ARGUMENT, "%s: %s: expected a name of at most %d letters", path,
                           loaded[i]->variant->isa, GA_PACK_ISA - 1);
        }
    }
    if (strlen(loaded[0]->model->name) >= GA_PACK_NAME) {
        return ga_fail(error, GA_ARGUMENT, "%s: the model's name is too long; expected at most %d letters", path,
                       GA_PACK_NAME - 1);
    }
    return GA_OK;
}

// Writes the sections' entries; returns where the file ends.
static size_t put_sections(unsigned char *header, const struct ga_loaded *const *loaded, size_t count)
{
    size_t end = GA_PACK_HEADER;
    for (size_t i = 0; i < count; i++) {
        const struct ga_variant *variant = loaded[i]->variant;
        unsigned char *at = header + GA_PACK_AT_SECTIONS + i * GA_PACK_ENTRY;
        memcpy(at, variant->isa, strlen(variant->isa));
        ga_write_u64(at + GA_PACK_ISA, variant->packing);
        ga_write_u64(at + GA_PACK_ISA + 8, ga_pack_next(end));
        ga_write_u64(at + GA_PACK_ISA + 16, variant->packed_bytes);
        ga_write_u64(at + GA_PACK_ISA + 24, ga_checksum(loaded[i]->packed, variant->packed_bytes));
        end = ga_pack_next(end) + variant->packed_bytes;
    }
    return end;
}

// Returns the size of the file.
static size_t make_header(unsigned char header[GA_PACK_HEADER], const struct ga_loaded *const *loaded, size_t count)
{
    const struct ga_model *model = loaded[0]->model;
    memset(header, 0, GA_PACK_HEADER);
    memcpy(header, GA_PACK_MAGIC, GA_PACK_MAGIC_BYTES);
    ga_write_u32(header + GA_PACK_AT_VERSION, GA_PACK_VERSION);
    ga_write_u32(header + GA_PACK_AT_HEADER, GA_PACK_HEADER);
    ga_write_u32(header + GA_PACK_AT_ORDER, ga_pack_native_order());
    ga_write_u32(header + GA_PACK_AT_ABI, GA_ABI);
    ga_write_u64(header + GA_PACK_AT_SPEC, ga_pack_spec(model));
    ga_write_u32(header + GA_PACK_AT_COUNT, (uint32_t)count);
    memcpy(header + GA_PACK_AT_NAME, model->name, strlen(model->name));
    const size_t size = put_sections(header, loaded, count);
    ga_write_u64(header + GA_PACK_AT_SIZE, size);
    ga_write_u64(header + GA_PACK_AT_CHECKSUM, ga_checksum(header, GA_PACK_AT_CHECKSUM));
    return size;
}

static bool put_content(const struct ga_atomic_file *file, const unsigned char header[GA_PACK_HEADER],
                        const struct ga_loaded *const *loaded, size_t count)
{
    static const unsigned char zeros[GA_PACK_HEADER];
    bool good = ga_atomic_file_put(file, header, GA_PACK_HEADER);
    for (size_t i = 0, end = GA_PACK_HEADER; i < count && good; i++) {
        const size_t bytes = loaded[i]->variant->packed_bytes, begin = ga_pack_next(end);
        good = ga_atomic_file_put(file, zeros, begin - end) && ga_atomic_file_put(file, loaded[i]->packed, bytes);
        end = begin + bytes;
    }
    return good;
}

// The header is read back first, so that nothing is written that would be refused.
static enum ga_status write_file(const char *path, const struct ga_loaded *const *loaded, size_t count,
                                 struct ga_error *error)
{
    unsigned char header[GA_PACK_HEADER];
    struct ga_pack pack;
    struct ga_atomic_file file;
    const size_t size = make_header(header, loaded, count);
    enum ga_status status = ga_pack_parse(header, size, path, &pack, error);
    if (status == GA_OK) {
        status = ga_atomic_file_new(path, &file, error);
    }
    return status == GA_OK ? ga_atomic_file_end(&file, put_content(&file, header, loaded, count), error) : status;
}

enum ga_status ga_pack_write(const char *path, const struct ga_loaded *const *loaded, size_t count,
                             struct ga_error *error)
{
    if (path == NULL || loaded == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_write: %s is NULL", path == NULL ? "path" : "loaded");
    }
    if (count == 0 || count > GA_PACK_SECTIONS) {
        return ga_fail(error, GA_ARGUMENT, "%s: %zu packed weights; expected 1..%d", path, count, GA_PACK_SECTIONS);
    }
    enum ga_status status = check_loaded(path, loaded, count, error);
    return status == GA_OK ? write_file(path, loaded, count, error) : status;
}
