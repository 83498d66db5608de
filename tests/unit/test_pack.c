// test_pack.c: files of packed weights, on a hand-written model: what is written reads back, and a file that is of
// another build, damaged or cut is refused with what was found. Whole models are kernels_pack.c's.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"
#include "pack_image.h"

static void enter(void)
{
    cr_assert(pack_image_enter(0xA5));
}

static void leave(void)
{
    cr_expect(pack_image_leave(), "something was left in the folder");
}

TestSuite(pack, .init = enter, .fini = leave);

static void expect_refused(enum ga_fault fault, size_t size, const struct ga_model *model, enum ga_status status,
                           const char *expected)
{
    const char *what = ga_fault_text(fault);
    struct ga_error error = {.text = ""};
    cr_expect_eq(pack_image_try(size, model, GA_PACK_VERIFY, &error), status, "%s: %s", what, error.text);
    cr_expect_eq(error.fault, fault, "%s: %s", what, ga_fault_text(error.fault));
    cr_expect_not_null(strstr(error.text, expected), "%s: said '%s', expected '%s'", what, error.text, expected);
    cr_expect_eq(strncmp(error.text, "w.gap: ", 7), 0, "%s: '%s' does not name the file", what, error.text);
}

static _Alignas(GA_ALIGN) unsigned char block[GA_ALIGN + PACKED];

// -- What is written ------------------------------------------------------------------------------------------------

Test(pack, a_file_is_laid_out_as_the_header_says)
{
    cr_assert_eq(pack_image_make(2), BOTH_END);
    cr_expect_eq(memcmp(pack_image, "\x89GAP\r\n\x1a\n", 8), 0);
    cr_expect_eq(ga_read_u32(pack_image + 8), GA_PACK_VERSION);
    cr_expect_eq(ga_read_u32(pack_image + 12), 4096);
    cr_expect_eq(ga_read_u64(pack_image + 16), BOTH_END);
    cr_expect_eq(ga_read_u32(pack_image + 28), GA_ABI);
    cr_expect_eq(ga_read_u64(pack_image + 32), ga_checksum("return {}\n", 10));
    cr_expect_eq(ga_read_u32(pack_image + 40), 2);
    cr_expect_eq(ga_read_u32(pack_image + 44), GA_BITS_REVISION);
    cr_expect_eq(ga_read_u64(pack_image + 4080), ga_read_u64(pack_image + 256 + 40), "no number of the weights given");
    cr_expect_str_eq((const char *)pack_image + 48, "tiny");
    for (size_t v = 0; v < 2; v++) {
        const unsigned char *entry = pack_image + 256 + 64 * v;
        cr_expect_str_eq((const char *)entry, pack_image_variants[1 + v].isa);
        cr_expect_eq(ga_read_u64(entry + 16), pack_image_variants[1 + v].packing);
        cr_expect_eq(ga_read_u64(entry + 24), 4096 * (1 + v));
        cr_expect_eq(ga_read_u64(entry + 32), PACKED);
        cr_expect_eq(ga_read_u64(entry + 40), ga_checksum_of_parts(pack_image + 4096 * (1 + v), PACKED));
        cr_expect_eq(memcmp(pack_image + 4096 * (1 + v), pack_image_loaded[v]->packed, PACKED), 0);
    }
}

Test(pack, the_number_of_the_weights_before_packing_is_kept)
{
    struct ga_pack pack;
    cr_assert_eq(ga_pack_write_with("w.gap", pack_image_loaded, 2, UINT64_MAX - 1, NULL, NULL), GA_OK);
    cr_assert_eq(ga_pack_open("w.gap", &pack, NULL), GA_OK);
    cr_expect_eq(pack.weights, UINT64_MAX - 1);
    ga_pack_close(&pack);
    cr_assert_eq(ga_pack_write("w.gap", pack_image_loaded, 2, NULL), GA_OK);
    cr_assert_eq(ga_pack_open("w.gap", &pack, NULL), GA_OK);
    cr_expect_eq(pack.weights, pack.sections[0].checksum);
    ga_pack_close(&pack);
}

Test(pack, equal_weights_make_equal_files_whatever_the_block_held)
{
    static unsigned char first[BOTH_END];
    cr_assert_eq(pack_image_make(2), BOTH_END);
    memcpy(first, pack_image, sizeof first);
    leave();
    cr_assert(pack_image_enter(0x5A));
    cr_assert_eq(pack_image_make(2), BOTH_END);
    cr_expect_eq(memcmp(first, pack_image, sizeof first), 0);
}

