// fake_parts.h: packed weights of models that tests make up: the first numbers of role 0, as they are.
#ifndef FAKE_PARTS_H
#define FAKE_PARTS_H

#include "packed_parts.h"

// Defines name[1], the parts of a variant that packs n floats.
#define FAKE_PARTS(name, n)                                                           \
    static const struct ga_packed_copy name##_copy = {                                \
        .is_vector = true, .rows = 1, .columns = (n), .stride = (n), .factor = 1.0F}; \
    static const struct ga_packed_parts name[] = {{.count = 1, .copies = &name##_copy, .n_copies = 1}}

#endif
