// test_pack_attachment.c: bytes that a file of packed weights holds beside them: given back as they were, refused when
// damaged, and passed over by who asks for weights. Files without them are test_pack.c's.
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

TestSuite(pack_attachment, .init = enter, .fini = leave);

enum { ENTRY = 256 + 2 * 64, AT = 3 * GA_PACK_HEADER }; // of the attachment after two sections of weights

Test(pack_attachment, it_stands_after_the_weights_whose_bytes_are_as_without_it)
{
    static unsigned char without[BOTH_END];
    cr_assert_eq(pack_image_make(2), BOTH_END);
    memcpy(without, pack_image, sizeof without);
    cr_assert_eq(pack_image_make_attached(2), ATTACHED_END);
    cr_expect_eq(memcmp(pack_image + GA_PACK_HEADER, without + GA_PACK_HEADER, BOTH_END - GA_PACK_HEADER), 0);
    cr_expect_eq(memcmp(pack_image + 256, without + 256, 2 * 64), 0, "the entries of the weights");
    cr_expect_eq(ga_read_u32(pack_image + 8), GA_PACK_VERSION);
    cr_expect_eq(ga_read_u32(pack_image + 40), 3);
    cr_expect_str_eq((const char *)pack_image + ENTRY, "_notes");
    cr_expect_eq(ga_read_u64(pack_image + ENTRY + 16), 77);
    cr_expect_eq(ga_read_u64(pack_image + ENTRY + 24), AT);
    cr_expect_eq(ga_read_u64(pack_image + ENTRY + 32), ATTACHED);
    cr_expect_eq(memcmp(pack_image + AT, pack_image_attachment.bytes, ATTACHED), 0);
}

Test(pack_attachment, it_reads_back_from_a_file_and_from_memory)
{
    struct ga_pack packs[2];
    struct ga_error error = {.text = ""};
    cr_assert_eq(pack_image_make_attached(2), ATTACHED_END);
    cr_assert_eq(ga_pack_open("w.gap", &packs[0], &error), GA_OK, "%s", error.text);
    cr_assert_eq(ga_pack_parse(pack_image, ATTACHED_END, "w.gap", &packs[1], &error), GA_OK, "%s", error.text);
    for (size_t i = 0; i < 2; i++) {
        unsigned char bytes[ATTACHED] = {0};
        const struct ga_pack_section *section = ga_pack_attachment(&packs[i], "_notes");
        cr_assert_not_null(section);
        cr_expect(ga_pack_is_attachment(section));
        cr_expect_not(ga_pack_is_attachment(&packs[i].sections[0]));
        cr_expect_eq(section->packing, 77);
        cr_assert_eq(section->bytes, ATTACHED);
        cr_expect_eq(ga_pack_read_attachment(&packs[i], section, bytes, &error), GA_OK, "%s", error.text);
        cr_expect_eq(memcmp(bytes, pack_image_attachment.bytes, ATTACHED), 0);
        cr_expect_eq(ga_pack_verify(&packs[i], 2, &error), GA_OK, "%s", error.text);
        cr_expect_null(ga_pack_attachment(&packs[i], "_other"));
        cr_expect_null(ga_pack_attachment(&packs[i], "quick"), "weights are no attachment");
        ga_pack_close(&packs[i]);
    }
}

Test(pack_attachment, weights_beside_it_are_found_and_named_without_it)
{
    static const struct ga_variant others[] = {PACK_VARIANT("swift", 0, 5, PACKED)};
    static const struct ga_model other = PACK_MODEL("tiny", "return {}\n", others);
    struct ga_error error = {.text = ""};
    const size_t size = pack_image_make_attached(1);
    cr_expect_eq(pack_image_try(size, &pack_image_model, GA_PACK_VERIFY, &error), GA_OK, "%s", error.text);
    cr_expect_eq(pack_image_try(size, &other, GA_PACK_VERIFY, &error), GA_UNSUPPORTED);
    cr_expect_not_null(strstr(error.text, "holds weights for quick, which this build has not"), "'%s'", error.text);
}

