// tiles.h: AMX's matrix registers of a thread, as the kernels that are emulated have them. Multiplies nothing itself.
#ifndef TESTS_EMULATE_TILES_H
#define TESTS_EMULATE_TILES_H

#include <stdint.h>

struct emulated_tiles {
    uint16_t row_bytes[8];
    uint8_t rows[8], bytes[8][16][64];
};
extern _Thread_local struct emulated_tiles emulated_tiles; // in cpu.c: one for all files of a test

#endif
