// gather.c: how long ranks of mpirun take to bring each other the parts of a row, by the engine of the programs: a line
// for each size of the row. Computes nothing. run.sh builds it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

enum { WARM = 200, ROUNDS = 20000, LARGEST = 1 << 20 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double seconds[ROUNDS];
    static char row[LARGEST];
    size_t rank, size, ends[GA_MAX_TEAM];
    if (!ga_rank_library.begin(60, &rank, &size)) {
        return EXIT_FAILURE;
    }
    const struct ga_ranks *ranks = size > 1 ? ga_rank_library.team(60) : NULL;
    for (size_t bytes = 1024; ranks && bytes <= LARGEST; bytes *= 2) {
        const size_t rounds = bytes > 65536 ? ROUNDS / 10 : ROUNDS;
        for (size_t r = 0; r < size; r++) {
            ends[r] = bytes * (r + 1) / size;
        }
        for (size_t i = 0; i < WARM + rounds; i++) {
            const double begun = MPI_Wtime();
            if (!ranks->gather(ranks->self, row, 1, bytes, ends)) {
                return EXIT_FAILURE;
            }
            if (i >= WARM) {
                seconds[i - WARM] = MPI_Wtime() - begun;
            }
        }
        qsort(seconds, rounds, sizeof *seconds, by_size);
        if (rank == 0) {
            printf("%zu ranks, a row of %zu bytes: median %.2f us, 90 %% below %.2f us\n", size, bytes,
                   seconds[rounds / 2] * 1e6, seconds[rounds * 9 / 10] * 1e6);
        }
    }
    ga_rank_library.end();
    return ranks ? EXIT_SUCCESS : EXIT_FAILURE;
}
