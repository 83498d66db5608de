// load_nearest.c: names that differ by a prefix or a few letters. Looks at names only, and only once one is missing.
#include "load_nearest.h"

#include <string.h>

enum { MAX_NAME = 256, FAR = MAX_NAME + 1 }; // bytes of a name, as weights.h lets pass

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Letters to insert, delete or replace to make one name of the other.
static size_t edit_distance(const char *a, const char *b)
{
    const size_t length = strlen(b);
    size_t row[MAX_NAME + 1]; // row[j]: from the part of a seen so far to the first j letters of b
    if (length > MAX_NAME) {
        return FAR;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            const size_t above = row[j + 1];
            row[j + 1] = least(above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1));
            diagonal = above;
        }
    }
    return row[length];
}

// True where name is "<something>.<tail>".
static bool ends_in(const char *name, const char *tail)
{
    const size_t length = strlen(name);
    const size_t tail_length = strlen(tail);
    return length > tail_length && name[length - tail_length - 1] == '.' &&
           strcmp(name + length - tail_length, tail) == 0;
}

// 0 for names that differ by a prefix only, FAR for names that are not alike.
static size_t name_distance(const char *wanted, const char *found)
{
    const size_t limit = 1 + strlen(wanted) / 5;
    const size_t a = strlen(wanted);
    const size_t b = strlen(found);
    if (ends_in(found, wanted) || ends_in(wanted, found)) {
        return 0;
    }
    if ((a > b ? a - b : b - a) > limit) {
        return FAR;
    }
    const size_t distance = edit_distance(wanted, found);
    return distance <= limit ? distance : FAR;
}

bool ga_load_uses(const struct ga_model *model, const struct ga_weight_map *map, const char *name)
{
    for (size_t i = 0; i < model->n_roles; i++) {
        if (strcmp(map->sources[i].tensor, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *ga_load_nearest(const struct ga_model *model, const struct ga_weight_map *map,
                            const struct ga_weights *weights, const char *wanted)
{
    const char *nearest = NULL;
    size_t nearest_distance = FAR;
    for (size_t i = 0; i < ga_weights_count(weights); i++) {
        const char *name = ga_weights_at(weights, i)->name;
        const size_t distance = name_distance(wanted, name);
        if (distance < nearest_distance && !ga_load_uses(model, map, name)) {
            nearest = name;
            nearest_distance = distance;
        }
    }
    return nearest;
}
