// load.c: matches the names in a weights file with a model's maps, and says what is missing or misshapen. Packs
// nothing.
#include "load.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "load_checks.h"
#include "load_names.h"
#include "weights_by_head.h"

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

// Writes which prefix stands before all of a map's names in the file; false where none does. Looks at the load's map,
// and at every map of the model where any_map.
static bool hint_prefix(const struct ga_load *load, bool any_map, char *text, size_t size)
{
    struct ga_load tried = *load;
    for (size_t i = 0; i < (any_map ? load->model->n_maps : 1); i++) {
        const char *name;
        size_t length;
        char prefix[GA_LOAD_PREFIX + 1], shown[GA_NAME_TEXT], others[64] = "";
        tried.map = any_map ? &load->model->maps[i] : load->map;
        const size_t count = ga_load_prefixes(&tried, &name, &length);
        if (count > 0) {
            (void)snprintf(prefix, sizeof prefix, "%.*s", (int)length, name);
            if (count > 1) {
                (void)snprintf(others, sizeof others, " (the first of %zu such prefixes)", count);
            }
            (void)snprintf(text, size,
                           "; it has all that map '%s' takes after '%s'%s: say --weights-prefix, or weights_prefix in "
                           "the spec",
                           tried.map->name, ga_name_text(prefix, shown, sizeof shown), others);
            return true;
        }
    }
    return false;
}

// What may help: the prefix under which all is there, or the name most like the one wanted, and the names there are.
static void hint_missing(const struct ga_load *load, bool any_map, const char *wanted, char *text, size_t size)
{
    char shown[GA_NAME_TEXT], names[224], like[GA_NAME_TEXT + 32] = "";
    if (hint_prefix(load, any_map, text, size)) {
        return;
    }
    const char *nearest = ga_load_suggestion(load, wanted);
    if (nearest != NULL) {
        (void)snprintf(like, sizeof like, "; nearest is '%s'", ga_name_text(nearest, shown, sizeof shown));
    }
    (void)snprintf(text, size, "%s; the file has %s", like, list_names(load->weights, names, sizeof names));
}

// any_map: no map was asked for.
static enum ga_status fail_missing(const struct ga_load *load, bool any_map, const struct ga_weight_source *source,
                                   struct ga_error *error)
{
    char shape[GA_SHAPE_TEXT], text[GA_LOAD_NAME], hint[400];
    const char *name = ga_load_name(load, source->tensor, source->beside, text);
    hint_missing(load, any_map, name, hint, sizeof hint);
    return ga_fail_at(error, GA_MISSING, GA_FAULT_TENSOR_MISSING, GA_NO_OFFSET,
                      "%s: no tensor '%s', which map '%s' expects as %s for %s%s", ga_weights_label(load->weights),
                      name, load->map->name, ga_shape_text(source->rank, source->shape, shape, sizeof shape),
                      load->model->roles[source->role].name, hint);
}

static enum ga_status fail_shape(const struct ga_load *load, const struct ga_weight_source *source,
                                 const struct ga_tensor *tensor, struct ga_error *error)
{
    char found[GA_SHAPE_TEXT];
    char expected[GA_SHAPE_TEXT];
    const struct ga_load_place place = ga_load_place(load->weights, tensor);
    const bool swapped = tensor->rank == 2 && source->rank == 2 && tensor->shape[0] == source->shape[1] &&
                         tensor->shape[1] == source->shape[0];
    return ga_fail_at(error, GA_SHAPE, swapped ? GA_FAULT_TENSOR_TRANSPOSED : GA_FAULT_TENSOR_SHAPE, place.offset,
                      "%s: tensor '%s', byte %llu: has shape %s; map '%s' expects %s for %s%s", place.path,
                      tensor->name, place.offset, ga_shape_text(tensor->rank, tensor->shape, found, sizeof found),
                      load->map->name, ga_shape_text(source->rank, source->shape, expected, sizeof expected),
                      load->model->roles[source->role].name,
                      swapped ? "; it looks transposed, see `transposed` in the spec" : "");
}

