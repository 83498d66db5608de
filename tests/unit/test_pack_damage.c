// test_pack_damage.c: a file of packed weights with any bit changed, cut anywhere, or with a header that lies, is
// refused; and the checksum that finds it out. Files that are whole are test_pack.c's.
#define _POSIX_C_SOURCE 200809L // truncate
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
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

TestSuite(pack_damage, .init = enter, .fini = leave);

static void expect_refused(const char *what, size_t size, const struct ga_model *model, enum ga_fault fault,
                           const char *expected)
{
    struct ga_error error = {.text = ""};
    cr_expect_eq(pack_image_try(size, model, GA_PACK_VERIFY, &error), GA_FORMAT, "%s: %s", what, error.text);
    cr_expect_eq(error.fault, fault, "%s: %s", what, ga_fault_text(error.fault));
    cr_expect_not_null(strstr(error.text, expected), "%s: said '%s', expected '%s'", what, error.text, expected);
    cr_expect_eq(strncmp(error.text, "w.gap: ", 7), 0, "%s: '%s' does not name the file", what, error.text);
}

// -- What is damaged ------------------------------------------------------------------------------------------------

Test(pack_damage, every_bit_of_the_header_counts)
{
    const size_t size = pack_image_make(2);
    for (size_t bit = 0; bit < 8 * (size_t)GA_PACK_HEADER; bit++) {
        struct ga_error error = {.text = ""};
        struct ga_pack pack;
        pack_image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const enum ga_status status = ga_pack_parse(pack_image, size, "w.gap", &pack, &error);
        const bool is_version = bit / 8 >= 8 && bit / 8 < 12;
        cr_expect_eq(status, is_version ? GA_UNSUPPORTED : GA_FORMAT, "bit %zu: %s", bit, error.text);
        cr_expect_not_null(strstr(error.text, bit / 8 < 8  ? "not a file of packed weights"
                                              : is_version ? "format version"
                                                           : "the header's checksum is"),
                           "bit %zu: '%s'", bit, error.text);
        cr_expect_eq(error.fault, bit / 8 < 8  ? GA_FAULT_PACK_MAGIC
                                  : is_version ? GA_FAULT_PACK_VERSION
                                               : GA_FAULT_PACK_HEADER);
        pack_image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

Test(pack_damage, every_bit_of_the_weights_and_before_them_counts)
{
    const size_t size = pack_image_make(2), end = GA_PACK_HEADER + PACKED; // of the section that is loaded
    for (size_t bit = 8 * (size_t)GA_PACK_HEADER; bit < 8 * 2 * (size_t)GA_PACK_HEADER; bit++) {
        struct ga_error error = {.text = ""};
        pack_image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        cr_expect_eq(pack_image_try(size, &pack_image_model, GA_PACK_VERIFY, &error), GA_FORMAT, "bit %zu", bit);
        cr_expect_not_null(
            strstr(error.text, bit / 8 < end ? "the checksum of the weights for quick is" : "expected zeros"),
            "bit %zu: '%s'", bit, error.text);
        cr_expect_eq(pack_image_try(size, &pack_image_model, GA_PACK_TRUST, NULL), GA_OK, "bit %zu: trusted", bit);
        pack_image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    cr_expect_eq(pack_image_try(size, &pack_image_model, GA_PACK_VERIFY, NULL), GA_OK);
}

Test(pack_damage, a_damaged_section_is_refused_mapped_and_verified_too)
{
    struct ga_pack pack;
    struct ga_pack_map map;
    struct ga_error error = {.text = ""};
    const size_t size = pack_image_make(2);
    pack_image[GA_PACK_HEADER + 50] ^= 4;
    pack_image_write(size);
    cr_assert_eq(ga_pack_open("w.gap", &pack, &error), GA_OK);
    cr_expect_eq(ga_pack_map(&pack, &pack_image_model, &pack_image_variants[1], GA_PACK_VERIFY, &map, &error),
                 GA_FORMAT);
    cr_expect_null(map.address);
    cr_expect_null(map.weights.packed);
    cr_expect_eq(ga_pack_verify(&pack, 0, &error), GA_FORMAT);
    cr_expect_eq(ga_pack_verify(&pack, 1, &error), GA_OK);
    ga_pack_close(&pack);
}

Test(pack_damage, every_truncation_and_every_addition_is_refused)
{
    const size_t size = pack_image_make(2);
    for (size_t cut = 0; cut < size; cut++) {
        expect_refused("cut", cut, &pack_image_model, cut < 8 ? GA_FAULT_PACK_MAGIC : GA_FAULT_PACK_SIZE,
                       cut < 8                ? "not a file of packed weights"
                       : cut < GA_PACK_HEADER ? "cut off: "
                                              : "the file is cut off");
    }
    pack_image[size] = 0;
    expect_refused("one byte more", size + 1, &pack_image_model, GA_FAULT_PACK_SIZE, "longer than it was written");
}

// A number in the header, the lowest byte first.
static void put(size_t at, size_t bytes, uint64_t value)
{
    for (size_t b = 0; b < bytes; b++) {
        pack_image[at + b] = (unsigned char)(value >> (8 * b));
    }
}

Test(pack_damage, a_header_that_lies_is_refused_by_the_byte)
{
    const struct {
        size_t at, bytes;
        uint64_t value;
        const char *expected;
    } rows[] = {
        {12, 4, 8192, "byte 12: expected a header of 4096 bytes"},
        {16, 8, BOTH_END + 1, "its header says 8285: the file is cut off"},
        {16, 8, UINT64_MAX, "the file is cut off"},
        {24, 4, 0, "byte 24: the byte order"},
        {24, 4, 3, "byte 24: the byte order"},
        {40, 4, 0, "byte 40: expected 1 to 16 sections"},
        {40, 4, UINT32_MAX, "byte 40: expected 1 to 16 sections"},
        {40, 4, 1, "expected zeros after the sections"},
        {40, 4, 3, "byte 384: no name of an instruction set"},
        {4079, 1, 1, "expected zeros after the sections"},
        {4080, 8, 0, "byte 4080: no number of the weights before packing"},
        {48, 8, 0, "byte 48: no name of a model"},
        {48, 4, 0x0a7465, "byte 48: no name of a model"},
        {255, 1, 'x', "byte 48: no name of a model"},
        {256, 1, 'Q', "byte 256: no name of an instruction set"},
        {271, 1, 'x', "byte 256: no name of an instruction set"},
        {280, 8, 0, "byte 280: the section is not where the one before ends"},
        {280, 8, 8192, "byte 280: the section is not where the one before ends"},
        {280, 8, UINT64_MAX - 4095, "byte 280: the section is not where the one before ends"},
        {288, 8, UINT64_MAX, "byte 288: the section ends after the file"},
        {288, 8, BOTH_END - 4096 + 1, "byte 288: the section ends after the file"},
        {304, 8, 1, "byte 256: expected zeros after the section"},
        {320, 6, 0x6b63697571, "byte 320: a second section for one instruction set"},
        {352, 8, PACKED - 4, "byte 8280: bytes that belong to no section"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t size = pack_image_make(2);
        put(rows[i].at, rows[i].bytes, rows[i].value);
        pack_image_seal();
        expect_refused(rows[i].expected, size, &pack_image_model,
                       rows[i].at == 16 ? GA_FAULT_PACK_SIZE : GA_FAULT_PACK_HEADER, rows[i].expected);
    }
}

Test(pack_damage, a_file_that_shrinks_once_opened_is_refused)
{
    struct ga_pack pack;
    struct ga_error error = {.text = ""};
    static _Alignas(GA_ALIGN) unsigned char block[GA_ALIGN + PACKED];
    const struct ga_loaded *result;
    cr_assert_gt(pack_image_make(1), 0);
    cr_assert_eq(ga_pack_open("w.gap", &pack, &error), GA_OK);
    cr_assert_eq(truncate("w.gap", GA_PACK_HEADER + 10), 0);
    cr_expect_eq(ga_pack_load(&pack, &pack_image_model, &pack_image_variants[1], GA_PACK_VERIFY, block, sizeof block,
                              &result, &error),
                 GA_IO);
    cr_expect_not_null(strstr(error.text, "ends 82 bytes early"), "'%s'", error.text);
    cr_expect_null(result);
    ga_pack_close(&pack);
}

// -- The checksum ---------------------------------------------------------------------------------------------------

Test(checksum, sums_are_those_of_the_reference)
{
    // From xxhsum; the bytes of the long one are 7 i + 3.
    unsigned char bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(7 * i + 3);
    }
    cr_expect_eq(ga_checksum("", 0), 0xef46db3751d8e999u);
    cr_expect_eq(ga_checksum("a", 1), 0xd24ec4f1a98c6e5bu);
    cr_expect_eq(ga_checksum("abc", 3), 0x44bc2cf5ad770999u);
    cr_expect_eq(ga_checksum(bytes, 31), 0xa2aa5f33cc4a6119u);
    cr_expect_eq(ga_checksum(bytes, 32), 0x23c3c17ef790fd97u);
    cr_expect_eq(ga_checksum(bytes, 45), 0x86faee00897c4b41u);
    cr_expect_eq(ga_checksum(bytes, 199), 0xf7efd3430a01de39u);
    struct ga_checksum sum = ga_checksum_start();
    ga_checksum_add(&sum, bytes, 64);
    ga_checksum_add(&sum, bytes + 64, 0);
    ga_checksum_add(&sum, bytes + 64, 135);
    cr_expect_eq(ga_checksum_end(&sum), ga_checksum(bytes, 199));
}

// Written out: the checksums of the parts, and then theirs.
static uint64_t sum_of_parts(const unsigned char *bytes, size_t size)
{
    unsigned char sums[8 * 16];
    size_t count = 0;
    for (size_t at = 0; at < size; at += GA_CHECKSUM_PART) {
        const size_t left = size - at, part = left < GA_CHECKSUM_PART ? left : GA_CHECKSUM_PART;
        ga_write_u64(sums + 8 * count++, ga_checksum(bytes + at, part));
    }
    return ga_checksum(sums, 8 * count);
}

Test(checksum, sums_of_parts_are_the_same_however_the_bytes_come)
{
    enum { PART = GA_CHECKSUM_PART, MOST = 11 * PART };
    static const size_t sizes[] = {0,        1,        31,           32,       PART - 1,      PART,
                                   PART + 1, 3 * PART, 4 * PART - 1, 4 * PART, 4 * PART + 33, 5 * PART,
                                   8 * PART, MOST - 7};
    static const size_t pieces[] = {4096, PART, 4 * PART, 4 * PART + 64, MOST};
    unsigned char *bytes = malloc(MOST);
    cr_assert_not_null(bytes);
    for (size_t i = 0; i < MOST; i++) {
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t expected = sum_of_parts(bytes, sizes[s]);
        cr_expect_eq(ga_checksum_of_parts(bytes, sizes[s]), expected, "%zu bytes", sizes[s]);
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            struct ga_checksum_parts sum = ga_checksum_parts_start();
            for (size_t at = 0; at < sizes[s]; at += pieces[p]) {
                ga_checksum_parts_add(&sum, bytes + at, sizes[s] - at < pieces[p] ? sizes[s] - at : pieces[p]);
            }
            cr_expect_eq(ga_checksum_parts_end(&sum), expected, "%zu bytes by %zu", sizes[s], pieces[p]);
        }
    }
    free(bytes);
}
