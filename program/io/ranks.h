// ranks.h: the processes that mpirun started for one command, as commands call them: a table of functions, so that a
// program without MPI links none of it.
#ifndef GA_RANKS_H
#define GA_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All NULL in a program without MPI. Every rank calls the collective ones, in the same order.
struct ga_rank_library {
    // Starts MPI where mpirun started the program, which is else rank 0 of 1. False where MPI does not start.
    // Collective, as are those below but claim and put, which only several ranks may call.
    bool (*begin)(size_t *rank_out, size_t *count_out);

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
};

extern const struct ga_rank_library ga_rank_library;

#endif
