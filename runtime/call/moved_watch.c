// moved_watch.c: the roles of a part of a model among those of the whole model, for who watches rows. Keeps no rows.
#include "moved_watch.h"

enum { MOST_ROLES = 8 }; // that read the same rows

static void show(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows)
{
    const struct ga_moved_watch *moved = self;
    size_t all[MOST_ROLES];
    for (size_t i = 0; i < n_roles; i++) {
        all[i] = moved->first + roles[i];
    }
    moved->to->show(moved->to->self, all, n_roles, x, stride, rows);
}

const struct ga_watch *ga_watch_from(const struct ga_watch *to, size_t first, struct ga_moved_watch *moved_out)
{
    *moved_out = (struct ga_moved_watch){{show, moved_out}, to, first};
    return to ? &moved_out->watch : NULL;
}
