// pack_parts.h: where the fields of a file of packed weights lie, and what its reader, its writer and its checks share.
// Internal to pack_*.c; users include pack_file.h.
#ifndef GA_PACK_PARTS_H
#define GA_PACK_PARTS_H

#include "pack_file.h"

// The first bytes of a file. The literal ends with one byte more, which no file has.
#define GA_PACK_MAGIC "\x89GAP\r\n\x1a\n"
enum { GA_PACK_MAGIC_BYTES = sizeof GA_PACK_MAGIC - 1 };

// Bytes from the file's start.
enum {
    GA_PACK_AT_VERSION = 8,
    GA_PACK_AT_HEADER = 12,
    GA_PACK_AT_SIZE = 16,
    GA_PACK_AT_ORDER = 24,
    GA_PACK_AT_ABI = 28,
    GA_PACK_AT_SPEC = 32,
    GA_PACK_AT_COUNT = 40,
    GA_PACK_AT_BITS = 44,
    GA_PACK_AT_NAME = 48,
    GA_PACK_AT_SECTIONS = 256,
    GA_PACK_AT_WEIGHTS = GA_PACK_HEADER - 16,
    GA_PACK_AT_CHECKSUM = GA_PACK_HEADER - 8,
    GA_PACK_ENTRY = 64 // of a section
};

// Byte orders of the weights.
enum { GA_PACK_LITTLE = 1, GA_PACK_BIG = 2 };

// This machine's.
uint32_t ga_pack_native_order(void);

// The hash of a model's spec that a file of its packed weights has.
uint64_t ga_pack_spec(const struct ga_model *model);

// What to do about a file that is whole but of no use here.
#define GA_PACK_AGAIN "pack the weights again with this build"

// Where a section may begin after `end`; SIZE_MAX where that overflows.
size_t ga_pack_next(size_t end);

// What messages call a section's bytes: "the weights for avx2", "the tokenizer".
enum { GA_PACK_CONTENT = GA_PACK_ISA + 16 };
const char *ga_pack_content(const struct ga_pack_section *section, char text[GA_PACK_CONTENT]);

// Compares a section's checksum with the sum of the bytes that were read.
enum ga_status ga_pack_compare(const struct ga_pack *pack, const struct ga_pack_section *section, uint64_t sum,
                               struct ga_error *error);

// The section of that name, or NULL.
const struct ga_pack_section *ga_pack_find(const struct ga_pack *pack, const char *isa);

// The section of one of the model's variants, once the file was found to be of this model, spec and packing.
enum ga_status ga_pack_section_of(const struct ga_pack *pack, const struct ga_model *model,
                                  const struct ga_variant *variant, const struct ga_pack_section **section_out,
                                  struct ga_error *error);

// Reads bytes that the file was found to have.
enum ga_status ga_pack_read_at(const struct ga_pack *pack, size_t offset, void *to, size_t size,
                               struct ga_error *error);

// GA_IO with what errno says.
enum ga_status ga_pack_fail_errno(const struct ga_pack *pack, struct ga_error *error, enum ga_fault fault,
                                  const char *what);

#endif
