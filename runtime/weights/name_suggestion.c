// name_suggestion.c: the edit distance of two names in three rows, and how much of it a misspelling may have.
#include "name_suggestion.h"
#include "min_max.h"

#include <stdint.h>
#include <string.h>

enum { SHORTEST = 3, LETTERS_A_SLIP = 4, MOST_SLIPS = 3 };

static size_t most_slips(size_t a, size_t b)
{
    const size_t shorter = ga_min(a, b), slips = ga_min(shorter / LETTERS_A_SLIP, MOST_SLIPS);
    return shorter < SHORTEST ? 0 : slips == 0 ? 1 : slips;
}

typedef uint16_t
    row[GA_SUGGESTION_LONGEST + 1]; // [j]: slips from a part of one name to the first j letters of the other

// Fills the row of the first i letters of a from those of the first i - 1 and i - 2.
static void fill_row(const char *a, size_t i, const char *b, size_t length, row rows[3])
{
    uint16_t *const now = rows[i % 3];
    const uint16_t *const before = rows[(i + 2) % 3], *const second = rows[(i + 1) % 3];
    now[0] = (uint16_t)i;
    for (size_t j = 1; j <= length; j++) {
        const size_t changed = before[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u);
        size_t fewest = ga_min(ga_min(before[j], now[j - 1]) + 1, changed);
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
            fewest = ga_min(fewest, second[j - 2] + 1);
        }
        now[j] = (uint16_t)fewest;
    }
}

size_t ga_edit_distance(const char *word, const char *name)
{
    const size_t n_word = strlen(word), n_name = strlen(name), most = most_slips(n_word, n_name);
    const size_t apart = n_word > n_name ? n_word - n_name : n_name - n_word;
    if (n_word > GA_SUGGESTION_LONGEST || n_name > GA_SUGGESTION_LONGEST || apart > most) {
        return strcmp(word, name) == 0 ? 0 : GA_NO_SUGGESTION;
    }
    row rows[3];
    for (size_t j = 0; j <= n_name; j++) {
        rows[0][j] = (uint16_t)j;
    }
    for (size_t i = 1; i <= n_word; i++) {
        fill_row(word, i, name, n_name, rows);
    }
    const size_t slips = rows[n_word % 3][n_name];
    return slips <= most ? slips : GA_NO_SUGGESTION;
}

bool ga_is_name_part(const char *word, const char *name)
{
    const size_t n_word = strlen(word), n_name = strlen(name);
    if (n_word < SHORTEST || n_word >= n_name) {
        return false;
    }
    const char *const tail = name + n_name - n_word;
    return (strncmp(name, word, n_word) == 0 && strchr("_-.", name[n_word]) != NULL) ||
           (strcmp(tail, word) == 0 && strchr("_-.", tail[-1]) != NULL);
}

const char *ga_suggest_name(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL, *whole = NULL;
    size_t fewest = GA_NO_SUGGESTION;
    for (size_t i = 0; i < count; i++) {
        const size_t slips = ga_edit_distance(word, names[i]);
        if (slips < fewest) {
            fewest = slips;
            nearest = names[i];
        }
        if (ga_is_name_part(word, names[i]) && (whole == NULL || strlen(names[i]) < strlen(whole))) {
            whole = names[i];
        }
    }
    return nearest != NULL ? nearest : whole;
}
