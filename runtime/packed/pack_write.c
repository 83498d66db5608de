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

// An underscore, then characters that names of sections may have; that it is no longer than a section's name.
static enum ga_status check_attachment(const char *path, const struct ga_pack_attachment *attachment,
                                       struct ga_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const char *name = attachment->name;
    if (name == NULL || name[0] != '_' || name[1] == '\0' || name[strspn(name, letters)] != '\0' ||
        strlen(name) >= GA_PACK_ISA) {
        return ga_fail(
            error, GA_ARGUMENT,
            "%s: the attachment's name is not an underscore with 1 to %d small letters, digits and underscores "
            "after it",
            path, GA_PACK_ISA - 2);
    }
    return attachment->bytes == NULL && attachment->size > 0
               ? ga_fail(error, GA_ARGUMENT, "%s: the bytes of %s are NULL", path, name + 1)
               : GA_OK;
}

// What the file's sections hold, in order, and the number of the weights.
struct content {
    uint64_t weights;
    size_t count;
    struct ga_pack_attachment sections[GA_PACK_SECTIONS];
};

static struct content content_of(const struct ga_loaded *const *loaded, size_t count, uint64_t weights,
                                 const struct ga_pack_attachment *attachment)
{
    struct content content = {.weights = weights, .count = count};
    for (size_t i = 0; i < count; i++) {
        const struct ga_variant *variant = loaded[i]->variant;
        content.sections[i] = (struct ga_pack_attachment){
            .name = variant->isa, .hash = variant->packing, .bytes = loaded[i]->packed, .size = variant->packed_bytes};
    }
    if (attachment != NULL) {
        content.sections[content.count++] = *attachment;
    }
    return content;
}

// Writes the sections' entries; returns where the file ends.
static size_t put_sections(unsigned char *header, const struct content *content)
{
    size_t end = GA_PACK_HEADER;
    for (size_t i = 0; i < content->count; i++) {
        const struct ga_pack_attachment *section = &content->sections[i];
        unsigned char *at = header + GA_PACK_AT_SECTIONS + i * GA_PACK_ENTRY;
        memcpy(at, section->name, strlen(section->name));
        ga_write_u64(at + GA_PACK_ISA, section->hash);
        ga_write_u64(at + GA_PACK_ISA + 8, ga_pack_next(end));
        ga_write_u64(at + GA_PACK_ISA + 16, section->size);
        ga_write_u64(at + GA_PACK_ISA + 24, ga_checksum_of_parts(section->bytes, section->size));
        end = ga_pack_next(end) + section->size;
    }
    return end;
}

// Returns the size of the file.
static size_t make_header(unsigned char header[GA_PACK_HEADER], const struct ga_model *model,
                          const struct content *content)
{
    memset(header, 0, GA_PACK_HEADER);
    memcpy(header, GA_PACK_MAGIC, GA_PACK_MAGIC_BYTES);
    ga_write_u32(header + GA_PACK_AT_VERSION, GA_PACK_VERSION);
    ga_write_u32(header + GA_PACK_AT_HEADER, GA_PACK_HEADER);
    ga_write_u32(header + GA_PACK_AT_ORDER, ga_pack_native_order());
    ga_write_u32(header + GA_PACK_AT_ABI, GA_ABI);
    ga_write_u64(header + GA_PACK_AT_SPEC, ga_pack_spec(model));
    ga_write_u32(header + GA_PACK_AT_COUNT, (uint32_t)content->count);
    ga_write_u32(header + GA_PACK_AT_BITS, model->bits_revision);
    memcpy(header + GA_PACK_AT_NAME, model->name, strlen(model->name));
    const size_t size = put_sections(header, content);
    const uint64_t first = ga_read_u64(header + GA_PACK_AT_SECTIONS + GA_PACK_ISA + 24); // its checksum
    ga_write_u64(header + GA_PACK_AT_WEIGHTS, content->weights != 0 ? content->weights : first);
    ga_write_u64(header + GA_PACK_AT_SIZE, size);
    ga_write_u64(header + GA_PACK_AT_CHECKSUM, ga_checksum(header, GA_PACK_AT_CHECKSUM));
    return size;
}

static bool put_content(const struct ga_atomic_file *file, const unsigned char header[GA_PACK_HEADER],
                        const struct content *content)
{
    static const unsigned char zeros[GA_PACK_HEADER];
    bool good = ga_atomic_file_put(file, header, GA_PACK_HEADER);
    for (size_t i = 0, end = GA_PACK_HEADER; i < content->count && good; i++) {
        const size_t bytes = content->sections[i].size, begin = ga_pack_next(end);
        good =
            ga_atomic_file_put(file, zeros, begin - end) && ga_atomic_file_put(file, content->sections[i].bytes, bytes);
        end = begin + bytes;
    }
    return good;
}

// The header is read back first, so that nothing is written that would be refused.
static enum ga_status write_file(const char *path, const struct ga_model *model, const struct content *content,
                                 struct ga_error *error)
{
    unsigned char header[GA_PACK_HEADER];
    struct ga_pack pack;
    struct ga_atomic_file file;
    const size_t size = make_header(header, model, content);
    enum ga_status status = ga_pack_parse(header, size, path, &pack, error);
    if (status == GA_OK) {
        status = ga_atomic_file_new(path, &file, error);
    }
    return status == GA_OK ? ga_atomic_file_end(&file, put_content(&file, header, content), error) : status;
}

enum ga_status ga_pack_write_with(const char *path, const struct ga_loaded *const *loaded, size_t count,
                                  uint64_t weights, const struct ga_pack_attachment *attachment, struct ga_error *error)
{
    const size_t most = GA_PACK_SECTIONS - (attachment != NULL);
    if (path == NULL || loaded == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_write: %s is NULL", path == NULL ? "path" : "loaded");
    }
    if (count == 0 || count > most) {
        return ga_fail(error, GA_ARGUMENT, "%s: %zu packed weights; expected 1..%zu", path, count, most);
    }
    enum ga_status status = check_loaded(path, loaded, count, error);
    if (status == GA_OK && attachment != NULL) {
        status = check_attachment(path, attachment, error);
    }
    if (status != GA_OK) {
        return status;
    }
    const struct content content = content_of(loaded, count, weights, attachment);
    return write_file(path, loaded[0]->model, &content, error);
}

enum ga_status ga_pack_write(const char *path, const struct ga_loaded *const *loaded, size_t count,
                             struct ga_error *error)
{
    return ga_pack_write_with(path, loaded, count, 0, NULL, error);
}
