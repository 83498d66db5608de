// contract.h: rows of calls that a caller got wrong: a status with a sentence, or the answer a header names. For
// Criterion tests, each of which is a list of such rows.
#ifndef TESTS_CONTRACT_H
#define TESTS_CONTRACT_H

#include <criterion/criterion.h>
#include <string.h>

#include "status.h"

static struct ga_error error; // of the row

static void expect_status(const char *row, enum ga_status found, enum ga_status wanted, const char *says)
{
    cr_expect_eq(found, wanted, "%s: %s: %s", row, ga_status_text(found), error.text);
    cr_expect_eq(error.status, wanted, "%s", row);
    cr_expect(strstr(error.text, says), "%s: '%s' does not say '%s'", row, error.text, says);
    memset(&error, 0, sizeof error);
}

// The call, with the file's `error` as its last argument, is refused with this status and a sentence that says so.
#define REFUSED(status, says, ...) expect_status(#__VA_ARGS__, __VA_ARGS__, GA_##status, says)
// The call's answer.
#define GIVES(answer, ...) cr_expect_eq(__VA_ARGS__, answer, "%s", #__VA_ARGS__)

#define OFF(pointer, bytes) ((void *)((unsigned char *)(uintptr_t)(pointer) + (bytes)))

#endif
