// pack_file.h: packed weights in a file (.gap), so that a process starts without packing: written whole or not at all,
// and read back only by a build that would have packed the same bytes. Allocates nothing; knows no names of tensors.
//
// A file holds one section for each instruction set, as each packs in its own panels. All numbers of the header are
// little-endian; the weights are floats as the machine that packed has them. A section whose name begins with an
// underscore is an attachment: bytes that go with the weights, such as a tokenizer's file. Who asks for weights alone
// passes it over.
//
//     0     magic: 0x89 "GAP" CR LF 0x1a LF
//     8     u32 version, u32 bytes of the header (4096)
//     16    u64 bytes of the file
//     24    u32 byte order of the weights: 1 little-endian, 2 big-endian; u32 GA_ABI
//     32    u64 hash of the spec, u32 number of sections (1..16), u32 zero
//     48    model's name, zeros after it, 208 bytes
//     256   sections of 64 bytes: instruction set's name [16] with zeros after it, u64 hash of how weights are packed
//           (of an attachment: what its writer gave), u64 offset, u64 bytes, u64 checksum, zeros
//     4088  u64 checksum of all bytes before
//
// Sections begin at the next multiple of 4096, zeros before them, in the order of the table; the file ends with the
// last one. The header's checksum is XXH64 with seed 0. A section's is that of the checksums of its parts of 64 KiB (8
// bytes each, little-endian; the last part may be shorter), so that parts are read side by side, as fast as memory
// gives them. They find every change within one 8-byte word and all but one in 2^63 others. They find accidents, not
// forgery: a file of weights is trusted as the program is.
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
    GA_PACK_VERSION = 2,
    GA_PACK_HEADER = 4096, // bytes; sections begin at multiples of it
    GA_PACK_SECTIONS = 16, // at most
    GA_PACK_ISA = 16,      // bytes of an instruction set's name, its NUL among them
    GA_PACK_NAME = 208,    // of a model's
};

// Weights packed for one instruction set, or an attachment.
struct ga_pack_section {
    char isa[GA_PACK_ISA]; // or the attachment's name, which begins with an underscore
    uint64_t packing;      // the packing of the variant (model.h) that they are for, or the attachment's hash
    size_t offset, bytes;  // within the file
    uint64_t checksum;
};

// A file of packed weights, or its bytes in memory, whose header was found sound: sections lie within it, in order and
// apart. The caller owns the struct; to be read, not written.
struct ga_pack {
    const char *label;          // path or label given, the caller's, for messages
    int fd;                     // of the file, or -1
    const unsigned char *bytes; // where they are in memory, or NULL
    size_t size;                // of the whole
    uint32_t version, abi;
    bool is_native; // the weights' byte order is this machine's
    uint64_t spec;  // hash of the spec's text
    char model[GA_PACK_NAME];
    size_t n_sections;
    struct ga_pack_section sections[GA_PACK_SECTIONS];
};

// Whether a file of `size` bytes that begins with these is one of packed weights, sound or not; 8 bytes tell. bytes,
// and path below, may be NULL, which is none.
bool ga_pack_is(const void *bytes, size_t size);

// The same of a regular file, by its first bytes and not by its name; false also where it cannot be read.
bool ga_pack_is_file(const char *path);

// Opens a regular file and checks its header, whatever model it is of. On GA_OK the caller ends it with ga_pack_close;
// otherwise there is nothing to close. GA_IO: no such file, or not readable; GA_FORMAT: not such a file, damaged or cut
// off; GA_UNSUPPORTED: of a version this build does not read.
enum ga_status ga_pack_open(const char *path, struct ga_pack *pack_out, struct ga_error *error);

// The same of bytes in memory, which stay the caller's and are not copied.
enum ga_status ga_pack_parse(const void *bytes, size_t size, const char *label, struct ga_pack *pack_out,
                             struct ga_error *error);

void ga_pack_close(struct ga_pack *pack);

// The variant of the model whose weights the file holds and this CPU runs: that named isa, or the best one where isa is
// NULL. GA_UNSUPPORTED: packed of another model, from another spec, by a build that packs otherwise, or for other
// instruction sets; error says what was found, what was expected and what to do. GA_CPU: this CPU runs none of them.
enum ga_status ga_pack_variant(const struct ga_pack *pack, const struct ga_model *model, const char *isa,
                               const struct ga_variant **variant_out, struct ga_error *error);

// What ga_pack_load and ga_pack_map do about a section's checksum.
enum ga_pack_trust {
    GA_PACK_VERIFY, // every byte is looked at before weights_out is given
    GA_PACK_TRUST   // none is: for files that are known to be whole
};

// Reads the weights of one of the model's variants into block (GA_ALIGN-aligned, at least ga_model_packed_size bytes,
// the caller's, not moved while in use, apart from the file's bytes in memory), as ga_model_pack would have packed
// them. pack may be closed then. On failure what the block holds is of no meaning.
enum ga_status ga_pack_load(const struct ga_pack *pack, const struct ga_model *model, const struct ga_variant *variant,
                            enum ga_pack_trust trust, void *block, size_t size, const struct ga_loaded **loaded_out,
                            struct ga_error *error);

// Weights used where they lie in a file, mapped, or in memory. &map.weights is what calls take.
struct ga_pack_map {
    struct ga_loaded weights;
    void *address; // of the mapping, or NULL
    size_t size;   // of the mapping
};

// Uses the weights where they lie: of a file by a shared mapping that is only read, of bytes in memory in place, which
// must then be GA_ALIGN-aligned. The file may be closed then. A file that another process cuts short while it is mapped
// ends this one by SIGBUS: ga_pack_load has no such risk. On GA_OK the caller ends it with ga_pack_unmap.
enum ga_status ga_pack_map(const struct ga_pack *pack, const struct ga_model *model, const struct ga_variant *variant,
                           enum ga_pack_trust trust, struct ga_pack_map *map_out, struct ga_error *error);

void ga_pack_unmap(struct ga_pack_map *map);

// Reads a section, i < n_sections, piece by piece and compares its checksum, whatever model it is of.
enum ga_status ga_pack_verify(const struct ga_pack *pack, size_t i, struct ga_error *error);

// Writes the packed weights of count variants of one model, each another one, to path: a temporary file beside it,
// flushed, then renamed over it.
enum ga_status ga_pack_write(const char *path, const struct ga_loaded *const *loaded, size_t count,
                             struct ga_error *error);

// Bytes to keep in a file beside the weights.
struct ga_pack_attachment {
    const char *name;  // an underscore, then 1 to 14 small letters, digits and underscores: "_tokenizer"
    uint64_t hash;     // whatever tells these bytes from others; given back as the section's packing
    const void *bytes; // [size]
    size_t size;
};

// ga_pack_write with an attachment after the weights, which counts as one of GA_PACK_SECTIONS; NULL: without.
enum ga_status ga_pack_write_with(const char *path, const struct ga_loaded *const *loaded, size_t count,
                                  const struct ga_pack_attachment *attachment, struct ga_error *error);

// Whether a section is an attachment.
bool ga_pack_is_attachment(const struct ga_pack_section *section);

// The attachment of that name, which is pack's; NULL where the file has none.
const struct ga_pack_section *ga_pack_attachment(const struct ga_pack *pack, const char *name);

// Reads an attachment of pack into to[section->bytes] and compares its checksum.
enum ga_status ga_pack_read_attachment(const struct ga_pack *pack, const struct ga_pack_section *section, void *to,
                                       struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
