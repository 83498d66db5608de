// ranks.h: the processes that mpirun started for one command, as commands call them: a table of functions, so that a
// program without MPI links none of it.
#ifndef GA_RANKS_H
#define GA_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gather.h"

// All NULL in a program without MPI. Every rank calls the collective ones, in the same order.
struct ga_rank_library {
    // Starts MPI where mpirun started the program, which is else rank 0 of 1. False where MPI does not start, or knows
    // of one process and mpirun, which is another MPI's, of several. From here on a call waits for other ranks at most
    // so many seconds and ten times the longest work of a rank between two calls; then it says so and ends the process
    // with GA_EXIT_FAILED, by which mpirun ends all of them.
    // Collective, as are those below but claim and put, which only several ranks may call.
    bool (*begin)(double seconds, size_t *rank_out, size_t *count_out);

    // Which of the processes on this machine it is, and how many they are.
    void (*on_machine)(size_t *rank_out, size_t *count_out);

    // The next number, from 0 on: each is one rank's alone.
    size_t (*claim)(void);

    // Opens a file that all ranks write, in the place of what has this name; every rank learns whether all could.
    bool (*open)(const char *path);

    // Writes bytes[size] at an offset of the file.
    bool (*put)(uint64_t offset, const void *bytes, size_t size);

    // Whether all ranks say so; after it, all have come here.
    bool (*all)(bool good);

    // Flushes and closes the file, if it is open.
    bool (*close)(void);

    void (*end)(void);

    // What io.ranks takes until the end, with gathers that fail after so many seconds; NULL: more than GA_MAX_TEAM.
    const struct ga_ranks *(*team)(double seconds);

    // numbers_out [ranks][count]: those of every rank. False: a rank did not come in time. After team.
    bool (*tell)(const uint64_t *numbers, size_t count, uint64_t *numbers_out);

    // Why a gather or tell failed, in words; NULL: none did. Not collective.
    const char *(*trouble)(void);

    // Ends this process and those of all other ranks, with GA_EXIT_FAILED. Not collective.
    void (*abandon)(void);
};

extern const struct ga_rank_library ga_rank_library;

#endif
