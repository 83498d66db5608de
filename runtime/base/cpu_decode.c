// cpu_decode.c: cpuid's leaves and XCR0, by the table in cpu.h. Intel's Software Developer's Manual, volume 1, section
// 14.3 and 15.2 to 15.4, says what must be looked at before a vector instruction is used. Asks no CPU.
#include "cpu_decode.h"

#include <stddef.h>

enum { OSXSAVE = 1 << 27, AVX = 1 << 28 }; // bits of ECX in leaf 1

// Registers that the operating system saves, as bits of XCR0: xmm and the upper halves of ymm; and besides those masks,
// the upper halves of zmm0..15, and zmm16..31; and besides those the matrix registers and their sizes.
enum { YMM = 0x06, ZMM = 0xe6, TILES = 0x600e6 };

static const struct row {
    uint32_t feature;
    enum ga_cpu_leaf leaf;
    enum ga_cpu_register place;
    unsigned int bit;
    uint64_t saved; // bits of XCR0
} rows[] = {
#define ROW(name, text, leaf, place, bit, saved) {GA_CPU_##name, GA_CPU_##leaf, GA_CPU_##place, bit, saved},
    GA_CPU_X86_LIST(ROW)
#undef ROW
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

bool ga_cpu_has_leaf(const struct ga_cpu_answers *answers, enum ga_cpu_leaf leaf)
{
    static const struct {
        uint32_t number, subleaf;
        enum ga_cpu_leaf told_by; // whose EAX is the last leaf of its kind
    } leaves[GA_CPU_LEAVES] = {
        [GA_CPU_LEAF_1] = {1, 0, GA_CPU_LEAF_0},
        [GA_CPU_LEAF_7] = {7, 0, GA_CPU_LEAF_0},
        [GA_CPU_LEAF_7_1] = {7, 1, GA_CPU_LEAF_0},
        [GA_CPU_LEAF_EXTENDED_1] = {0x80000001, 0, GA_CPU_LEAF_EXTENDED_0},
    };
    const uint32_t last = answers->leaf[leaves[leaf].told_by][GA_CPU_EAX];
    const uint32_t last_of_7 = answers->leaf[GA_CPU_LEAF_7][GA_CPU_EAX];
    return leaves[leaf].number <= last && (leaves[leaf].subleaf == 0 || leaves[leaf].subleaf <= last_of_7);
}

bool ga_cpu_has_xgetbv(const struct ga_cpu_answers *answers)
{
    return (answers->leaf[GA_CPU_LEAF_1][GA_CPU_ECX] & OSXSAVE) != 0;
}

bool ga_cpu_is_told_by(uint32_t asked, enum ga_cpu_leaf leaf)
{
    bool told = false;
    for (size_t i = 0; i < N_ROWS; i++) {
        told = told || ((asked & rows[i].feature) != 0 && rows[i].leaf == leaf);
    }
    return told;
}

// All rows are of features whose instructions have AVX's encoding, and a CPU that hides AVX hides them.
static bool is_present(const struct ga_cpu_answers *answers, const struct row *row)
{
    return (answers->leaf[GA_CPU_LEAF_1][GA_CPU_ECX] & AVX) != 0 && ga_cpu_has_leaf(answers, row->leaf) &&
           (answers->leaf[row->leaf][row->place] >> row->bit & 1) != 0;
}

struct ga_cpu_found ga_cpu_decode(const struct ga_cpu_answers *answers, uint32_t asked)
{
    struct ga_cpu_found found = {0, 0};
    if (!ga_cpu_has_leaf(answers, GA_CPU_LEAF_1)) {
        return found;
    }
    const uint64_t saved = ga_cpu_has_xgetbv(answers) ? answers->xcr0 : 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        if ((asked & rows[i].feature) != 0 && is_present(answers, &rows[i])) {
            uint32_t *set = (saved & rows[i].saved) == rows[i].saved ? &found.usable : &found.disabled;
            *set |= rows[i].feature;
        }
    }
    return found;
}
