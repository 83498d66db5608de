// test_malformed.c: each of the fifty bad files is refused by a fault of its own, at its byte, in words that say what
// was found and what was expected.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "malformed.h"
#include "weights_shard.h"

static enum ga_status parse(const struct malformed *row, struct ga_weights **weights, struct ga_error *error)
{
    size_t size = 0;
    unsigned char *bytes = malformed_bytes(row, &size);
    const struct ga_weights_options options = {.header_max = row->header_max};
    const enum ga_status status = ga_weights_parse_with(bytes, size, "w.safetensors", &options, weights, error);
    free(bytes);
    return status;
}

// What the model says of a file that is sound.
static enum ga_status load(const struct malformed *row, struct ga_error *error)
{
    struct ga_weights *weights = NULL;
    struct ga_weight_view view;
    cr_assert_eq(parse(row, &weights, error), GA_OK, "%s: %s", row->name, error->text);
    const enum ga_status status = ga_load_views_with(&malformed_model, weights, &row->load, &view, error);
    ga_weights_close(weights);
    return status;
}

static void expect_told(const struct malformed *row, const struct ga_error *error)
{
    cr_expect_eq(error->status, row->status, "%d %s: status %d: %s", row->number, row->name, (int)error->status,
                 error->text);
    cr_expect_eq(error->fault, row->fault, "%d %s: fault %d (%s), expected %d: %s", row->number, row->name,
                 (int)error->fault, ga_fault_text(error->fault), (int)row->fault, error->text);
    cr_expect_eq(error->offset, malformed_offset(row), "%d %s: byte %llu, expected %llu: %s", row->number, row->name,
                 (unsigned long long)error->offset, (unsigned long long)malformed_offset(row), error->text);
    cr_expect_not_null(strstr(error->text, row->says), "%d %s: said '%s', expected '%s'", row->number, row->name,
                       error->text, row->says);
    cr_expect_eq(strncmp(error->text, "w.safetensors: ", 15), 0, "%d %s: %s", row->number, row->name, error->text);
}

// The tensor, and the byte that `offset` holds too.
static void expect_named(const struct malformed *row, const struct ga_error *error)
{
    char tensor[320] = "", byte[48] = "";
    if (row->tensor != NULL) {
        snprintf(tensor, sizeof tensor, "tensor '%s", row->tensor);
    }
    if (row->offset != GA_NO_OFFSET) {
        snprintf(byte, sizeof byte, "byte %llu", (unsigned long long)error->offset);
    }
    cr_expect_not_null(strstr(error->text, tensor), "%d %s: %s", row->number, row->name, error->text);
    cr_expect_eq(strstr(error->text, "tensor '") == NULL && row->tensor != NULL, false, "%d %s: %s", row->number,
                 row->name, error->text);
    cr_expect_not_null(strstr(error->text, byte), "%d %s: said '%s', expected '%s'", row->number, row->name,
                       error->text, byte);
}

Test(malformed, files_are_refused)
{
    for (size_t i = 0; i < n_malformed_rows && malformed_rows[i].number <= 42; i++) {
        struct ga_error error = {.text = ""};
        struct ga_weights *weights = (struct ga_weights *)&error;
        (void)parse(&malformed_rows[i], &weights, &error);
        cr_expect_null(weights, "%s", malformed_rows[i].name);
        expect_told(&malformed_rows[i], &error);
        expect_named(&malformed_rows[i], &error);
    }
}

Test(malformed, what_a_model_does_not_take_is_refused)
{
    for (size_t i = 0; i < n_malformed_rows; i++) {
        if (malformed_rows[i].number > 42) {
            struct ga_error error = {.text = ""};
            (void)load(&malformed_rows[i], &error);
            expect_told(&malformed_rows[i], &error);
            expect_named(&malformed_rows[i], &error);
        }
    }
}

// What rows 44 and 46 refuse is refused by the option alone.
Test(malformed, what_an_option_refuses_is_taken_without_it)
{
    size_t taken = 0;
    for (size_t i = 0; i < n_malformed_rows; i++) {
        struct malformed row = malformed_rows[i];
        if (row.load.strict || row.load.finite) {
            struct ga_error error = {.text = ""};
            row.load = (struct ga_load_options){0};
            cr_expect_eq(load(&row, &error), GA_OK, "%s: %s", row.name, error.text);
            taken++;
        }
    }
    cr_expect_eq(taken, 4);
}

Test(malformed, every_kind_has_a_row_and_a_fault_of_its_own)
{
    int number = 0;
    for (size_t i = 0; i < n_malformed_rows; i++) {
        const struct malformed *row = &malformed_rows[i];
        cr_expect(row->number == number || row->number == number + 1, "%s: %d after %d", row->name, row->number,
                  number);
        number = row->number;
        for (size_t j = 0; j < i && row->fault != GA_FAULT_NUMBER; j++) {
            cr_expect(malformed_rows[j].fault != row->fault || malformed_rows[j].number == number,
                      "%s and %s have one fault", malformed_rows[j].name, row->name);
        }
    }
    cr_expect_eq(number, 46);
}

// Two things that the reference reads, and its specification does not.
Test(malformed, leniency_is_asked_for)
{
    static const struct ga_weights_options options = {.allow_leading_blank = true, .allow_unknown_fields = true};
    for (size_t i = 0; i < n_malformed_rows; i++) {
        const struct malformed *row = &malformed_rows[i];
        size_t size = 0;
        unsigned char *bytes = malformed_bytes(row, &size);
        struct ga_weights *weights = NULL;
        struct ga_error error = {.text = ""};
        const enum ga_status status = ga_weights_parse_with(bytes, size, "w", &options, &weights, &error);
        const int lenient = row->number == 9 || row->number == 18 || row->number > 42 || row->header_max > 0;
        cr_expect_eq(status == GA_OK, lenient, "%s: %s", row->name, error.text);
        ga_weights_close(weights);
        free(bytes);
    }
}

// Case 50: there is no such machine here, only how it would store the number 1.
Test(malformed, a_big_endian_machine_is_refused)
{
    static const unsigned char big[] = {0, 1}, little[] = {1, 0};
    struct ga_error error;
    cr_expect_eq(ga_weights_check_host(little, "w", &error), GA_OK);
    cr_expect_eq(ga_weights_check_host(big, "w", &error), GA_UNSUPPORTED);
    cr_expect_eq(error.fault, GA_FAULT_BIG_ENDIAN);
    cr_expect_str_eq(error.text, "w: this machine is big-endian; expected a little-endian one, as the file is");
}
