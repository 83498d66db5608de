// rank_team.h: one command that all ranks of mpirun do together, each a part of every call of the model (io.ranks). The
// first one prints and writes; the others compute the same and are silent, unless they fail.
#ifndef GA_RANK_TEAM_H
#define GA_RANK_TEAM_H

#include "load_model.h"
#include "placement.h"

struct ga_rank_team {
    struct ga_context context;    // for what this rank says
    size_t rank, count;           // 0 of 1 without mpirun
    double seconds;               // how long ranks wait for each other
    struct ga_place place;        // of a rank of several, in a program with hwloc
    const struct ga_ranks *ranks; // for io.ranks; NULL: there is one
    enum {
        GA_TEAM_BEGUN,  // each rank may fail by itself, and tells the others
        GA_TEAM_AGREED, // they are in calls together, which a rank that fails ends by ending them all
        GA_TEAM_OVER    // all know the result
    } state;
};

// Starts MPI if mpirun started the program, which is rank 0 of 1 else; and binds ranks to NUMA nodes (placement.h).
// timeout: --timeout, or NULL. Not GA_EXIT_OK after a message. In any case ga_ranks_close must be called.
enum ga_exit ga_ranks_begin(const struct ga_context *context, const char *timeout, struct ga_rank_team *team_out);

// Ends MPI.
void ga_ranks_close(void);

// The same for a team, of which ranks after the first are silent. In any case ga_rank_team_end must be called.
enum ga_exit ga_rank_team_begin(const struct ga_context *context, const char *timeout, struct ga_rank_team *team_out);

// GA_EXIT_OK if all ranks have the same build, spec, instruction set, weights and request, a number for what is asked
// for. Else a message says which rank differs from the first one, and in what, or what a rank failed at.
enum ga_exit ga_rank_team_agree(struct ga_rank_team *team, const struct ga_model_instance *instance, uint64_t request);

// Rank 0 says how the ranks divide a call, and how long a token should take by what they measure (rank_plan.c). All
// call it after they agreed. GA_EXIT_FAILED where one does not come.
enum ga_exit ga_rank_team_plan(const struct ga_rank_team *team, const struct ga_model_instance *instance);

// Ends MPI. Returns code, and GA_EXIT_FAILED if another rank failed. If this one failed while others wait for it in a
// call, or one does not come, it ends all, and does not return.
enum ga_exit ga_rank_team_end(struct ga_rank_team *team, enum ga_exit code);

// A note if so many threads of this process use several sockets: of one program, or of a rank.
void ga_rank_note_sockets(const struct ga_rank_team *team, size_t threads);

#endif
