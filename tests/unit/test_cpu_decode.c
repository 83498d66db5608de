// test_cpu_decode.c: what is made of answers to cpuid and xgetbv, of CPUs and operating systems that are made up here.
#include <criterion/criterion.h>

#include "cpu_decode.h"

enum { OSXSAVE = 1 << 27, AVX_BIT = 1 << 28, FMA_BIT = 1 << 12 };                   // leaf 1, ECX
enum { XMM = 0x3, AVX_STATE = 0x7, AVX512_STATE = 0xe7, NO_HIGH_REGISTERS = 0x67 }; // XCR0, with x87
enum { AMX_STATE = 0x600e7, NO_CONTENTS = 0x200e7 };

#define AVX2_BIT (UINT32_C(1) << 5) // leaf 7, EBX
#define AVX512_BITS (UINT32_C(1) << 16 | UINT32_C(1) << 17 | UINT32_C(1) << 30 | UINT32_C(1) << 31)
#define VNNI_BIT (UINT32_C(1) << 11)                     // leaf 7, ECX
#define LATER_BITS (UINT32_C(1) << 5 | UINT32_C(1) << 4) // leaf 7 subleaf 1, EAX: avx512_bf16, avx_vnni
#define AMX_BITS (UINT32_C(1) << 24 | UINT32_C(1) << 25) // leaf 7, EDX
#define SSE4A_BIT (UINT32_C(1) << 6)                     // leaf 0x80000001, ECX
#define JUNK                                           \
    {                                                  \
        UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX \
    } // what is no leaf of this CPU

#define SET_AVX2 (GA_CPU_AVX2 | GA_CPU_FMA)
#define AMX (GA_CPU_AMX_TILE | GA_CPU_AMX_INT8)
#define SET_AVX512 (GA_CPU_AVX512F | GA_CPU_AVX512DQ | GA_CPU_AVX512BW | GA_CPU_AVX512VL)
#define SET_ALL (SET_AVX2 | SET_AVX512 | GA_CPU_AVX512_VNNI | GA_CPU_AVX512_BF16 | GA_CPU_AVX_VNNI)

#define HASWELL                                                                     \
    {                                                                               \
        {{13}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX2_BIT}, JUNK}, AVX_STATE \
    }
#define SERVER(xcr0)                                                                                           \
    {                                                                                                          \
        {{27}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {1, AVX2_BIT | AVX512_BITS, VNNI_BIT}, {LATER_BITS}}, xcr0 \
    }

static const struct {
    const char *name;
    struct ga_cpu_answers answers;
    uint32_t usable, disabled;
} rows[] = {
    {"no cpuid", {{{0}, JUNK, JUNK, JUNK}, UINT64_MAX}, 0, 0},
    {"of 2008, without AVX", {{{11}, {0, 0, OSXSAVE}, {0}, JUNK}, XMM}, 0, 0},
    {"leaves end before 7, answered as the last",
     {{{6}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, JUNK, JUNK}, AVX_STATE},
     GA_CPU_FMA,
     0},
    {"AVX2", HASWELL, SET_AVX2, 0},
    {"AVX2 without FMA", {{{13}, {0, 0, OSXSAVE | AVX_BIT}, {0, AVX2_BIT}, JUNK}, AVX_STATE}, GA_CPU_AVX2, 0},
    {"AVX2, no xgetbv enabled", {{{13}, {0, 0, AVX_BIT | FMA_BIT}, {0, AVX2_BIT}, JUNK}, UINT64_MAX}, 0, SET_AVX2},
    {"AVX2, the system saves xmm alone",
     {{{13}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX2_BIT}, JUNK}, XMM},
     0,
     SET_AVX2},
    {"AVX hidden, the others left",
     {{{13}, {0, 0, OSXSAVE | FMA_BIT}, {0, AVX2_BIT | AVX512_BITS}, JUNK}, AVX512_STATE},
     0,
     0},
    {"AVX-512", SERVER(AVX512_STATE), SET_ALL, 0},
    {"AVX-512, the system saves ymm alone", SERVER(AVX_STATE), SET_AVX2 | GA_CPU_AVX_VNNI,
     SET_AVX512 | GA_CPU_AVX512_VNNI | GA_CPU_AVX512_BF16},
    {"AVX-512, zmm16..31 not saved", SERVER(NO_HIGH_REGISTERS), SET_AVX2 | GA_CPU_AVX_VNNI,
     SET_AVX512 | GA_CPU_AVX512_VNNI | GA_CPU_AVX512_BF16},
    {"AVX-512, nothing saved", SERVER(0), 0, SET_ALL},
    {"masks and zmm saved, ymm not", SERVER(0xe3), 0, SET_ALL},
    {"AMX",
     {{{27}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX2_BIT, 0, AMX_BITS}, JUNK}, AMX_STATE},
     SET_AVX2 | AMX,
     0},
    {"AMX, not permitted",
     {{{27}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX2_BIT, 0, AMX_BITS}, JUNK}, NO_CONTENTS},
     SET_AVX2,
     AMX},
    {"AMD's AVX2, SSE4a in an extended leaf",
     {{{13}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX2_BIT}, JUNK, {0x8000001F}, {0, 0, SSE4A_BIT}}, AVX_STATE},
     SET_AVX2 | GA_CPU_SSE4A,
     0},
    {"no extended leaf but the first",
     {{{13}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX2_BIT}, JUNK, {0x80000000}, JUNK}, AVX_STATE},
     SET_AVX2,
     0},
    {"no subleaf 1 of leaf 7",
     {{{13}, {0, 0, OSXSAVE | AVX_BIT | FMA_BIT}, {0, AVX512_BITS}, JUNK}, AVX512_STATE},
     SET_AVX512 | GA_CPU_FMA,
     0},
};

Test(cpu_decode, what_can_be_used_is_what_both_the_cpu_has_and_the_system_saves)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ga_cpu_found found = ga_cpu_decode(&rows[i].answers, UINT32_MAX);
        cr_expect_eq(found.usable, rows[i].usable, "%s: usable %x, expected %x", rows[i].name, found.usable,
                     rows[i].usable);
        cr_expect_eq(found.disabled, rows[i].disabled, "%s: disabled %x, expected %x", rows[i].name, found.disabled,
                     rows[i].disabled);
    }
}

Test(cpu_decode, nothing_is_found_that_was_not_asked_for)
{
    const struct ga_cpu_answers server = SERVER(AVX_STATE);
    for (unsigned int bit = 0; bit < 32; bit++) {
        const uint32_t asked = UINT32_C(1) << bit;
        const struct ga_cpu_found all = ga_cpu_decode(&server, UINT32_MAX), found = ga_cpu_decode(&server, asked);
        cr_expect_eq(found.usable, all.usable & asked, "bit %u", bit);
        cr_expect_eq(found.disabled, all.disabled & asked, "bit %u", bit);
    }
}

Test(cpu_decode, a_leaf_is_asked_for_where_a_feature_needs_it)
{
    cr_expect(ga_cpu_is_told_by(GA_CPU_AVX512_BF16, GA_CPU_LEAF_7_1));
    cr_expect(!ga_cpu_is_told_by(SET_AVX2 | SET_AVX512, GA_CPU_LEAF_7_1));
    cr_expect(ga_cpu_is_told_by(GA_CPU_SSE4A, GA_CPU_LEAF_EXTENDED_1));
    cr_expect(ga_cpu_is_told_by(GA_CPU_FMA, GA_CPU_LEAF_1));
    cr_expect(!ga_cpu_is_told_by(0, GA_CPU_LEAF_7));
}