Test(pack, weights_no_file_can_hold_are_refused)
{
    static const struct ga_variant strangers[] = {PACK_FUTURE};
    static const struct ga_model stranger = PACK_MODEL("tiny", "return {}\n", strangers);
    const struct ga_loaded *const *loaded = pack_image_loaded, *const none[] = {loaded[0], NULL};
    struct ga_loaded other = *loaded[0];
    other.model = &stranger;
    const struct ga_loaded *const twice[] = {loaded[0], loaded[0]}, *const mixed[] = {loaded[0], &other};
    const struct {
        const char *path;
        const struct ga_loaded *const *loaded;
        size_t count;
        const char *expected;
    } rows[] = {
        {NULL, loaded, 1, "path is NULL"},
        {"w.gap", NULL, 1, "loaded is NULL"},
        {"w.gap", loaded, 0, "0 packed weights"},
        {"w.gap", loaded, 17, "expected 1..16"},
        {"w.gap", twice, 2, "packed for quick"},
        {"w.gap", mixed, 2, "another model's"},
        {"w.gap", none, 2, "weights 1 of 2 are NULL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        cr_expect_eq(ga_pack_write(rows[i].path, rows[i].loaded, rows[i].count, &error), GA_ARGUMENT);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "'%s'", error.text);
        cr_expect_neq(access("w.gap", F_OK), 0);
    }
}

// -- What reads back ------------------------------------------------------------------------------------------------

Test(pack, a_file_loads_as_it_was_packed)
{
    for (size_t count = 1; count <= 2; count++) {
        struct ga_pack pack;
        struct ga_error error = {.text = ""};
        const struct ga_loaded *result;
        cr_assert_gt(pack_image_make(count), 0);
        cr_expect(ga_pack_is_file("w.gap"));
        cr_assert_eq(ga_pack_open("w.gap", &pack, &error), GA_OK, "%s", error.text);
        for (size_t v = 0; v < count; v++) {
            for (enum ga_pack_trust trust = GA_PACK_VERIFY; trust <= GA_PACK_TRUST; trust++) {
                memset(block, 0xFF, sizeof block);
                cr_assert_eq(ga_pack_load(&pack, &pack_image_model, &pack_image_variants[1 + v], trust, block,
                                          sizeof block, &result, &error),
                             GA_OK, "%s", error.text);
                cr_expect_eq(ga_loaded_model(result), &pack_image_model);
                cr_expect_eq(ga_loaded_variant(result), &pack_image_variants[1 + v]);
                cr_expect_eq(memcmp(result->packed, pack_image_loaded[v]->packed, PACKED), 0);
            }
            cr_expect_eq(ga_pack_verify(&pack, v, &error), GA_OK, "%s", error.text);
        }
        cr_expect_eq(ga_pack_verify(&pack, count, &error), GA_ARGUMENT);
        ga_pack_close(&pack);
    }
}

Test(pack, a_file_or_bytes_in_memory_are_used_where_they_lie)
{
    static _Alignas(GA_ALIGN) unsigned char bytes[BOTH_END + 4];
    struct ga_pack of_file, of_memory, misaligned;
    struct ga_pack_map map;
    struct ga_error error = {.text = ""};
    cr_assert_eq(pack_image_make(2), BOTH_END);
    memcpy(bytes, pack_image, BOTH_END);
    cr_assert_eq(ga_pack_open("w.gap", &of_file, &error), GA_OK, "%s", error.text);
    cr_assert_eq(ga_pack_parse(bytes, BOTH_END, "memory", &of_memory, &error), GA_OK, "%s", error.text);
    for (size_t v = 0; v < 2; v++) {
        for (enum ga_pack_trust trust = GA_PACK_VERIFY; trust <= GA_PACK_TRUST; trust++) {
            cr_assert_eq(ga_pack_map(&of_file, &pack_image_model, &pack_image_variants[1 + v], trust, &map, &error),
                         GA_OK, "%s", error.text);
            cr_expect_eq((uintptr_t)map.weights.packed % GA_ALIGN, 0);
            cr_expect_eq(memcmp(map.weights.packed, pack_image_loaded[v]->packed, PACKED), 0);
            ga_pack_unmap(&map);
            ga_pack_unmap(&map);
            cr_assert_eq(ga_pack_map(&of_memory, &pack_image_model, &pack_image_variants[1 + v], trust, &map, &error),
                         GA_OK, "%s", error.text);
            cr_expect_eq(map.weights.packed, bytes + (1 + v) * GA_PACK_HEADER);
            ga_pack_unmap(&map);
        }
    }
    ga_pack_close(&of_file);
    memmove(bytes + 4, bytes, BOTH_END);
    cr_assert_eq(ga_pack_parse(bytes + 4, BOTH_END, "memory", &misaligned, &error), GA_OK);
    cr_expect_eq(ga_pack_map(&misaligned, &pack_image_model, &pack_image_variants[1], GA_PACK_TRUST, &map, &error),
                 GA_ALIGNMENT);
    cr_expect_null(map.weights.packed);
}

Test(pack, the_best_variant_that_the_file_has_and_the_cpu_runs_is_taken)
{
    struct ga_pack pack;
    const struct ga_variant *variant;
    cr_assert_gt(pack_image_make(2), 0);
    cr_assert_eq(ga_pack_parse(pack_image, BOTH_END, "w.gap", &pack, NULL), GA_OK);
    cr_expect_eq(ga_pack_variant(&pack, &pack_image_model, NULL, &variant, NULL), GA_OK);
    cr_expect_eq(variant, &pack_image_variants[1]);
    cr_expect_eq(ga_pack_variant(&pack, &pack_image_model, "plain", &variant, NULL), GA_OK);
    cr_expect_eq(variant, &pack_image_variants[2]);
    pack_image_loaded[0] = pack_image_loaded[1];
    const size_t size = pack_image_make(1);
    cr_assert_eq(ga_pack_parse(pack_image, size, "w.gap", &pack, NULL), GA_OK);
    cr_expect_eq(ga_pack_variant(&pack, &pack_image_model, NULL, &variant, NULL), GA_OK);
    cr_expect_eq(variant, &pack_image_variants[2], "the file has no other");
}

// -- What is of another build ---------------------------------------------------------------------------------------

Test(pack, another_build_refuses_the_file_and_says_why)
{
    static const struct ga_variant repacked[] = {PACK_FUTURE, PACK_VARIANT("quick", 0, 4, PACKED)};
    static const struct ga_variant larger[] = {PACK_FUTURE, PACK_VARIANT("quick", 0, 5, PACKED + 4)};
    static const struct ga_variant others[] = {PACK_FUTURE, PACK_VARIANT("swift", 0, 5, PACKED)};
    static const struct ga_model models[] = {
        PACK_MODEL("small", "return {}\n", pack_image_variants),
        PACK_MODEL("tiny", "return { 1 }\n", pack_image_variants),
        PACK_MODEL("tiny", "return {}\n", repacked),
        PACK_MODEL("tiny", "return {}\n", larger),
        PACK_MODEL("tiny", "return {}\n", others),
    };
    static const enum ga_fault faults[] = {GA_FAULT_PACK_MODEL, GA_FAULT_PACK_SPEC, GA_FAULT_PACK_BUILD,
                                           GA_FAULT_PACK_BUILD, GA_FAULT_PACK_ISA};
    static const char *const expected[] = {
        "packed weights of model tiny; expected those of small: pack the weights again with this build",
        "packed from another spec of tiny (its hash is",
        "its weights for quick were laid out by another build (92 bytes by layout 0000000000000005; this build's are",
        "this build's are 96 bytes by 0000000000000005): pack the weights again",
        "holds weights for quick, plain, which this build has not",
    };
    cr_assert_gt(pack_image_make(2), 0);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        expect_refused(faults[i], BOTH_END, &models[i], GA_UNSUPPORTED, expected[i]);
    }
    ga_write_u32(pack_image + 28, GA_ABI + 1);
    pack_image_seal();
    expect_refused(GA_FAULT_PACK_BUILD, BOTH_END, &pack_image_model, GA_UNSUPPORTED, "packed by a build of interface");
    ga_write_u32(pack_image + 28, GA_ABI);
    ga_write_u32(pack_image + 24, 3 - ga_read_u32(pack_image + 24));
    pack_image_seal();
    expect_refused(GA_FAULT_PACK_BYTE_ORDER, BOTH_END, &pack_image_model, GA_UNSUPPORTED,
                   "a machine of the other byte order");
}

