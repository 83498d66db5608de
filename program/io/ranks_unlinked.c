// ranks_unlinked.c: the table of ranks in a program without MPI.
#include "ranks.h"

const struct ga_rank_library ga_rank_library = {0};
