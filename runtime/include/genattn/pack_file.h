// pack_file.h: a file of packed weights (.gap): a process that uses it starts without packing. A file is written whole
// or not at all, and only a build that packs the same bytes reads it. Allocates nothing; knows no tensor names.
//
// A file has one section for each instruction set, because each one has its own panels. All numbers of the header are
// little-endian; the weights are floats in the byte order of the machine that packed them. A section whose name begins
// with an underscore is an attachment: bytes that belong to the weights, such as a tokenizer's file. The calls for
// weights skip it.
//
//     0     magic: 0x89 "GAP" CR LF 0x1a LF
//     8     u32 version, u32 bytes of the header (4096)
//     16    u64 bytes of the file
//     24    u32 byte order of the weights: 1 little-endian, 2 big-endian; u32 GA_ABI
//     32    u64 hash of the spec, u32 number of sections (1..16), u32 GA_BITS_REVISION
//     48    model's name, zeros after it, 208 bytes
//     256   sections of 64 bytes: instruction set's name [16] with zeros after it, u64 hash of how weights are packed
//           (for an attachment: its writer's number), u64 offset, u64 bytes, u64 checksum, zeros
//     4080  u64 number of the weights before packing, not 0
//     4088  u64 checksum of all bytes before
//
// Each section begins at the next multiple of 4096, after zeros, in the order of the table; the file ends with the last
// section. The header's checksum is XXH64 with seed 0. For a section, each part of 64 KiB (the last part may be
// shorter) has a checksum of 8 bytes, little-endian, and the section's checksum is the XXH64 of these. Parts can thus
// be read in parallel, at the speed of memory. The checksums find every change within one 8-byte word, and all but one
// in 2^63 of other changes. They find accidents, not forgery: trust a file of weights only as far as you trust the
// program.
#ifndef GA_PACK_FILE_H
#define GA_PACK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GA_PACK_VERSION = 3,
    GA_PACK_HEADER = 4096, // bytes; sections begin at multiples of it
    GA_PACK_SECTIONS = 16, // at most
    GA_PACK_ISA = 16,      // bytes of an instruction set's name, with its NUL
    GA_PACK_NAME = 208,    // bytes of a model's name, with its NUL
};

// Weights packed for one instruction set, or an attachment.
struct ga_pack_section {
    char isa[GA_PACK_ISA]; // or the attachment's name, which begins with an underscore
    uint64_t packing;      // the packing of its variant (model.h), or the attachment's hash
    size_t offset, bytes;  // within the file
    uint64_t checksum;
};

// A file of packed weights, or its bytes in memory, with a valid header: the sections are within the file, in order,
// and do not overlap. The caller owns the struct, and must read it only.
struct ga_pack {
    const char *label;          // the path or label for messages; the caller's memory
    int fd;                     // of the file, or -1
    const unsigned char *bytes; // the bytes in memory, or NULL
    size_t size;                // of the whole file
    uint32_t version, abi, bits_revision;
    bool is_native;   // the weights have the byte order of this machine
    uint64_t spec;    // hash of the spec's text
    uint64_t weights; // their number before packing, not 0 (ga_pack_write_with)
    char model[GA_PACK_NAME];
    size_t n_sections;
    struct ga_pack_section sections[GA_PACK_SECTIONS];
};

// Whether bytes[size] begin as a file of packed weights does, valid or not; the first 8 bytes are enough. False if
// bytes is NULL.
bool ga_pack_is(const void *bytes, size_t size);

// The same for a regular file, by its first bytes and not by its name. False if it cannot be read or path is NULL.
bool ga_pack_is_file(const char *path);

// Opens a regular file and checks its header; the file may be of any model. On GA_OK the caller must close it with
// ga_pack_close; on failure there is nothing to close. GA_IO: the file does not exist or cannot be read; GA_FORMAT: it
// is not a file of packed weights, or is damaged or truncated; GA_UNSUPPORTED: this build does not read its version.
enum ga_status ga_pack_open(const char *path, struct ga_pack *pack_out, struct ga_error *error);

