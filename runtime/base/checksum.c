// checksum.c: XXH64 with seed 0, from its specification (Yann Collet, xxHash fast digest algorithm, 0.1.1): four lanes
// of 8 bytes that know nothing of each other, so that a CPU takes them side by side.
#include "checksum.h"

#include <string.h>

static const uint64_t PRIMES[] = {0x9E3779B185EBCA87u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u, 0x85EBCA77C2B2AE63u,
                                  0x27D4EB2F165667C5u};

static uint64_t rotated(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t lane_round(uint64_t lane, uint64_t input)
{
    return rotated(lane + input * PRIMES[1], 31) * PRIMES[0];
}

struct ga_checksum ga_checksum_start(void)
{
    return (struct ga_checksum){.lanes = {PRIMES[0] + PRIMES[1], PRIMES[1], 0, 0 - PRIMES[0]}};
}

void ga_checksum_add(struct ga_checksum *sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t a = sum->lanes[0], b = sum->lanes[1], c = sum->lanes[2], d = sum->lanes[3];
    const size_t blocks = size / GA_CHECKSUM_BLOCK;
    for (size_t i = 0; i < blocks; i++, at += GA_CHECKSUM_BLOCK) {
        a = lane_round(a, ga_read_u64(at));
        b = lane_round(b, ga_read_u64(at + 8));
        c = lane_round(c, ga_read_u64(at + 16));
        d = lane_round(d, ga_read_u64(at + 24));
    }
    memcpy(sum->lanes, (const uint64_t[]){a, b, c, d}, sizeof sum->lanes);
    sum->size += size;
    if (size % GA_CHECKSUM_BLOCK > 0) {
        memcpy(sum->rest, at, size % GA_CHECKSUM_BLOCK);
    }
}

// The lanes as one number.
static uint64_t joined(const struct ga_checksum *sum)
{
    static const int bits[] = {1, 7, 12, 18};
    uint64_t x = 0;
    for (size_t i = 0; i < 4; i++) {
        x += rotated(sum->lanes[i], bits[i]);
    }
    for (size_t i = 0; i < 4; i++) {
        x = (x ^ lane_round(0, sum->lanes[i])) * PRIMES[0] + PRIMES[3];
    }
    return x;
}

// The last bytes: by eights, a four, and ones.
static uint64_t with_rest(uint64_t x, const unsigned char *at, size_t left)
{
    for (; left >= 8; at += 8, left -= 8) {
        x = rotated(x ^ lane_round(0, ga_read_u64(at)), 27) * PRIMES[0] + PRIMES[3];
    }
    if (left >= 4) {
        x = rotated(x ^ ga_read_u32(at) * PRIMES[0], 23) * PRIMES[1] + PRIMES[2];
        at += 4;
        left -= 4;
    }
    for (; left > 0; at++, left--) {
        x = rotated(x ^ *at * PRIMES[4], 11) * PRIMES[0];
    }
    return x;
}

uint64_t ga_checksum_end(const struct ga_checksum *sum)
{
    uint64_t x = sum->size >= GA_CHECKSUM_BLOCK ? joined(sum) : PRIMES[4];
    x = with_rest(x + sum->size, sum->rest, (size_t)(sum->size % GA_CHECKSUM_BLOCK));
    x = (x ^ x >> 33) * PRIMES[1];
    x = (x ^ x >> 29) * PRIMES[2];
    return x ^ x >> 32;
}

uint64_t ga_checksum(const void *bytes, size_t size)
{
    struct ga_checksum sum = ga_checksum_start();
    ga_checksum_add(&sum, bytes, size);
    return ga_checksum_end(&sum);
}

// -- Of parts -------------------------------------------------------------------------------------------------------

enum { STEP = 512 }; // bytes of one part before those of the next

struct ga_checksum_parts ga_checksum_parts_start(void)
{
    return (struct ga_checksum_parts){.sums = ga_checksum_start(), .part = ga_checksum_start()};
}

static void end_part(struct ga_checksum_parts *sum, const struct ga_checksum *part)
{
    ga_write_u64(sum->ended + sum->n_ended, ga_checksum_end(part));
    sum->n_ended += sizeof(uint64_t);
    if (sum->n_ended == GA_CHECKSUM_BLOCK) {
        ga_checksum_add(&sum->sums, sum->ended, GA_CHECKSUM_BLOCK);
        sum->n_ended = 0;
    }
}

// Parts that are whole, side by side.
static void add_lanes(struct ga_checksum_parts *sum, const unsigned char *at)
{
    struct ga_checksum parts[GA_CHECKSUM_LANES];
    for (size_t lane = 0; lane < GA_CHECKSUM_LANES; lane++) {
        parts[lane] = ga_checksum_start();
    }
    for (size_t done = 0; done < GA_CHECKSUM_PART; done += STEP) {
        for (size_t lane = 0; lane < GA_CHECKSUM_LANES; lane++) {
            ga_checksum_add(&parts[lane], at + lane * GA_CHECKSUM_PART + done, STEP);
        }
    }
    for (size_t lane = 0; lane < GA_CHECKSUM_LANES; lane++) {
        end_part(sum, &parts[lane]);
    }
}

// Bytes of the part that has begun; returns how many.
static size_t add_to_part(struct ga_checksum_parts *sum, const unsigned char *at, size_t size)
{
    const size_t left = GA_CHECKSUM_PART - (size_t)sum->part.size, taken = size < left ? size : left;
    ga_checksum_add(&sum->part, at, taken);
    if (sum->part.size == GA_CHECKSUM_PART) {
        end_part(sum, &sum->part);
        sum->part = ga_checksum_start();
    }
    return taken;
}

void ga_checksum_parts_add(struct ga_checksum_parts *sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t done = 0; done < size;) {
        if (sum->part.size == 0 && size - done >= GA_CHECKSUM_LANE_BYTES) {
            add_lanes(sum, at + done);
            done += GA_CHECKSUM_LANE_BYTES;
        } else {
            done += add_to_part(sum, at + done, size - done);
        }
    }
}

uint64_t ga_checksum_parts_end(struct ga_checksum_parts *sum)
{
    if (sum->part.size > 0) {
        end_part(sum, &sum->part);
    }
    ga_checksum_add(&sum->sums, sum->ended, sum->n_ended);
    sum->n_ended = 0;
    return ga_checksum_end(&sum->sums);
}

uint64_t ga_checksum_of_parts(const void *bytes, size_t size)
{
    struct ga_checksum_parts sum = ga_checksum_parts_start();
    ga_checksum_parts_add(&sum, bytes, size);
    return ga_checksum_parts_end(&sum);
}
