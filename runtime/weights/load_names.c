// load_names.c: a map's names put together, and what else a file may have in their place: names that differ by a few
// letters, and prefixes. Looks at names only.
#include "load_names.h"

#include <stdio.h>
#include <string.h>

#include "name_suggestion.h"

// What of a map's name comes after the map's own prefix.
static const char *inner_name(const struct ga_weight_map *map, const char *tensor, bool beside)
{
    return tensor + (beside || map->prefix == NULL ? 0 : strlen(map->prefix));
}

const char *ga_load_name(const struct ga_load *load, const char *tensor, bool beside, char text[GA_LOAD_NAME])
{
    if (load->prefix == NULL || beside) {
        return tensor;
    }
    (void)snprintf(text, GA_LOAD_NAME, "%s%s", load->prefix, inner_name(load->map, tensor, beside));
    return text;
}

const struct ga_tensor *ga_load_find(const struct ga_load *load, const struct ga_weight_source *source)
{
    char text[GA_LOAD_NAME];
    return ga_weights_find(load->weights, ga_load_name(load, source->tensor, source->beside, text));
}

bool ga_load_uses(const struct ga_load *load, const char *name)
{
    char text[GA_LOAD_NAME];
    for (size_t i = 0; i < load->model->n_roles; i++) {
        const struct ga_weight_source *source = &load->map->sources[i];
        if (strcmp(ga_load_name(load, source->tensor, source->beside, text), name) == 0) {
            return true;
        }
    }
    return false;
}

// -- Names that are alike -------------------------------------------------------------------------------------------

// True where name is "<something>.<tail>".
static bool ends_in(const char *name, const char *tail)
{
    const size_t length = strlen(name);
    const size_t tail_length = strlen(tail);
    return length > tail_length && name[length - tail_length - 1] == '.' &&
           strcmp(name + length - tail_length, tail) == 0;
}

// 0 for names that differ by a prefix only, GA_NO_SUGGESTION for names that are not alike.
static size_t name_distance(const char *wanted, const char *found)
{
    return ends_in(found, wanted) || ends_in(wanted, found) ? 0 : ga_edit_distance(wanted, found);
}

const char *ga_load_suggestion(const struct ga_load *load, const char *wanted)
{
    const char *nearest = NULL;
    size_t nearest_distance = GA_NO_SUGGESTION;
    for (size_t i = 0; i < ga_weights_count(load->weights); i++) {
        const char *name = ga_weights_at(load->weights, i)->name;
        const size_t distance = name_distance(wanted, name);
        if (distance < nearest_distance && !ga_load_uses(load, name)) {
            nearest = name;
            nearest_distance = distance;
        }
    }
    return nearest;
}

// -- Prefixes -------------------------------------------------------------------------------------------------------

// The first source that a prefix stands before, or NULL.
static const struct ga_weight_source *first_prefixed(const struct ga_load *load)
{
    for (size_t i = 0; i < load->model->n_roles; i++) {
        if (!load->map->sources[i].beside) {
            return &load->map->sources[i];
        }
    }
    return NULL;
}

// Whether the file has all of the map's names after the first `length` bytes of name.
static bool is_prefix(const struct ga_load *load, const char *name, size_t length)
{
    char prefix[GA_LOAD_PREFIX + 1];
    struct ga_load tried = *load;
    (void)snprintf(prefix, sizeof prefix, "%.*s", (int)length, name);
    tried.prefix = prefix;
    for (size_t i = 0; i < load->model->n_roles; i++) {
        const struct ga_weight_source *source = &load->map->sources[i];
        if (!source->beside && ga_load_find(&tried, source) == NULL) {
            return false;
        }
    }
    return true;
}

size_t ga_load_prefixes(const struct ga_load *load, const char **prefix_out, size_t *length_out)
{
    const struct ga_weight_source *first = first_prefixed(load);
    const char *tail = first == NULL ? "" : inner_name(load->map, first->tensor, false);
    size_t count = 0;
    for (size_t i = 0; first != NULL && i < ga_weights_count(load->weights); i++) {
        const char *name = ga_weights_at(load->weights, i)->name;
        const size_t length = strlen(name) - (ends_in(name, tail) ? strlen(tail) : strlen(name));
        if (length > 0 && length <= GA_LOAD_PREFIX && is_prefix(load, name, length)) {
            *prefix_out = count == 0 ? name : *prefix_out;
            *length_out = count == 0 ? length : *length_out;
            count++;
        }
    }
    return count;
}
