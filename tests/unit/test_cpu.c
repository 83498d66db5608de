// test_cpu.c: the features found, held against what the kernel says of the same CPU.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"

static const struct {
    uint32_t bit;
    const char *name;
} features[] = {
#define ROW(name, text, ...) {GA_CPU_##name, text},
    GA_CPU_LIST(ROW)
#undef ROW
};

// Reads the first line of features in /proc/cpuinfo as " a b c ", false where there is none.
static bool read_flags(char *line, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file != NULL && !found && fgets(line, (int)size, file) != NULL) {
        found = strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0; // x86-64, AArch64
    }
    if (file != NULL) {
        fclose(file);
    }
    line[strcspn(line, "\n")] = ' ';
    return found;
}

Test(cpu, features_are_those_the_kernel_lists)
{
    static char flags[16384];
    if (getenv("GA_EMULATED")) {
        cr_skip_test("an emulator shows the flags of its own CPU");
    }
    if (!read_flags(flags, sizeof flags - 1)) {
        cr_skip_test("no flags in /proc/cpuinfo to compare with");
    }
    (void)ga_cpu_allow_amx();
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", features[i].name);
        cr_expect_eq(ga_cpu_has(features[i].bit), strstr(flags, word) != NULL, "%s", features[i].name);
    }
}

enum { AMX = GA_CPU_AMX_TILE | GA_CPU_AMX_INT8 };

// Linux permits them to nobody who has not asked.
Test(cpu, matrix_registers_are_usable_after_they_are_allowed_and_not_before)
{
    const struct ga_cpu_found before = ga_cpu_find(AMX);
    if (getenv("GA_EMULATED")) {
        cr_skip_test("an emulator has no permissions");
    }
    cr_expect_eq(before.usable, 0);
    cr_expect_eq(ga_cpu_allow_amx(), before.disabled == AMX, "a CPU that has them may use them then, and no other");
    cr_expect_eq(ga_cpu_find(AMX).usable, before.disabled);
    cr_expect_eq(ga_cpu_allow_amx(), before.disabled == AMX, "a second time");
}

Test(cpu, every_feature_has_a_bit_of_its_own)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        cr_expect_neq(features[i].bit, 0, "%s", features[i].name);
        cr_expect_eq(seen & features[i].bit, 0, "%s", features[i].name);
        seen |= features[i].bit;
    }
    cr_expect_eq(ga_cpu_features() & ~seen, 0);
}

Test(cpu, has_wants_every_bit)
{
    const uint32_t features_here = ga_cpu_features();
    cr_expect(ga_cpu_has(0));
    cr_expect(ga_cpu_has(features_here));
    cr_expect(!ga_cpu_has(UINT32_C(1) << 31), "a feature nobody knows");
    cr_expect(!ga_cpu_has(features_here | UINT32_C(1) << 31));
}
