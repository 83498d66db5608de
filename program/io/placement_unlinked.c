// placement_unlinked.c: the table of placement in a program without hwloc.
#include "placement.h"

const struct ga_placement_library ga_placement_library = {0};
