// checksum.h: XXH64 of bytes that come in pieces, in plain C, as fast as memory gives them; and numbers as files hold
// them. Finds accidents, not forgery.
#ifndef GA_CHECKSUM_H
#define GA_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { GA_CHECKSUM_BLOCK = 32 }; // bytes taken at a time

struct ga_checksum {
    uint64_t lanes[4];
    uint64_t size; // bytes so far
    unsigned char rest[GA_CHECKSUM_BLOCK];
};

struct ga_checksum ga_checksum_start(void);

// size: a multiple of GA_CHECKSUM_BLOCK, but of the last piece.
void ga_checksum_add(struct ga_checksum *sum, const void *bytes, size_t size);

uint64_t ga_checksum_end(const struct ga_checksum *sum);

// Of bytes that are all there.
uint64_t ga_checksum(const void *bytes, size_t size);

// -- Of parts -------------------------------------------------------------------------------------------------------

// The checksum of the checksums of the parts, 8 bytes each, little-endian. Four parts are read side by side, so that
// memory gives bytes of four places at a time, which is faster than of one.
enum {
    GA_CHECKSUM_PART = 64 * 1024,                                  // bytes; the last part may be shorter
    GA_CHECKSUM_LANES = 4,                                         // parts side by side
    GA_CHECKSUM_LANE_BYTES = GA_CHECKSUM_LANES * GA_CHECKSUM_PART, // pieces of as many are fast
};

struct ga_checksum_parts {
    struct ga_checksum sums;                // of the parts before
    struct ga_checksum part;                // so far
    unsigned char ended[GA_CHECKSUM_BLOCK]; // checksums of parts that are not in sums yet
    size_t n_ended;                         // bytes of them
};

struct ga_checksum_parts ga_checksum_parts_start(void);

// size: a multiple of GA_CHECKSUM_BLOCK, but of the last piece.
void ga_checksum_parts_add(struct ga_checksum_parts *sum, const void *bytes, size_t size);

uint64_t ga_checksum_parts_end(struct ga_checksum_parts *sum);

// Of bytes that are all there.
uint64_t ga_checksum_of_parts(const void *bytes, size_t size);

// -- Numbers as files hold them, little-endian on every machine -----------------------------------------------------

// Compilers see that these are one load where the machine is little-endian.
static inline uint32_t ga_read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t ga_read_u64(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

static inline void ga_write_u32(unsigned char *at, uint32_t number)
{
    for (size_t i = 0; i < sizeof number; i++) {
        at[i] = (unsigned char)(number >> (8 * i));
    }
}

static inline void ga_write_u64(unsigned char *at, uint64_t number)
{
    for (size_t i = 0; i < sizeof number; i++) {
        at[i] = (unsigned char)(number >> (8 * i));
    }
}

#endif
