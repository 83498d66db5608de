// team.h: threads of one process as the ranks of calls: they gather from each other's memory. Runs no model.
#ifndef TESTS_TEAM_H
#define TESTS_TEAM_H

#include "gather.h"

// What each rank does, on a thread of its own, until it returns; false: it failed, and the gathers of the others do not
// wait for it any more.
typedef bool team_member(void *context, const struct ga_ranks *ranks);

// Runs a member for each of `size` ranks and waits for all. Returns how often they gathered; SIZE_MAX if a thread could
// not be started.
size_t team_run(size_t size, team_member *member, void *context);

#endif
