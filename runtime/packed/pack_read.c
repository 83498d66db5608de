// pack_read.c: packed weights from a file or from memory: read into a caller's block or used where they lie, their
// checksum compared first. Knows what it may read from the header, which was checked.
#define _FILE_OFFSET_BITS 64
#define _DEFAULT_SOURCE // madvise
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "call.h"
#include "checksum.h"
#include "pack_parts.h"

enum {
    PIECE = 256 * 1024, // bytes read and then summed while they are in cache
    SMALL_PIECE = 4096, // of what is read only to be looked at
    MAPPED_PIECE = 4 << 20,
};
_Static_assert(PIECE % GA_CHECKSUM_BLOCK == 0 && SMALL_PIECE % GA_CHECKSUM_BLOCK == 0 &&
                   MAPPED_PIECE % GA_CHECKSUM_BLOCK == 0,
               "pieces are whole blocks");

// -- Checks ---------------------------------------------------------------------------------------------------------

enum ga_status ga_pack_compare(const struct ga_pack *pack, const struct ga_pack_section *section, uint64_t sum,
                               struct ga_error *error)
{
    char content[GA_PACK_CONTENT];
    return sum == section->checksum
               ? GA_OK
               : ga_fail_at(error, GA_FORMAT, GA_FAULT_PACK_DAMAGED, section->offset,
                            "%s: the checksum of %s is %016llx; expected %016llx: the file is damaged; pack the "
                            "weights again",
                            pack->label, ga_pack_content(section, content), (unsigned long long)sum,
                            (unsigned long long)section->checksum);
}

// Zeros from `begin` to `end`, which is less than a page after it.
static enum ga_status check_gap(const struct ga_pack *pack, size_t begin, size_t end, struct ga_error *error)
{
    unsigned char gap[GA_PACK_HEADER];
    const enum ga_status status = ga_pack_read_at(pack, begin, gap, end - begin, error);
    for (size_t i = 0; status == GA_OK && i < end - begin; i++) {
        if (gap[i] != 0) {
            return ga_fail_at(
                error, GA_FORMAT, GA_FAULT_PACK_DAMAGED, begin + i,
                "%s: byte %zu: expected zeros before a section: the file is damaged; pack the weights again",
                pack->label, begin + i);
        }
    }
    return status;
}

static enum ga_status check_gaps(const struct ga_pack *pack, struct ga_error *error)
{
    enum ga_status status = GA_OK;
    size_t end = GA_PACK_HEADER;
    for (size_t i = 0; i < pack->n_sections && status == GA_OK; i++) {
        status = check_gap(pack, end, pack->sections[i].offset, error);
        end = pack->sections[i].offset + pack->sections[i].bytes;
    }
    return status;
}

enum ga_status ga_pack_verify(const struct ga_pack *pack, size_t i, struct ga_error *error)
{
    if (pack == NULL || i >= pack->n_sections || pack->label == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_verify: %s", pack == NULL ? "pack is NULL" : "no such section");
    }
    const struct ga_pack_section *section = &pack->sections[i];
    struct ga_checksum_parts sum = ga_checksum_parts_start();
    enum ga_status status = check_gaps(pack, error);
    unsigned char piece[SMALL_PIECE];
    for (size_t done = 0; done < section->bytes && status == GA_OK; done += SMALL_PIECE) {
        const size_t left = section->bytes - done, size = left < SMALL_PIECE ? left : SMALL_PIECE;
        status = ga_pack_read_at(pack, section->offset + done, piece, size, error);
        ga_checksum_parts_add(&sum, piece, status == GA_OK ? size : 0);
    }
    return status == GA_OK ? ga_pack_compare(pack, section, ga_checksum_parts_end(&sum), error) : status;
}

// -- Into a block ---------------------------------------------------------------------------------------------------

static enum ga_status read_section(const struct ga_pack *pack, const struct ga_pack_section *section, bool is_verified,
                                   unsigned char *to, struct ga_error *error)
{
    struct ga_checksum_parts sum = ga_checksum_parts_start();
    enum ga_status status = is_verified ? check_gaps(pack, error) : GA_OK;
    for (size_t done = 0; done < section->bytes && status == GA_OK; done += PIECE) {
        const size_t left = section->bytes - done, size = left < PIECE ? left : PIECE;
        status = ga_pack_read_at(pack, section->offset + done, to + done, size, error);
        if (is_verified && status == GA_OK) {
            ga_checksum_parts_add(&sum, to + done, size);
        }
    }
    return status == GA_OK && is_verified ? ga_pack_compare(pack, section, ga_checksum_parts_end(&sum), error) : status;
}

// What load and map ask for alike. text: the call's name.
static enum ga_status check_arguments(const char *text, const struct ga_pack *pack, const struct ga_model *model,
                                      const struct ga_variant *variant, const void *out, struct ga_error *error)
{
    const char *null = pack == NULL      ? "pack"
                       : model == NULL   ? "model"
                       : variant == NULL ? "variant"
                       : out == NULL     ? "where the weights are to be told"
                                         : NULL;
    if (null != NULL) {
        return ga_fail(error, GA_ARGUMENT, "%s: %s is NULL", text, null);
    }
    return pack->label != NULL ? GA_OK : ga_fail(error, GA_ARGUMENT, "%s: pack was not opened", text);
}

// A block that can hold a variant's weights, and is apart from where they come from.
static enum ga_status check_block(const struct ga_pack *pack, const struct ga_model *model,
                                  const struct ga_variant *variant, const void *block, size_t size,
                                  struct ga_error *error)
{
    const struct ga_span spans[] = {
        {"the block for packed weights", block, ga_model_packed_size(variant), GA_ALIGN},
        {"pack", pack, sizeof *pack, _Alignof(struct ga_pack)},
        {"the file's bytes in memory", pack->bytes, pack->size, 1},
    };
    const enum ga_status status = ga_call_packed(model, variant, block, size, error);
    return status == GA_OK ? ga_call_spans(pack->label, spans, 3, 1, error) : status;
}

