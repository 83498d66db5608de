// load.c: matches the names in a weights file with a model's maps, and says what is missing or misshapen. Packs
// nothing.
#include "load.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// -- What a missing tensor may have been called ---------------------------------------------------------------------

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

static bool map_uses(const struct ga_model *model, const struct ga_weight_map *map, const char *name)
{
    for (size_t i = 0; i < model->n_roles; i++) {
        if (strcmp(map->sources[i].tensor, name) == 0) {
            return true;
        }
    }
    return false;
}

// The name in the file most like the one wanted that the map does not use for something else; NULL where none is like
// it.
static const char *nearest_name(const struct ga_model *model, const struct ga_weight_map *map,
                                const struct ga_weights *weights, const char *wanted)
{
    const char *nearest = NULL;
    size_t nearest_distance = FAR;
    for (size_t i = 0; i < ga_weights_count(weights); i++) {
        const char *name = ga_weights_at(weights, i)->name;
        const size_t distance = name_distance(wanted, name);
        if (distance < nearest_distance && !map_uses(model, map, name)) {
            nearest = name;
            nearest_distance = distance;
        }
    }
    return nearest;
}

// -- Messages -------------------------------------------------------------------------------------------------------

// The file's first names as "3 tensors: 'a', 'b', ...", cut to fit text[size].
static const char *list_names(const struct ga_weights *weights, char *text, size_t size)
{
    enum { SHOWN = 4 };
    const size_t count = ga_weights_count(weights);
    (void)snprintf(text, size, "%zu tensor%s%s", count, count == 1 ? "" : "s", count == 0 ? "" : ": ");
    for (size_t i = 0; i < count && i <= SHOWN; i++) {
        char name[GA_NAME_TEXT];
        const size_t used = strlen(text);
        ga_name_text(ga_weights_at(weights, i)->name, name, sizeof name);
        if (i == SHOWN) {
            (void)snprintf(text + used, size - used, ", ...");
        } else {
            (void)snprintf(text + used, size - used, "%s'%s'", i == 0 ? "" : ", ", name);
        }
    }
    return text;
}

static enum ga_status fail_missing(const struct ga_model *model, const struct ga_weights *weights,
                                   const struct ga_weight_map *map, const struct ga_weight_source *source,
                                   struct ga_error *error)
{
    char names[224];
    char shape[GA_SHAPE_TEXT];
    char shown[GA_NAME_TEXT];
    char hint[GA_NAME_TEXT + 32] = "";
    const char *nearest = nearest_name(model, map, weights, source->tensor);
    if (nearest != NULL) {
        (void)snprintf(hint, sizeof hint, "; nearest is '%s'", ga_name_text(nearest, shown, sizeof shown));
    }
    return ga_fail(error, GA_MISSING, "%s: no tensor '%s', which map '%s' expects as %s for %s%s; the file has %s",
                   ga_weights_label(weights), source->tensor, map->name,
                   ga_shape_text(source->rank, source->shape, shape, sizeof shape), model->roles[source->role].name,
                   hint, list_names(weights, names, sizeof names));
}

static enum ga_status fail_shape(const struct ga_model *model, const struct ga_weights *weights,
                                 const struct ga_weight_map *map, const struct ga_weight_source *source,
                                 const struct ga_tensor *tensor, struct ga_error *error)
{
    char found[GA_SHAPE_TEXT];
    char expected[GA_SHAPE_TEXT];
    const bool swapped = tensor->rank == 2 && source->rank == 2 && tensor->shape[0] == source->shape[1] &&
                         tensor->shape[1] == source->shape[0];
    return ga_fail(
        error, GA_SHAPE, "%s: tensor '%s' has shape %s; map '%s' expects %s for %s%s", ga_weights_label(weights),
        source->tensor, ga_shape_text(tensor->rank, tensor->shape, found, sizeof found), map->name,
        ga_shape_text(source->rank, source->shape, expected, sizeof expected), model->roles[source->role].name,
        swapped ? "; it looks transposed, see `transposed` in the spec" : "");
}

// -- Which map ------------------------------------------------------------------------------------------------------

static const struct ga_weight_map *map_named(const struct ga_model *model, const char *name, struct ga_error *error)
{
    char names[224] = "";
    for (size_t i = 0; i < model->n_maps; i++) {
        const size_t used = strlen(names);
        if (strcmp(model->maps[i].name, name) == 0) {
            return &model->maps[i];
        }
        (void)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", model->maps[i].name);
    }
    ga_fail(error, GA_ARGUMENT, "%s: no weight map is named '%s'; expected one of %s", model->name, name, names);
    return NULL;
}

static const struct ga_weight_source *first_missing(const struct ga_model *model, const struct ga_weights *weights,
                                                    const struct ga_weight_map *map)
{
    for (size_t i = 0; i < model->n_roles; i++) {
        if (ga_weights_find(weights, map->sources[i].tensor) == NULL) {
            return &map->sources[i];
        }
    }
    return NULL;
}

static size_t count_present(const struct ga_model *model, const struct ga_weights *weights,
                            const struct ga_weight_map *map)
{
    size_t present = 0;
    for (size_t i = 0; i < model->n_roles; i++) {
        present += ga_weights_find(weights, map->sources[i].tensor) != NULL;
    }
    return present;
}

