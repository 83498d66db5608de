// mpi_gather.h: gathers of ranks by MPI, for io.ranks. mpi_ranks.c starts and ends MPI.
#ifndef GA_MPI_GATHER_H
#define GA_MPI_GATHER_H

#include "ranks.h"

// The functions of struct ga_rank_library with these names; between the start of MPI and its end.
const struct ga_ranks *ga_mpi_team(double seconds);
bool ga_mpi_tell(const uint64_t *numbers, size_t count, uint64_t *numbers_out);
const char *ga_mpi_trouble(void);

// Gives back what ga_mpi_team made, if it did. Collective.
void ga_mpi_team_end(void);

#endif
