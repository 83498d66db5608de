// hash.c: the number of a text, as generator/base/hash.lua computes it.
#include "hash.h"

enum { GROUP = 3 }; // bytes taken at a time

static const uint64_t PRIME = 2147483647; // 2^31 - 1

// number modulo PRIME, of a number below 2^60.
static uint64_t reduced(uint64_t number)
{
    const uint64_t sum = (number & PRIME) + (number >> 31), rest = (sum & PRIME) + (sum >> 31);
    return rest == PRIME ? 0 : rest;
}

// Bytes from `at` on as one number, zeros for those past the end.
static uint64_t group(const unsigned char *at, size_t left)
{
    return (uint64_t)at[0] << 16 | (uint64_t)(left > 1 ? at[1] : 0) << 8 | (uint64_t)(left > 2 ? at[2] : 0);
}

uint64_t ga_text_file_hash(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t high = length, low = length;
    for (size_t i = 0; i < length; i += GROUP) {
        const uint64_t next = group(at + i, length - i);
        high = reduced(high * 1000003 + next);
        low = reduced(low * 1999993 + next);
    }
    return high << 32 | low;
}
