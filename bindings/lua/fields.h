// fields.h: structs of the library by the names of their fields: declared.h's lists as tables.
#ifndef GA_LUA_FIELDS_H
#define GA_LUA_FIELDS_H

#include <stddef.h>

#include "declared.h"
#include "load.h"
#include "model.h"
#include "pack_file.h"
#include "threads.h"
#include "weights.h"

enum kind { IS_NUMBER, IS_DOUBLE, IS_BOOLEAN, IS_STRING, IS_POINTER };

struct field {
    const char *name;    // NULL after the last one
    size_t offset, size; // bytes, of all elements
    enum kind kind;
    size_t count; // elements
};

#define FIELD(s, f, k, n) {#f, offsetof(struct s, f), sizeof(((struct s *)0)->f), IS_##k, n},

#endif
