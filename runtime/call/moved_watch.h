// moved_watch.h: shows the rows of one part of a model to who watches the whole model. For generated code.
#ifndef GA_MOVED_WATCH_H
#define GA_MOVED_WATCH_H

#include <stddef.h>

#include "watch.h"

struct ga_moved_watch {
    struct ga_watch watch;     // what the part sees; its self is this struct, which is not moved meanwhile
    const struct ga_watch *to; // who watches the whole model
    size_t first;              // roles of the whole model before those of the part
};

// What a part whose roles begin at `first` shows its rows to: NULL where `to` is NULL. moved_out: filled, and used
// until the part is done.
const struct ga_watch *ga_watch_from(const struct ga_watch *to, size_t first, struct ga_moved_watch *moved_out);

#endif
