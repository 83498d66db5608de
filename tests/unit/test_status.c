// test_status.c: sentences for statuses, and errors cut to fit.
#include <criterion/criterion.h>
#include <string.h>

#include "status.h"

enum {
#define COUNT_STATUS(name, sentence) COUNT_##name,
    GA_STATUS_LIST(COUNT_STATUS)
#undef COUNT_STATUS
        N_STATUSES
};

Test(status, every_status_has_a_sentence_of_its_own)
{
    for (int i = 0; i < N_STATUSES; i++) {
        const char *sentence = ga_status_text((enum ga_status)i);
        cr_expect(strlen(sentence) > 0, "status %d", i);
        for (int j = 0; j < i; j++) {
            cr_expect(strcmp(sentence, ga_status_text((enum ga_status)j)) != 0, "statuses %d and %d", j, i);
        }
    }
    cr_expect_str_eq(ga_status_text(GA_OK), "ok");
}

Test(status, a_number_that_is_no_status_has_a_sentence)
{
    cr_expect_str_eq(ga_status_text((enum ga_status)N_STATUSES), "no such status");
    cr_expect_str_eq(ga_status_text((enum ga_status) - 1), "no such status");
}

static const struct {
    enum ga_fault fault;
    int number;
} faults[] = {
#define FAULT_ROW(name, number, sentence) {GA_FAULT_##name, number},
    GA_FAULT_LIST(FAULT_ROW)
#undef FAULT_ROW
};
enum { N_FAULTS = sizeof faults / sizeof *faults };

Test(status, every_fault_has_a_sentence_of_its_own)
{
    for (size_t i = 0; i < N_FAULTS; i++) {
        const char *sentence = ga_fault_text(faults[i].fault);
        cr_expect(strlen(sentence) > 0, "fault %d", faults[i].number);
        for (size_t j = 0; j < i; j++) {
            cr_expect(strcmp(sentence, ga_fault_text(faults[j].fault)) != 0, "faults %d and %d", faults[j].number,
                      faults[i].number);
            cr_expect(faults[j].number < faults[i].number, "fault %d before %d", faults[j].number, faults[i].number);
        }
    }
    cr_expect_str_eq(ga_fault_text((enum ga_fault)99), "no such fault");
}

// A program may have written these numbers down.
Test(status, faults_keep_their_numbers)
{
    cr_expect_eq((int)GA_FAULT_NONE, 0);
    cr_expect_eq((int)GA_FAULT_HEADER_CAP, 104);
    cr_expect_eq((int)GA_FAULT_TENSORS_TOO_MANY, 218);
    cr_expect_eq((int)GA_FAULT_VALUES_TOO_MANY, 219);
    cr_expect_eq((int)GA_FAULT_MISALIGNED, 319);
    cr_expect_eq((int)GA_FAULT_EMPTY_MISPLACED, 405);
    cr_expect_eq((int)GA_FAULT_NOT_FINITE, 507);
    cr_expect_eq((int)GA_FAULT_SHARD_TOTAL, 608);
    cr_expect_eq((int)GA_FAULT_INDEX_EMPTY, 609);
    cr_expect_eq((int)GA_FAULT_FILE_HUGE, 707);
    cr_expect_eq((int)GA_FAULT_PACK_ISA, 810);
}

Test(status, fail_fills_the_error_and_returns_the_status)
{
    struct ga_error error;
    cr_expect_eq(ga_fail(&error, GA_SHAPE, "%s has %d axes", "q", 3), GA_SHAPE);
    cr_expect_eq(error.status, GA_SHAPE);
    cr_expect_str_eq(error.text, "q has 3 axes");
    cr_expect_eq(error.fault, GA_FAULT_NONE);
    cr_expect_eq(error.offset, GA_NO_OFFSET);
    cr_expect_eq(ga_fail(NULL, GA_IO, "nobody listens"), GA_IO);
}

Test(status, fail_at_tells_the_fault_and_the_byte)
{
    struct ga_error error;
    cr_expect_eq(ga_fail_at(&error, GA_FORMAT, GA_FAULT_HOLE, 71, "byte %d", 71), GA_FORMAT);
    cr_expect_eq(error.status, GA_FORMAT);
    cr_expect_str_eq(error.text, "byte 71");
    cr_expect_eq(error.fault, GA_FAULT_HOLE);
    cr_expect_eq(error.offset, 71);
    cr_expect_eq(ga_fail(&error, GA_IO, "another"), GA_IO);
    cr_expect_eq(error.fault, GA_FAULT_NONE, "the last failure's fault is left");
    cr_expect_eq(ga_fail_at(NULL, GA_IO, GA_FAULT_OPEN, 0, "nobody listens"), GA_IO);
}

Test(status, long_text_is_cut_to_fit)
{
    struct ga_error error;
    char text[2 * sizeof error.text];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ga_fail(&error, GA_IO, "%s", text);
    cr_expect_eq(strlen(error.text), sizeof error.text - 1);
}

// Fills text with a's, then as many of the character as fit, the last of them cut.
static void fill_across_the_end(char *text, size_t size, size_t n_plain, const char *character)
{
    memset(text, 'a', n_plain);
    text[n_plain] = '\0';
    while (strlen(text) + strlen(character) < size) {
        strcat(text, character);
    }
}

Test(status, a_cut_never_halves_a_character)
{
    static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t c = 0; c < sizeof characters / sizeof *characters; c++) {
        const size_t width = strlen(characters[c]);
        for (size_t shift = 0; shift < width; shift++) {
            struct ga_error error;
            char text[600];
            fill_across_the_end(text, sizeof text, shift, characters[c]);
            ga_fail(&error, GA_IO, "%s", text);
            const size_t length = strlen(error.text);
            cr_expect_eq((length - shift) % width, 0, "width %zu, shift %zu: %zu bytes", width, shift, length);
            cr_expect_gt(length + width, sizeof error.text - 1, "width %zu, shift %zu: cut too much", width, shift);
        }
    }
}

Test(status, text_that_just_fits_is_not_cut)
{
    struct ga_error error;
    char text[sizeof error.text];
    fill_across_the_end(text, sizeof text, (sizeof text - 1) % 2, "\xc3\xa9");
    cr_assert_eq(strlen(text), sizeof text - 1);
    ga_fail(&error, GA_IO, "%s", text);
    cr_expect_str_eq(error.text, text);
}

// What a file says must not steer the terminal of who reads it.
Test(status, messages_show_what_would_steer_a_terminal)
{
    static const struct {
        const char *said, *shown;
    } rows[] = {
        {"a\x1b[2Jb", "a\\x1b[2Jb"},
        {"\r\n\t\x7f", "\\x0d\\x0a\\x09\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"},
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
        {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
        {"\xd8\x9c", "\\xd8\\x9c"},
        {"\xc3\xa9 \xe2\x80\x94 \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x80\x94 \xf0\x9f\x98\x80"},
    };
    struct ga_error error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ga_fail(&error, GA_FORMAT, "%s", rows[i].said);
        cr_expect_str_eq(error.text, rows[i].shown);
    }
    char controls[sizeof error.text];
    memset(controls, '\x1b', sizeof controls);
    controls[sizeof controls - 1] = '\0';
    ga_fail(&error, GA_FORMAT, "%s", controls);
    cr_expect_null(strchr(error.text, '\x1b'));
    cr_expect(strlen(error.text) > sizeof error.text - 20 && strlen(error.text) < sizeof error.text);
}
