// test_progress.c: what is said of work that is not done yet, after times that are made up here.
#include <criterion/criterion.h>
#include <string.h>

#include "progress.h"

static const struct {
    size_t done;
    double share, seconds;
    const char *expected;
} rows[] = {
    {12, 0, 500, "12 texts"},
    {12, 0.25, 0.5, "12 texts, 25 %"},
    {12, 0.25, 30, "12 texts, 25 %, about 90 s left"},
    {12, 0.5, 119, "12 texts, 50 %, about 119 s left"},
    {12, 0.5, 120, "12 texts, 50 %, about 2 min left"},
    {12, 0.5, 7199, "12 texts, 50 %, about 120 min left"},
    {12, 0.01, 100, "12 texts, 1 %, about 3 h left"},
    {12, 1, 100, "12 texts, 100 %, about 0 s left"},
};

Test(progress, the_time_left_follows_from_the_share)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[GA_PROGRESS_TEXT];
        cr_expect_str_eq(ga_progress_text("texts", rows[i].done, rows[i].share, rows[i].seconds, text),
                         rows[i].expected);
    }
}

Test(progress, a_long_name_is_cut)
{
    char text[GA_PROGRESS_TEXT], what[2 * GA_PROGRESS_TEXT];
    memset(what, 'a', sizeof what);
    what[sizeof what - 1] = '\0';
    cr_expect_eq(strlen(ga_progress_text(what, 1, 0.5, 10, text)), GA_PROGRESS_TEXT - 1);
}