Test(pack, weights_of_another_bits_revision_are_refused)
{
    static const struct ga_variant others[] = {PACK_VARIANT("quick", 0, 5, PACKED)};
    struct ga_model later = PACK_MODEL("tiny", "return {}\n", others);
    cr_assert_gt(pack_image_make(2), 0);
    ga_write_u32(pack_image + 44, 0); // of before there were revisions
    pack_image_seal();
    expect_refused(GA_FAULT_PACK_BUILD, BOTH_END, &pack_image_model, GA_UNSUPPORTED,
                   "packed by a build of bits revision 0; this one has 1");
    ga_write_u32(pack_image + 44, GA_BITS_REVISION);
    pack_image_seal();
    later.bits_revision = GA_BITS_REVISION + 1;
    expect_refused(GA_FAULT_PACK_BUILD, BOTH_END, &later, GA_UNSUPPORTED,
                   "whose packed weights and results differ: pack the weights again with this build");
}

Test(pack, instruction_sets_that_are_not_there_are_refused)
{
    static const struct ga_variant forward[] = {PACK_VARIANT("quick", UINT32_C(1) << 31, 5, PACKED)};
    static const struct ga_model model = PACK_MODEL("tiny", "return {}\n", forward);
    const struct {
        const char *isa;
        enum ga_status status;
        const char *expected;
    } rows[] = {
        {"plain", GA_UNSUPPORTED, "w.gap: holds weights for quick, none for plain: pack them for that too"},
        {"future", GA_CPU, "isa 'future' needs"},
        {"mips", GA_UNSUPPORTED, "isa 'mips' is not in this build"},
    };
    struct ga_pack pack;
    const struct ga_variant *variant;
    const size_t size = pack_image_make(1);
    cr_assert_eq(ga_pack_parse(pack_image, size, "w.gap", &pack, NULL), GA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        cr_expect_eq(ga_pack_variant(&pack, &pack_image_model, rows[i].isa, &variant, &error), rows[i].status, "%s",
                     error.text);
        cr_expect_null(variant);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "'%s'", error.text);
    }
    expect_refused(GA_FAULT_PACK_ISA, size, &model, GA_CPU, "holds weights for quick, which this CPU does not run");
}

