// cpu_decode.h: what an x86 CPU's answers to cpuid and xgetbv mean, as a function of their registers. Asks no CPU.
// Internal to cpu.c.
#ifndef GA_CPU_DECODE_H
#define GA_CPU_DECODE_H

#include "cpu.h"

enum ga_cpu_leaf {
    GA_CPU_LEAF_0,
    GA_CPU_LEAF_1,
    GA_CPU_LEAF_7,
    GA_CPU_LEAF_7_1,
    GA_CPU_LEAF_EXTENDED_0, // 0x80000000
    GA_CPU_LEAF_EXTENDED_1, // 0x80000001
    GA_CPU_LEAVES
};
enum ga_cpu_register { GA_CPU_EAX, GA_CPU_EBX, GA_CPU_ECX, GA_CPU_EDX, GA_CPU_REGISTERS };

// Answers of one CPU. A leaf that it does not have, or that was not asked for, may hold anything.
struct ga_cpu_answers {
    uint32_t leaf[GA_CPU_LEAVES][GA_CPU_REGISTERS];
    uint64_t xcr0; // what xgetbv gives; anything where the CPU has no such instruction
};

// True where the answer to leaf 0, of an extended one to the first of these, and for its subleaves that to leaf 7, says
// that the CPU has the leaf.
bool ga_cpu_has_leaf(const struct ga_cpu_answers *answers, enum ga_cpu_leaf leaf);

// True where leaf 1, which the CPU must have, says that xgetbv can be executed.
bool ga_cpu_has_xgetbv(const struct ga_cpu_answers *answers);

// True where a feature of `asked` is told by that leaf.
bool ga_cpu_is_told_by(uint32_t asked, enum ga_cpu_leaf leaf);

// What there is of the features in `asked`, whose leaves are in the answers.
struct ga_cpu_found ga_cpu_decode(const struct ga_cpu_answers *answers, uint32_t asked);

#endif
