// cpu.c: asks the CPU which vector extensions it and its operating system support, by the instructions cpuid and xgetbv
// themselves: compilers' runtimes differ in what they know. What the answers mean is in cpu_decode.c. On AArch64 the
// operating system asks the CPU, and answers; on x86 Linux says whether this process may use AMX. Keeps no state.
#include "cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include "cpu_decode.h"
#include "on_linux.h"

static void ask(struct ga_cpu_answers *answers, enum ga_cpu_leaf leaf, unsigned int number, unsigned int subleaf)
{
    uint32_t *to = answers->leaf[leaf];
    __cpuid_count(number, subleaf, to[GA_CPU_EAX], to[GA_CPU_EBX], to[GA_CPU_ECX], to[GA_CPU_EDX]);
}

static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

// Features of which the system keeps the registers for a process that has asked are disabled in others. Linux is asked
// only where the CPU has them.
static struct ga_cpu_found only_permitted(struct ga_cpu_found found)
{
    const uint32_t amx = found.usable & (GA_CPU_AMX_TILE | GA_CPU_AMX_INT8);
    if (amx != 0 && !ga_x86_permits_matrices()) {
        found.usable &= ~amx;
        found.disabled |= amx;
    }
    return found;
}

// Each leaf is asked for only where the one before says that it is there: a CPU answers others with those of the last.
struct ga_cpu_found ga_cpu_find(uint32_t asked)
{
    struct ga_cpu_answers answers = {{{0}}, 0};
    if (asked == 0) {
        return (struct ga_cpu_found){0, 0};
    }
    answers.leaf[GA_CPU_LEAF_0][GA_CPU_EAX] = (uint32_t)__get_cpuid_max(0, 0); // 0 where there is no cpuid
    if (ga_cpu_has_leaf(&answers, GA_CPU_LEAF_1)) {
        ask(&answers, GA_CPU_LEAF_1, 1, 0);
    }
    if (ga_cpu_has_xgetbv(&answers)) {
        answers.xcr0 = read_xcr0();
    }
    if (ga_cpu_has_leaf(&answers, GA_CPU_LEAF_7)) {
        ask(&answers, GA_CPU_LEAF_7, 7, 0);
    }
    if (ga_cpu_is_told_by(asked, GA_CPU_LEAF_7_1) && ga_cpu_has_leaf(&answers, GA_CPU_LEAF_7_1)) {
        ask(&answers, GA_CPU_LEAF_7_1, 7, 1);
    }
    if (ga_cpu_is_told_by(asked, GA_CPU_LEAF_EXTENDED_1)) {
        answers.leaf[GA_CPU_LEAF_EXTENDED_0][GA_CPU_EAX] = (uint32_t)__get_cpuid_max(0x80000000, 0);
        if (ga_cpu_has_leaf(&answers, GA_CPU_LEAF_EXTENDED_1)) {
            ask(&answers, GA_CPU_LEAF_EXTENDED_1, 0x80000001, 0);
        }
    }
    return only_permitted(ga_cpu_decode(&answers, asked));
}
#elif defined(__aarch64__)
#include "on_linux.h"

struct ga_cpu_found ga_cpu_find(uint32_t asked)
{
    return (struct ga_cpu_found){asked & ga_aarch64_features(), 0};
}
#else
struct ga_cpu_found ga_cpu_find(uint32_t asked)
{
    (void)asked;
    return (struct ga_cpu_found){0, 0};
}
#endif

uint32_t ga_cpu_features(void)
{
    return ga_cpu_find(UINT32_MAX).usable;
}

bool ga_cpu_has(uint32_t needed)
{
    return ga_cpu_find(needed).usable == needed;
}

bool ga_cpu_allow_amx(void)
{
    const uint32_t amx = GA_CPU_AMX_TILE | GA_CPU_AMX_INT8;
    if (ga_cpu_find(amx).disabled != 0) {
        ga_x86_ask_for_matrices();
    }
    return ga_cpu_has(amx);
}
