// test_malformed.c: each of the fifty bad files is refused by a fault of its own, at its byte, in words that say what
// was found and what was expected.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "malformed.h"
#include "weights.h"

static enum ga_status parse(const struct malformed *row, struct ga_weights **weights, struct ga_error *error)
{
    size_t size = 0;
    unsigned char *bytes = malformed_bytes(row, &size);
    const struct ga_weights_options options = {.header_max = row->header_max};
    const enum ga_status status = ga_weights_parse_with(bytes, size, "w.safetensors", &options, weights, error);
    free(bytes);
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
    char tensor[320] = "", byte[48];
    if (row->tensor != NULL) {
        snprintf(tensor, sizeof tensor, "tensor '%s", row->tensor);
    }
    snprintf(byte, sizeof byte, "byte %llu", (unsigned long long)error->offset);
    cr_expect_not_null(strstr(error->text, tensor), "%d %s: %s", row->number, row->name, error->text);
    cr_expect_eq(strstr(error->text, "tensor '") == NULL && row->tensor != NULL, false, "%d %s: %s", row->number,
                 row->name, error->text);
    cr_expect_not_null(strstr(error->text, byte), "%d %s: said '%s', expected '%s'", row->number, row->name,
                       error->text, byte);
}

Test(malformed, files_are_refused)
{
    for (size_t i = 0; i < n_malformed_rows; i++) {
        struct ga_error error = {.text = ""};
        struct ga_weights *weights = (struct ga_weights *)&error;
        (void)parse(&malformed_rows[i], &weights, &error);
        cr_expect_null(weights, "%s", malformed_rows[i].name);
        expect_told(&malformed_rows[i], &error);
        expect_named(&malformed_rows[i], &error);
    }
}
