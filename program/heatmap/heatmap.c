// heatmap.c: a heat map from matrices to a file: cells, then sizes, then text in memory, then the file at once.
// Draws nothing itself.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "heatmap.h"

#include <stdlib.h>

#include "atomic_file.h"
#include "heatmap_parts.h"

static enum ga_status check(const char *path, const struct ga_heatmap *map, struct ga_error *error)
{
    if (map->rows == 0 || map->cols == 0 || map->n_panels == 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: a heat map needs rows, columns and panels, found %zu, %zu and %zu",
                       path, map->rows, map->cols, map->n_panels);
    }
    return GA_OK;
}

// The picture's text, which the caller frees; false where there is no memory for it.
static bool make_text(struct ga_picture *picture, enum ga_heatmap_form form, char **text_out, size_t *size_out)
{
    picture->out = open_memstream(text_out, size_out);
    if (!picture->out) {
        return false;
    }
    picture->at = ga_layout_make(picture->map, &picture->grid, form);
    if (form == GA_HEATMAP_HTML) {
        ga_put_html(picture);
    } else {
        ga_put_svg(picture);
    }
    bool written = !ferror(picture->out);
    return fclose(picture->out) == 0 && written;
}

enum ga_status ga_heatmap_write(const char *path, enum ga_heatmap_form form, const struct ga_heatmap *map,
                                struct ga_error *error)
{
    struct ga_picture picture = {.map = map};
    char *text = NULL;
    size_t size = 0;
    enum ga_status status = check(path, map, error);
    if (status != GA_OK) {
        return status;
    }
    if (ga_grid_make(map, &picture.grid) != GA_OK || !make_text(&picture, form, &text, &size)) {
        status = ga_fail(error, GA_MEMORY, "%s: no memory for the picture", path);
    } else {
        status = ga_atomic_file_write(path, text, size, error);
    }
    ga_grid_free(&picture.grid);
    free(text);
    return status;
}
