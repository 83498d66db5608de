// load_checks.c: a file held against a map as a whole, and its numbers against infinity. Finds no view.
#include "load_checks.h"

#include <stdint.h>
#include <string.h>

#include "view_floats.h"

struct ga_load_place ga_load_place(const struct ga_weights *weights, const struct ga_tensor *tensor)
{
    uint64_t offset = 0;
    const char *path = ga_weights_place(weights, tensor, &offset);
    return (struct ga_load_place){path, offset};
}

enum ga_status ga_load_refuse_others(const struct ga_load *load, struct ga_error *error)
{
    for (size_t i = 0; i < load->map->n_refused; i++) {
        char text[GA_LOAD_NAME];
        const struct ga_weight_refused *refused = &load->map->refused[i];
        const char *name = ga_load_name(load, refused->tensor, refused->beside, text);
        const struct ga_tensor *tensor = ga_weights_find(load->weights, name);
        if (tensor != NULL) {
            const struct ga_load_place place = ga_load_place(load->weights, tensor);
            return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_TENSOR_LEFT_OUT, place.offset,
                              "%s: tensor '%s', byte %llu: is %s under map '%s', but %s was generated without it: its "
                              "spec leaves it out",
                              place.path, name, place.offset, refused->role, load->map->name, load->model->name);
        }
    }
    return GA_OK;
}

bool ga_load_was_before(const struct ga_weight_map *map, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (strcmp(map->sources[j].tensor, map->sources[i].tensor) == 0) {
            return true;
        }
    }
    return false;
}

enum ga_status ga_load_refuse_extra(const struct ga_load *load, struct ga_error *error)
{
    const size_t count = ga_weights_count(load->weights);
    size_t taken = 0;
    for (size_t i = 0; i < load->model->n_roles; i++) {
        taken += ga_load_was_before(load->map, i) ? 0 : 1;
    }
    for (size_t i = 0; i < count && taken < count; i++) {
        const struct ga_tensor *tensor = ga_weights_at(load->weights, i);
        if (!ga_load_uses(load, tensor->name)) {
            char name[GA_NAME_TEXT];
            const struct ga_load_place place = ga_load_place(load->weights, tensor);
            return ga_fail_at(
                error, GA_UNSUPPORTED, GA_FAULT_TENSOR_EXTRA, place.offset,
                "%s: tensor '%s', byte %llu: is one of %zu that map '%s' takes nothing from; expected only "
                "the %zu it takes",
                place.path, ga_name_text(tensor->name, name, sizeof name), place.offset, count - taken, load->map->name,
                taken);
        }
    }
    return GA_OK;
}

static bool is_finite(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits & 0x7F800000u) != 0x7F800000u;
}

// The first element of a tensor that is not finite as a float, and that float; the number of elements if all are.
static size_t find_not_finite(const struct ga_tensor *tensor, size_t count, float *number_out)
{
    const struct ga_weight_view view = {.stored = tensor->data, .dtype = tensor->dtype};
    struct ga_view_reader reader;
    ga_view_reader_start(&reader, &view);
    struct ga_view_run run;
    for (size_t first = 0; first < count; first += run.count) {
        run = ga_view_read(&reader, first, count - first, 1);
        for (size_t i = 0; i < run.count; i++) {
            if (!is_finite(run.floats[i])) {
                *number_out = run.floats[i];
                return first + i;
            }
        }
    }
    return count;
}

enum ga_status ga_load_refuse_not_finite(const struct ga_weights *weights, const struct ga_tensor *tensor,
                                         struct ga_error *error)
{
    size_t count = 0;
    float number = 0.0F;
    (void)ga_shape_elements(tensor->rank, tensor->shape, &count); // which held when the file was read
    const size_t i = find_not_finite(tensor, count, &number);
    if (i == count) {
        return GA_OK;
    }
    char name[GA_NAME_TEXT];
    struct ga_load_place place = ga_load_place(weights, tensor);
    size_t bytes = 0; // of the block that the element is in
    const size_t elements = ga_dtype_block(tensor->dtype, &bytes);
    place.offset += i / elements * bytes;
    return ga_fail_at(error, GA_FORMAT, GA_FAULT_NOT_FINITE, place.offset,
                      "%s: tensor '%s', byte %llu: element %zu of %zu is %g as a float; expected a finite number",
                      place.path, ga_name_text(tensor->name, name, sizeof name), place.offset, i, count,
                      (double)number);
}