// -- Arguments ------------------------------------------------------------------------------------------------------

Test(pack, what_is_no_regular_file_is_refused)
{
    const struct {
        const char *path;
        const char *expected;
    } rows[] = {
        {"absent", "absent: cannot open: No such file"},
        {"/tmp", "/tmp: a directory; expected a regular file"},
        {"/dev/null", "/dev/null: a pipe or device; expected a regular file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_pack pack;
        struct ga_error error = {.text = ""};
        cr_expect_eq(ga_pack_open(rows[i].path, &pack, &error), GA_IO);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "'%s'", error.text);
        cr_expect_not(ga_pack_is_file(rows[i].path));
    }
}

Test(pack, arguments_that_are_missing_or_too_small_are_refused)
{
    struct ga_pack pack;
    struct ga_pack_map map;
    const struct ga_variant *variant;
    const struct ga_loaded *result;
    static const struct ga_variant stranger = PACK_VARIANT("quick", 0, 5, PACKED);
    const size_t size = pack_image_make(2);
    cr_assert_eq(ga_pack_parse(pack_image, size, "w.gap", &pack, NULL), GA_OK);
    const struct ga_variant *const quick = &pack_image_variants[1];
#define LOAD(pack, model, variant, to, bytes, out) \
    ga_pack_load(pack, model, variant, GA_PACK_VERIFY, to, bytes, out, NULL)
#define MAP(pack, model, variant, out) ga_pack_map(pack, model, variant, GA_PACK_VERIFY, out, NULL)
    cr_expect_eq(ga_pack_open(NULL, &pack, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_open("w.gap", NULL, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_parse(NULL, 0, "w.gap", &pack, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_parse(pack_image, size, NULL, &pack, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_parse(pack_image, size, "w.gap", NULL, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_variant(NULL, &pack_image_model, NULL, &variant, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_variant(&pack, NULL, NULL, &variant, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_variant(&pack, &pack_image_model, NULL, NULL, NULL), GA_ARGUMENT);
    cr_expect_eq(LOAD(NULL, &pack_image_model, quick, block, sizeof block, &result), GA_ARGUMENT);
    cr_expect_eq(LOAD(&pack, NULL, quick, block, sizeof block, &result), GA_ARGUMENT);
    cr_expect_eq(LOAD(&pack, &pack_image_model, NULL, block, sizeof block, &result), GA_ARGUMENT);
    cr_expect_eq(LOAD(&pack, &pack_image_model, quick, block, sizeof block, NULL), GA_ARGUMENT);
    cr_expect_eq(LOAD(&pack, &pack_image_model, &stranger, block, sizeof block, &result), GA_ARGUMENT);
    cr_expect_eq(LOAD(&pack, &pack_image_model, &pack_image_variants[0], block, sizeof block, &result), GA_CPU);
    cr_expect_eq(LOAD(&pack, &pack_image_model, quick, NULL, sizeof block, &result), GA_ARGUMENT);
    cr_expect_eq(LOAD(&pack, &pack_image_model, quick, block, sizeof block - 1, &result), GA_SIZE);
    cr_expect_eq(LOAD(&pack, &pack_image_model, quick, block + 4, sizeof block, &result), GA_ALIGNMENT);
    cr_expect_eq(MAP(NULL, &pack_image_model, quick, &map), GA_ARGUMENT);
    cr_expect_eq(MAP(&pack, &pack_image_model, quick, NULL), GA_ARGUMENT);
    cr_expect_eq(MAP(&pack, &pack_image_model, &pack_image_variants[0], &map), GA_CPU);
    cr_expect_eq(ga_pack_verify(NULL, 0, NULL), GA_ARGUMENT);
    ga_pack_close(NULL);
    ga_pack_unmap(NULL);
}