// The first of the maps with the most tensors in the file.
static const struct ga_weight_map *fullest_map(const struct ga_model *model, const struct ga_weights *weights)
{
    const struct ga_weight_map *fullest = &model->maps[0];
    size_t most = count_present(model, weights, fullest);
    for (size_t i = 1; i < model->n_maps; i++) {
        const size_t present = count_present(model, weights, &model->maps[i]);
        if (present > most) {
            fullest = &model->maps[i];
            most = present;
        }
    }
    return fullest;
}

const struct ga_weight_map *ga_load_map(const struct ga_model *model, const struct ga_weights *weights,
                                        const char *layout, struct ga_error *error)
{
    if (model == NULL || weights == NULL) {
        ga_fail(error, GA_ARGUMENT, "ga_load_map: %s is NULL", model == NULL ? "model" : "weights");
        return NULL;
    }
    const char *name = layout != NULL ? layout : model->default_map;
    if (name != NULL) {
        return map_named(model, name, error);
    }
    if (model->n_maps == 0) {
        ga_fail(error, GA_ARGUMENT, "%s: the model has no weight map", model->name);
        return NULL;
    }
    const struct ga_weight_map *map = fullest_map(model, weights);
    const struct ga_weight_source *missing = first_missing(model, weights, map);
    if (missing != NULL) {
        fail_missing(model, weights, map, missing, error);
        return NULL;
    }
    return map;
}

// -- Views ----------------------------------------------------------------------------------------------------------

// True where the role, laid over a tensor of the source's shape, stays inside it.
static bool role_fits(const struct ga_weight_role *role, const struct ga_weight_source *source,
                      const struct ga_weight_view *view)
{
    size_t elements = 0;
    const size_t last_row = role->shape[0] - 1;
    const size_t last_col = role->rank == 2 ? role->shape[1] - 1 : 0;
    return ga_shape_elements(source->rank, source->shape, &elements) &&
           source->first + last_row * view->row_stride + last_col * view->col_stride < elements;
}

// True where a tensor has the source's shape, but for axes of 1 in front, as PyTorch has them in some vectors.
static bool has_shape_of(const struct ga_tensor *tensor, const struct ga_weight_source *source)
{
    struct ga_tensor inner = *tensor;
    while (inner.rank > source->rank && inner.shape[0] == 1) {
        inner.rank--;
        memmove(inner.shape, inner.shape + 1, inner.rank * sizeof *inner.shape);
    }
    return ga_tensor_has_shape(&inner, source->rank, source->shape);
}

static enum ga_status fill_view(const struct ga_model *model, const struct ga_weights *weights,
                                const struct ga_weight_map *map, const struct ga_weight_source *source,
                                struct ga_weight_view *view, struct ga_error *error)
{
    const struct ga_weight_role *role = &model->roles[source->role];
    const struct ga_tensor *tensor = ga_weights_find(weights, source->tensor);
    if (tensor == NULL) {
        return fail_missing(model, weights, map, source, error);
    }
    if (tensor->dtype != GA_F32) {
        return ga_fail(error, GA_DTYPE, "%s: tensor '%s' is %s; map '%s' expects F32 for %s", ga_weights_label(weights),
                       source->tensor, ga_dtype_name(tensor->dtype), map->name, role->name);
    }
    if (!has_shape_of(tensor, source)) {
        return fail_shape(model, weights, map, source, tensor, error);
    }
    const size_t width = role->rank == 2 ? source->shape[source->rank - 1] : 1;
    view->row_stride = source->transposed ? 1 : width;
    view->col_stride = source->transposed ? width : 1;
    if (!role_fits(role, source, view)) {
        return ga_fail(error, GA_SHAPE, "%s: map '%s' takes %s from outside tensor '%s'", model->name, map->name,
                       role->name, source->tensor);
    }
    view->data = (const float *)tensor->data + source->first;
    return GA_OK;
}

// Weights in the file that the model would leave out: its results would not be those of the module the file is from.
static enum ga_status refuse_others(const struct ga_model *model, const struct ga_weights *weights,
                                    const struct ga_weight_map *map, struct ga_error *error)
{
    for (size_t i = 0; i < map->n_refused; i++) {
        const struct ga_weight_refused *refused = &map->refused[i];
        if (ga_weights_find(weights, refused->tensor) != NULL) {
            return ga_fail(
                error, GA_UNSUPPORTED,
                "%s: tensor '%s' is %s under map '%s', but %s was generated without it: its spec leaves it out",
                ga_weights_label(weights), refused->tensor, refused->role, map->name, model->name);
        }
    }
    return GA_OK;
}

enum ga_status ga_load_views(const struct ga_model *model, const struct ga_weights *weights, const char *layout,
                             struct ga_weight_view *views_out, struct ga_error *error)
{
    if (model == NULL || weights == NULL || views_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_load_views: %s is NULL",
                       model == NULL     ? "model"
                       : weights == NULL ? "weights"
                                         : "views_out");
    }
    struct ga_error why = {.status = GA_OK};
    const struct ga_weight_map *map = ga_load_map(model, weights, layout, &why);
    if (map == NULL) {
        if (error != NULL) {
            *error = why;
        }
        return why.status;
    }
    enum ga_status status = refuse_others(model, weights, map, error);
    for (size_t i = 0; i < model->n_roles && status == GA_OK; i++) {
        const struct ga_weight_source *source = &map->sources[i];
        status = fill_view(model, weights, map, source, &views_out[source->role], error);
    }
    return status;
}
