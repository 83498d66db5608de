// placement.h: the sockets and NUMA nodes of this machine, and which of them its processes have, as commands ask for
// it: a table of functions, so that a program without hwloc links none of it.
#ifndef GA_PLACEMENT_H
#define GA_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum { GA_PLACE_TEXT = 128 }; // bytes of a list of numbers, such as "0-3,8"; a longer list is cut

// A part of the machine that one process has.
struct ga_place {
    char cpus[GA_PLACE_TEXT], nodes[GA_PLACE_TEXT]; // as the system numbers them
    size_t n_cpus, n_nodes, n_sockets;              // sockets of which it has some CPUs
    bool is_kept;   // who started the process, such as mpirun or taskset, has chosen these CPUs
    bool is_placed; // the process has some of several NUMA nodes, and there are no more processes than nodes
};

// All that is there, of which a process may have less.
struct ga_machine {
    size_t cpus, nodes, sockets; // NUMA nodes without CPUs do not count
};

// All NULL in a program without hwloc. The functions that return false do so if hwloc cannot describe the machine.
struct ga_placement_library {
    bool (*machine)(struct ga_machine *machine_out);

    // The part of process `rank` of so many that run on this machine. It depends on the machine alone, and on the CPUs
    // to which this process is bound: these it keeps. Without other processes it is all of the machine.
    bool (*plan)(size_t rank, size_t count, struct ga_place *place_out);

    // Binds this process, and the threads that it starts, to the CPUs of its plan; memory that they touch later is near
    // to them. It binds nothing if the machine has one NUMA node, or this process is bound already. False also if the
    // system refuses.
    bool (*bind)(size_t rank, size_t count, struct ga_place *place_out);

    // Moves pages that no other process has mapped to the NUMA nodes of the CPUs to which this one is bound, as far as
    // the system can. Pages that were not touched since they were mapped stay where they are.
    void (*move)(void *address, size_t size);
};

extern const struct ga_placement_library ga_placement_library;

#endif
