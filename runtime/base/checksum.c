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
