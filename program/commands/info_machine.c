// info_machine.c: what `info` tells of this machine: sockets, NUMA nodes, and where ranks and their weights would lie.
// Binds nothing.
#include <stdio.h>

#include "info.h"

// False in a program without hwloc.
static bool find_machine(struct ga_machine *machine_out, size_t *ranks)
{
    const bool is_known = ga_placement_library.machine && ga_placement_library.machine(machine_out);
    *ranks = is_known && *ranks == 0 ? machine_out->sockets : *ranks;
    return is_known;
}

void ga_info_machine_print(size_t ranks)
{
    struct ga_machine machine;
    if (!find_machine(&machine, &ranks)) {
        return;
    }
    printf("\nthis machine\n  CPUs: %zu, sockets: %zu, NUMA nodes: %zu\n", machine.cpus, machine.sockets,
           machine.nodes);
    for (size_t rank = 0; rank < ranks; rank++) {
        struct ga_place place;
        if (ga_placement_library.plan(rank, ranks, &place)) {
            printf("  rank %zu of %zu: CPUs %s%s, weights in NUMA nodes %s\n", rank, ranks, place.cpus,
                   place.is_kept ? " (this process is bound to them)" : "", place.nodes);
        }
    }
}

json_t *ga_info_machine_json(size_t ranks)
{
    struct ga_machine machine;
    if (!find_machine(&machine, &ranks)) {
        return json_null();
    }
    json_t *places = json_array();
    for (size_t rank = 0; rank < ranks; rank++) {
        struct ga_place place;
        if (ga_placement_library.plan(rank, ranks, &place)) {
            json_array_append_new(places, json_pack("{s:s, s:s, s:b}", "cpus", place.cpus, "numa_nodes", place.nodes,
                                                    "bound", place.is_kept));
        }
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "cpus", ga_json_size(machine.cpus), "sockets",
                     ga_json_size(machine.sockets), "numa_nodes", ga_json_size(machine.nodes), "ranks", places);
}