enum ga_status ga_pack_load(const struct ga_pack *pack, const struct ga_model *model, const struct ga_variant *variant,
                            enum ga_pack_trust trust, void *block, size_t size, const struct ga_loaded **loaded_out,
                            struct ga_error *error)
{
    const struct ga_pack_section *section = NULL;
    enum ga_status status = check_arguments("ga_pack_load", pack, model, variant, loaded_out, error);
    if (status != GA_OK) {
        return status;
    }
    *loaded_out = NULL;
    status = check_block(pack, model, variant, block, size, error);
    if (status == GA_OK) {
        status = ga_pack_section_of(pack, model, variant, &section, error);
    }
    unsigned char *packed = (unsigned char *)block + GA_LOADED_BYTES;
    if (status == GA_OK) {
        status = read_section(pack, section, trust == GA_PACK_VERIFY, packed, error);
    }
    if (status == GA_OK) {
        struct ga_loaded *loaded = block;
        *loaded = (struct ga_loaded){.model = model, .variant = variant, .packed = packed};
        *loaded_out = loaded;
    }
    return status;
}

// -- Where they lie -------------------------------------------------------------------------------------------------

// Maps a section; *at_out is its first byte. A mapping begins at a page, which may be larger than sections ask for.
static enum ga_status map_file(const struct ga_pack *pack, const struct ga_pack_section *section,
                               struct ga_pack_map *map, const unsigned char **at_out, struct ga_error *error)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = section->offset % page;
    map->size = before + section->bytes;
    void *address = mmap(NULL, map->size, PROT_READ, MAP_SHARED, pack->fd, (off_t)(section->offset - before));
    if (address == MAP_FAILED) {
        return ga_pack_fail_errno(pack, error, GA_FAULT_READ, "map");
    }
    map->address = address;
    *at_out = (const unsigned char *)address + before;
    return GA_OK;
}

// Makes mapped pages the system's again, no longer the process's: what a call does not read, as most rows of an
// embedding, takes none of its memory.
static void give_back(const struct ga_pack_map *map, const unsigned char *at, size_t size)
{
#ifdef MADV_DONTNEED
    if (map->address != NULL) {
        const size_t before = (size_t)(at - (const unsigned char *)map->address);
        const size_t page = (size_t)sysconf(_SC_PAGESIZE), from = before / page * page;
        (void)madvise((unsigned char *)map->address + from, before + size - from, MADV_DONTNEED);
    }
#else
    (void)map;
    (void)at;
    (void)size;
#endif
}

// The checksum of the bytes at `at`, which `map` has of the file, if any. What was summed is given back.
static uint64_t sum_mapped(const struct ga_pack_map *map, const unsigned char *at, size_t bytes)
{
    struct ga_checksum_parts sum = ga_checksum_parts_start();
    for (size_t done = 0; done < bytes; done += MAPPED_PIECE) {
        const size_t left = bytes - done, size = left < MAPPED_PIECE ? left : MAPPED_PIECE;
        ga_checksum_parts_add(&sum, at + done, size);
        give_back(map, at + done, size);
    }
    return ga_checksum_parts_end(&sum);
}

static enum ga_status map_section(const struct ga_pack *pack, const struct ga_pack_section *section,
                                  enum ga_pack_trust trust, struct ga_pack_map *map, struct ga_error *error)
{
    static const _Alignas(GA_ALIGN) unsigned char none[GA_ALIGN];
    const unsigned char *at = pack->bytes == NULL ? none : pack->bytes + section->offset;
    enum ga_status status = GA_OK;
    if (pack->bytes == NULL && section->bytes > 0) {
        status = map_file(pack, section, map, &at, error);
    }
    if (status == GA_OK && (uintptr_t)at % GA_ALIGN != 0) {
        return ga_fail(error, GA_ALIGNMENT, "%s: the bytes in memory are not aligned to %d", pack->label, GA_ALIGN);
    }
    if (status == GA_OK && trust == GA_PACK_VERIFY) {
        status = check_gaps(pack, error);
        if (status == GA_OK) {
            status = ga_pack_compare(pack, section, sum_mapped(map, at, section->bytes), error);
        }
    }
    map->weights.packed = at;
    return status;
}

enum ga_status ga_pack_map(const struct ga_pack *pack, const struct ga_model *model, const struct ga_variant *variant,
                           enum ga_pack_trust trust, struct ga_pack_map *map_out, struct ga_error *error)
{
    const struct ga_pack_section *section = NULL;
    enum ga_status status = check_arguments("ga_pack_map", pack, model, variant, map_out, error);
    if (status != GA_OK) {
        return status;
    }
    struct ga_pack_map map = {.weights = {.model = model, .variant = variant}};
    status = ga_call_variant(model, variant, error);
    if (status == GA_OK) {
        status = ga_pack_section_of(pack, model, variant, &section, error);
    }
    if (status == GA_OK) {
        status = map_section(pack, section, trust, &map, error);
    }
    if (status != GA_OK) {
        ga_pack_unmap(&map);
    }
    *map_out = status == GA_OK ? map : (struct ga_pack_map){.size = 0};
    return status;
}

void ga_pack_unmap(struct ga_pack_map *map)
{
    if (map != NULL && map->address != NULL) {
        (void)munmap(map->address, map->size);
        *map = (struct ga_pack_map){.size = 0};
    }
}