Test(pack_attachment, every_bit_of_it_counts_and_none_for_the_weights)
{
    struct ga_pack pack;
    struct ga_error error = {.text = ""};
    unsigned char bytes[ATTACHED];
    cr_assert_eq(pack_image_make_attached(2), ATTACHED_END);
    for (size_t bit = 8 * (size_t)AT; bit < 8 * (size_t)ATTACHED_END; bit++) {
        pack_image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        cr_assert_eq(ga_pack_parse(pack_image, ATTACHED_END, "w.gap", &pack, &error), GA_OK);
        cr_expect_eq(ga_pack_read_attachment(&pack, ga_pack_attachment(&pack, "_notes"), bytes, &error), GA_FORMAT);
        cr_expect_not_null(strstr(error.text, "w.gap: the checksum of the notes is"), "'%s'", error.text);
        cr_expect_eq(error.fault, GA_FAULT_PACK_DAMAGED);
        cr_expect_eq(ga_pack_verify(&pack, 2, &error), GA_FORMAT);
        cr_expect_eq(pack_image_try(ATTACHED_END, &pack_image_model, GA_PACK_VERIFY, NULL), GA_OK);
        pack_image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t at = 2 * GA_PACK_HEADER + PACKED; at < AT; at++) {
        pack_image[at] = 1;
        cr_expect_eq(pack_image_try(ATTACHED_END, &pack_image_model, GA_PACK_VERIFY, &error), GA_FORMAT, "byte %zu",
                     at);
        pack_image[at] = 0;
    }
}

Test(pack_attachment, a_header_that_lies_about_it_is_refused_by_the_byte)
{
    const struct {
        size_t at, bytes;
        uint64_t value;
        const char *expected;
    } rows[] = {
        {40, 4, 2, "expected zeros after the sections"},
        {ENTRY, 1, 'N', "byte 384: no name of an instruction set"},
        {ENTRY, 6, 0x6b63697571, "byte 384: a second section"},
        {ENTRY + 24, 8, UINT64_MAX - 4095, "byte 408: the section is not where the one before ends"},
        {ENTRY + 24, 8, AT - GA_PACK_HEADER, "byte 408: the section is not where the one before ends"},
        {ENTRY + 32, 8, ATTACHED + 1, "byte 416: the section ends after the file"},
        {ENTRY + 32, 8, UINT64_MAX, "byte 416: the section ends after the file"},
        {ENTRY + 32, 8, ATTACHED - 1, "bytes that belong to no section"},
        {ENTRY + 48, 8, 1, "byte 384: expected zeros after the section"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        cr_assert_eq(pack_image_make_attached(2), ATTACHED_END);
        for (size_t b = 0; b < rows[i].bytes; b++) {
            pack_image[rows[i].at + b] = (unsigned char)(rows[i].value >> (8 * b));
        }
        pack_image_seal();
        cr_expect_eq(pack_image_try(ATTACHED_END, &pack_image_model, GA_PACK_VERIFY, &error), GA_FORMAT);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "'%s', expected '%s'", error.text, rows[i].expected);
    }
}

Test(pack_attachment, a_file_of_attachments_alone_holds_weights_for_nothing)
{
    struct ga_error error = {.text = ""};
    const size_t size = pack_image_make(1);
    memcpy(pack_image + 256, "_quick", 6);
    pack_image_seal();
    cr_expect_eq(pack_image_try(size, &pack_image_model, GA_PACK_VERIFY, &error), GA_UNSUPPORTED);
    cr_expect_not_null(strstr(error.text, "w.gap: holds weights for nothing, which"), "'%s'", error.text);
}

Test(pack_attachment, what_no_file_can_hold_and_what_is_no_attachment_is_refused)
{
    const struct ga_pack_attachment rows[] = {
        {.name = NULL, .bytes = "a", .size = 1},      {.name = "notes", .bytes = "a", .size = 1},
        {.name = "_", .bytes = "a", .size = 1},       {.name = "_Notes", .bytes = "a", .size = 1},
        {.name = "_notes", .bytes = NULL, .size = 1}, {.name = "_fifteen_letters", .bytes = "a", .size = 1},
    };
    struct ga_error error = {.text = ""};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(ga_pack_write_with("w.gap", pack_image_loaded, 1, 0, &rows[i], &error), GA_ARGUMENT, "row %zu", i);
        cr_expect_eq(strncmp(error.text, "w.gap: ", 7), 0, "'%s'", error.text);
        cr_expect_neq(access("w.gap", F_OK), 0);
    }
    struct ga_pack pack;
    unsigned char bytes[ATTACHED];
    cr_assert_eq(pack_image_make_attached(2), ATTACHED_END);
    cr_assert_eq(ga_pack_parse(pack_image, ATTACHED_END, "w.gap", &pack, NULL), GA_OK);
    cr_expect_eq(ga_pack_read_attachment(NULL, NULL, bytes, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_read_attachment(&pack, NULL, bytes, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_read_attachment(&pack, &pack.sections[0], bytes, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_pack_read_attachment(&pack, &pack.sections[2], NULL, NULL), GA_ARGUMENT);
    cr_expect_null(ga_pack_attachment(NULL, "_notes"));
    cr_expect_null(ga_pack_attachment(&pack, NULL));
}
