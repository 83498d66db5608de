// pack_image.h: a hand-written model without arithmetic, its weights packed for two of its variants, and a file of them
// as bytes that a test may change. Knows no test framework.
#ifndef TESTS_PACK_IMAGE_H
#define TESTS_PACK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "pack_file.h"
#include "packed_parts.h"

// Bytes of each variant's packed weights, of a file with both sections, of the attachment, and of a file with it too.
enum {
    PACKED = 92,
    BOTH_END = 2 * GA_PACK_HEADER + PACKED,
    ATTACHED = 19,
    ATTACHED_END = 3 * GA_PACK_HEADER + ATTACHED
};

#define PACK_VARIANT(name, bits, hash, bytes)                                                                      \
    {                                                                                                              \
        .isa = name, .cpu = bits, .packed_bytes = bytes, .packing = hash, .parts = pack_image_parts, .n_parts = 1, \
        .scratch_bytes = pack_image_scratch, .run = pack_image_run                                                 \
    }
#define PACK_FUTURE PACK_VARIANT("future", UINT32_C(1) << 31, 7, PACKED) // no CPU runs it
#define PACK_MODEL(name_, spec_, variants_)                                                                        \
    {                                                                                                              \
        .abi = GA_ABI, .bits_revision = GA_BITS_REVISION, .name = name_, .spec = spec_, .roles = pack_image_roles, \
        .n_roles = 1, .variants = variants_, .n_variants = sizeof variants_ / sizeof *variants_                    \
    }

extern const struct ga_packed_parts pack_image_parts[1]; // all but the last number, which stays as it is given
void pack_image_run(const void *packed, const struct ga_io *io, void *scratch);
size_t pack_image_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads);
extern const struct ga_weight_role pack_image_roles[1];

extern const struct ga_variant pack_image_variants[3]; // future, quick, plain
extern const struct ga_model pack_image_model;         // tiny, from the spec "return {}\n"

extern const struct ga_loaded *pack_image_loaded[2]; // packed for quick and for plain
extern unsigned char pack_image[ATTACHED_END + 1];   // the file last made

extern const struct ga_pack_attachment pack_image_attachment; // "_notes", of hash 77

// Makes a folder of its own the current one and packs, over blocks full of `before`. leave: removes it; false where
// anything but w.gap was left there.
bool pack_image_enter(unsigned char before);
bool pack_image_leave(void);

// Writes the first count packed weights to w.gap and reads the file into pack_image; returns its size, 0 where that
// failed. write: the first `size` bytes of pack_image to w.gap.
size_t pack_image_make(size_t count);
size_t pack_image_make_attached(size_t count); // with the attachment
bool pack_image_write(size_t size);

// Makes the checksum of the header in pack_image what it must be.
void pack_image_seal(void);

// What parsing and loading the first `size` bytes of pack_image for a model say; GA_OK where both succeed.
enum ga_status pack_image_try(size_t size, const struct ga_model *model, enum ga_pack_trust trust,
                              struct ga_error *error);

#endif