static enum ga_status fail_dtype(const struct ga_load *load, const struct ga_weight_source *source,
                                 const struct ga_tensor *tensor, struct ga_error *error)
{
    const struct ga_load_place place = ga_load_place(load->weights, tensor);
    return ga_fail_at(error, GA_DTYPE, GA_FAULT_TENSOR_DTYPE, place.offset,
                      "%s: tensor '%s', byte %llu: is %s; map '%s' expects F32, F16, BF16 or F64 for %s", place.path,
                      tensor->name, place.offset, ga_dtype_name(tensor->dtype), load->map->name,
                      load->model->roles[source->role].name);
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

static const struct ga_weight_source *first_missing(const struct ga_load *load)
{
    for (size_t i = 0; i < load->model->n_roles; i++) {
        if (ga_load_find(load, &load->map->sources[i]) == NULL) {
            return &load->map->sources[i];
        }
    }
    return NULL;
}

static size_t count_present(const struct ga_load *load)
{
    size_t present = 0;
    for (size_t i = 0; i < load->model->n_roles; i++) {
        present += ga_load_find(load, &load->map->sources[i]) != NULL;
    }
    return present;
}

// The first of the maps with the most tensors in the file.
static const struct ga_weight_map *fullest_map(const struct ga_load *load)
{
    struct ga_load tried = *load;
    const struct ga_weight_map *fullest = &load->model->maps[0];
    size_t most = 0;
    for (size_t i = 0; i < load->model->n_maps; i++) {
        tried.map = &load->model->maps[i];
        const size_t present = count_present(&tried);
        if (present > most) {
            fullest = tried.map;
            most = present;
        }
    }
    return fullest;
}

// Finds the load's map: the one asked for, or the one that fits.
static enum ga_status find_map(struct ga_load *load, const char *layout, struct ga_error *error)
{
    const char *name = layout != NULL ? layout : load->model->default_map;
    if (name != NULL) {
        load->map = map_named(load->model, name, error);
        return load->map == NULL ? GA_ARGUMENT : GA_OK;
    }
    if (load->model->n_maps == 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: the model has no weight map", load->model->name);
    }
    load->map = fullest_map(load);
    const struct ga_weight_source *missing = first_missing(load);
    return missing == NULL ? GA_OK : fail_missing(load, true, missing, error);
}

const struct ga_weight_map *ga_load_map(const struct ga_model *model, const struct ga_weights *weights,
                                        const char *layout, struct ga_error *error)
{
    if (model == NULL || weights == NULL) {
        ga_fail(error, GA_ARGUMENT, "ga_load_map: %s is NULL", model == NULL ? "model" : "weights");
        return NULL;
    }
    struct ga_load load = {.model = model, .weights = weights};
    return find_map(&load, layout, error) == GA_OK ? load.map : NULL;
}

// -- Views ----------------------------------------------------------------------------------------------------------

// True where the role, laid over a tensor of the source's shape, stays inside it.
static bool role_fits(const struct ga_weight_role *role, const struct ga_weight_source *source,
                      const struct ga_weight_view *view)
{
    size_t elements = 0;
    const size_t last_row = role->shape[0] - 1;
    const size_t last_col = role->rank == 2 ? role->shape[1] - 1 : 0;
    const size_t pieces = source->by_head > 0 ? 3 * source->by_head : 1; // q, k and v of each head
    return ga_shape_elements(source->rank, source->shape, &elements) && source->shape[0] % pieces == 0 &&
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

// Checks the tensor a source names, and finds where in it the role lies; *tensor_out is it. Looks at no element.
static enum ga_status place_view(const struct ga_load *load, const struct ga_weight_source *source,
                                 struct ga_weight_view *view, const struct ga_tensor **tensor_out,
                                 struct ga_error *error)
{
    const struct ga_weight_role *role = &load->model->roles[source->role];
    const struct ga_tensor *tensor = ga_load_find(load, source);
    if (tensor == NULL) {
        return fail_missing(load, false, source, error);
    }
    if (!ga_weights_are_floats(tensor)) {
        return fail_dtype(load, source, tensor, error);
    }
    if (!has_shape_of(tensor, source)) {
        return fail_shape(load, source, tensor, error);
    }
    const size_t width = role->rank == 2 ? source->shape[source->rank - 1] : 1;
    view->row_stride = source->transposed ? 1 : width;
    view->col_stride = source->transposed ? width : 1;
    if (!role_fits(role, source, view)) {
        return ga_fail(error, GA_SHAPE, "%s: map '%s' takes %s from outside tensor '%s'", load->model->name,
                       load->map->name, role->name, source->tensor);
    }
    *tensor_out = tensor;
    return GA_OK;
}

// -- All of it ------------------------------------------------------------------------------------------------------

// Finds the load's map and checks every tensor it takes, filling `view` with the last one's strides.
static enum ga_status place_views(struct ga_load *load, const struct ga_load_options *options,
                                  struct ga_weight_view *view, struct ga_error *error)
{
    if (options->prefix != NULL && strlen(options->prefix) > GA_LOAD_PREFIX) {
        return ga_fail(error, GA_ARGUMENT, "%s: a prefix of %zu bytes; expected at most %d",
                       ga_weights_label(load->weights), strlen(options->prefix), GA_LOAD_PREFIX);
    }
    load->prefix = options->prefix;
    enum ga_status status = find_map(load, options->layout, error);
    status = status == GA_OK ? ga_load_refuse_others(load, error) : status;
    const struct ga_tensor *tensor = NULL;
    for (size_t i = 0; i < load->model->n_roles && status == GA_OK; i++) {
        status = place_view(load, &load->map->sources[i], view, &tensor, error);
    }
    return status == GA_OK && options->strict ? ga_load_refuse_extra(load, error) : status;
}

// Whether packing reads a role as its tensor is stored: floats are found where they lie, and blocks by rows.
static bool stays_stored(const struct ga_weight_source *source, const struct ga_tensor *tensor)
{
    const size_t elements = ga_dtype_block(tensor->dtype, NULL);
    return tensor->dtype != GA_F32 && source->by_head == 0 &&
           (elements == 1 || (!source->transposed && source->first % elements == 0));
}

// Points a view to a tensor as it is stored.
static void view_stored(const struct ga_tensor *tensor, size_t first, struct ga_weight_view *view)
{
    size_t bytes = 0;
    const size_t elements = ga_dtype_block(tensor->dtype, &bytes);
    view->stored = (const unsigned char *)tensor->data + first / elements * bytes;
    view->dtype = tensor->dtype;
}

// Points a view to the floats of a tensor, which are converted if they are of another type.
static enum ga_status view_floats(const struct ga_weight_source *source, struct ga_weights *weights,
                                  const struct ga_tensor *tensor, struct ga_weight_view *view, struct ga_error *error)
{
    const float *floats = NULL;
    const enum ga_status status = source->by_head > 0
                                      ? ga_weights_by_head(weights, tensor, source->by_head, &floats, error)
                                      : ga_weights_floats(weights, tensor, &floats, error);
    view->data = status == GA_OK ? floats + source->first : NULL;
    return status;
}

static enum ga_status fill_view(const struct ga_load *load, struct ga_weights *weights, size_t i, bool finite,
                                struct ga_weight_view *view, struct ga_error *error)
{
    const struct ga_weight_source *source = &load->map->sources[i];
    const struct ga_tensor *tensor = NULL;
    *view = (struct ga_weight_view){0};
    enum ga_status status = place_view(load, source, view, &tensor, error);
    if (status == GA_OK && finite && !ga_load_was_before(load->map, i)) {
        status = ga_load_refuse_not_finite(weights, tensor, error);
    }
    if (status != GA_OK || !stays_stored(source, tensor)) {
        return status == GA_OK ? view_floats(source, weights, tensor, view, error) : status;
    }
    view_stored(tensor, source->first, view);
    return GA_OK;
}

enum ga_status ga_load_check(const struct ga_model *model, const struct ga_weights *weights,
                             const struct ga_load_options *options, struct ga_error *error)
{
    static const struct ga_load_options defaults = {0};
    struct ga_load load = {.model = model, .weights = weights};
    struct ga_weight_view view;
    if (model == NULL || weights == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_load_check: %s is NULL", model == NULL ? "model" : "weights");
    }
    return place_views(&load, options == NULL ? &defaults : options, &view, error);
}

enum ga_status ga_load_views_with(const struct ga_model *model, struct ga_weights *weights,
                                  const struct ga_load_options *options, struct ga_weight_view *views_out,
                                  struct ga_error *error)
{
    static const struct ga_load_options defaults = {0};
    if (model == NULL || weights == NULL || views_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_load_views: %s is NULL",
                       model == NULL     ? "model"
                       : weights == NULL ? "weights"
                                         : "views_out");
    }
    options = options == NULL ? &defaults : options;
    struct ga_load load = {.model = model, .weights = weights};
    struct ga_weight_view view;
    enum ga_status status = place_views(&load, options, &view, error);
    for (size_t i = 0; i < model->n_roles && status == GA_OK; i++) {
        status = fill_view(&load, weights, i, options->finite, &views_out[load.map->sources[i].role], error);
    }
    return status;
}

enum ga_status ga_load_views(const struct ga_model *model, struct ga_weights *weights, const char *layout,
                             struct ga_weight_view *views_out, struct ga_error *error)
{
    const struct ga_load_options options = {.layout = layout};
    return ga_load_views_with(model, weights, &options, views_out, error);
}