// The same for bytes in memory, which the caller owns and which are not copied.
enum ga_status ga_pack_parse(const void *bytes, size_t size, const char *label, struct ga_pack *pack_out,
                             struct ga_error *error);

void ga_pack_close(struct ga_pack *pack);

// A variant of the model whose weights the file contains and which this CPU runs: the one named isa, or if isa is NULL
// the best one. GA_UNSUPPORTED: the file is of another model or spec, from a build that packs differently, or for other
// instruction sets; error says what was found, what was expected and what to do. GA_CPU: this CPU runs none of them.
enum ga_status ga_pack_variant(const struct ga_pack *pack, const struct ga_model *model, const char *isa,
                               const struct ga_variant **variant_out, struct ga_error *error);

// Whether ga_pack_load and ga_pack_map verify a section's checksum.
enum ga_pack_trust {
    GA_PACK_VERIFY, // they read every byte and compare the checksum before they return weights
    GA_PACK_TRUST   // they do not: for files that are known to be undamaged
};

// Reads the weights of one of the model's variants into block; the bytes are those that ga_model_pack would write.
// block: GA_ALIGN-aligned, at least ga_model_packed_size bytes, not overlapping the file's bytes in memory, owned by
// the caller, who must not move it while it is in use. pack may be closed afterwards. On failure the contents of block
// are undefined.
enum ga_status ga_pack_load(const struct ga_pack *pack, const struct ga_model *model, const struct ga_variant *variant,
                            enum ga_pack_trust trust, void *block, size_t size, const struct ga_loaded **loaded_out,
                            struct ga_error *error);

// Weights that are used in place: a mapped file, or bytes in memory. Calls take &map.weights.
struct ga_pack_map {
    struct ga_loaded weights;
    void *address; // of the mapping, or NULL
    size_t size;   // of the mapping
};

// Uses the weights in place: a file by a shared, read-only mapping; bytes in memory, which must then be
// GA_ALIGN-aligned, without a copy. The file may be closed afterwards. If another process truncates the file while it
// is mapped, this process ends with SIGBUS; ga_pack_load does not have this risk. On GA_OK the caller must call
// ga_pack_unmap.
enum ga_status ga_pack_map(const struct ga_pack *pack, const struct ga_model *model, const struct ga_variant *variant,
                           enum ga_pack_trust trust, struct ga_pack_map *map_out, struct ga_error *error);

void ga_pack_unmap(struct ga_pack_map *map);

// Reads section i < n_sections piece by piece and compares its checksum. The file may be of any model.
enum ga_status ga_pack_verify(const struct ga_pack *pack, size_t i, struct ga_error *error);

// Writes the packed weights of count different variants of one model to path: to a temporary file in the same folder,
// which is flushed and then renamed to path.
enum ga_status ga_pack_write(const char *path, const struct ga_loaded *const *loaded, size_t count,
                             struct ga_error *error);

// Further bytes to store in a file with the weights.
struct ga_pack_attachment {
    const char *name;  // an underscore, then 1 to 14 lower-case letters, digits and underscores: "_tokenizer"
    uint64_t hash;     // a number that identifies these bytes; returned as the section's packing
    const void *bytes; // [size]
    size_t size;
};

// ga_pack_write with more. weights: a number that identifies the weights before packing, for any instruction set; 0, as
// ga_pack_write passes: the checksum of the first section. attachment: stored after the weights, counts as one of
// GA_PACK_SECTIONS; NULL: no attachment.
enum ga_status ga_pack_write_with(const char *path, const struct ga_loaded *const *loaded, size_t count,
                                  uint64_t weights, const struct ga_pack_attachment *attachment,
                                  struct ga_error *error);

// Whether a section is an attachment.
bool ga_pack_is_attachment(const struct ga_pack_section *section);

// The attachment of that name, which belongs to pack; NULL if the file has none.
const struct ga_pack_section *ga_pack_attachment(const struct ga_pack *pack, const char *name);

// Reads an attachment of pack into to[section->bytes] and compares its checksum.
enum ga_status ga_pack_read_attachment(const struct ga_pack *pack, const struct ga_pack_section *section, void *to,
                                       struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
