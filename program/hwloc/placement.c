// placement.c: the table of placement by hwloc. Programs link it if configure was given --with-hwloc. Binds processes
// and moves pages; starts no process. The state is the process's, as its binding is.
#include "placement.h"

#include <hwloc.h>

enum { MOST_NODES = 256 };

static hwloc_topology_t topology; // NULL: not read yet, or it cannot be read
static hwloc_obj_t nodes[MOST_NODES];
static size_t n_nodes; // those that have CPUs

// -- Reading --------------------------------------------------------------------------------------------------------

// Whether a NUMA node has CPUs that are not another node's: memory without CPUs has those of all the nodes around it,
// and of two memories of the same CPUs the first one counts.
static bool has_cpus(hwloc_obj_t node)
{
    bool is_own = !hwloc_bitmap_iszero(node->cpuset);
    for (hwloc_obj_t other = NULL;
         is_own && (other = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, other)) != NULL;) {
        const bool is_within = other != node && !hwloc_bitmap_iszero(other->cpuset) &&
                               hwloc_bitmap_isincluded(other->cpuset, node->cpuset);
        const bool is_same = is_within && hwloc_bitmap_isequal(other->cpuset, node->cpuset);
        is_own = !is_within || (is_same && other->logical_index > node->logical_index);
    }
    return is_own;
}

static void find_nodes(void)
{
    for (hwloc_obj_t node = NULL;
         n_nodes < MOST_NODES && (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != NULL;) {
        if (has_cpus(node)) {
            nodes[n_nodes++] = node;
        }
    }
}

// At the first question, as it takes some milliseconds.
static bool read_topology(void)
{
    if (topology || hwloc_topology_init(&topology) != 0) {
        return topology != NULL;
    }
    if (hwloc_topology_load(topology) == 0) {
        find_nodes();
    } else {
        hwloc_topology_destroy(topology);
        topology = NULL;
    }
    return topology != NULL;
}

// -- Planning -------------------------------------------------------------------------------------------------------

// The CPUs to which this process is bound; false: it may use all of them.
static bool find_bound(hwloc_bitmap_t cpus_out)
{
    const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topology);
    return hwloc_get_cpubind(topology, cpus_out, HWLOC_CPUBIND_PROCESS) == 0 && !hwloc_bitmap_iszero(cpus_out) &&
           !hwloc_bitmap_isincluded(all, cpus_out);
}

// Several nodes in a row if there are fewer processes than nodes; else several processes share a node, and the system
// divides its CPUs among them.
static void choose(size_t rank, size_t count, hwloc_bitmap_t cpus_out, struct ga_place *place)
{
    const size_t first = rank * n_nodes / count, last = (rank + 1) * n_nodes / count;
    place->is_kept = find_bound(cpus_out);
    if (place->is_kept) {
        return;
    }
    hwloc_bitmap_zero(cpus_out);
    for (size_t i = first; i < n_nodes && (i < last || i == first); i++) {
        hwloc_bitmap_or(cpus_out, cpus_out, nodes[i]->cpuset);
    }
}

static size_t count_sockets(hwloc_const_bitmap_t cpus)
{
    size_t count = 0;
    for (hwloc_obj_t socket = NULL;
         (socket = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, socket)) != NULL;) {
        count += hwloc_bitmap_intersects(socket->cpuset, cpus) ? 1 : 0;
    }
    return count > 0 ? count : 1; // some virtual machines name none
}

static void describe(hwloc_const_bitmap_t cpus, struct ga_place *place)
{
    hwloc_bitmap_t own = hwloc_bitmap_alloc();
    for (size_t i = 0; own && i < n_nodes; i++) {
        if (hwloc_bitmap_intersects(nodes[i]->cpuset, cpus)) {
            hwloc_bitmap_set(own, nodes[i]->os_index);
            place->n_nodes++;
        }
    }
    place->n_cpus = (size_t)hwloc_bitmap_weight(cpus);
    place->n_sockets = count_sockets(cpus);
    hwloc_bitmap_list_snprintf(place->cpus, sizeof place->cpus, cpus);
    hwloc_bitmap_list_snprintf(place->nodes, sizeof place->nodes, own);
    hwloc_bitmap_free(own);
}

// The CPUs of a process, which the caller frees, and what is to be said of them; NULL: hwloc cannot tell.
static hwloc_bitmap_t find_place(size_t rank, size_t count, struct ga_place *place_out)
{
    *place_out = (struct ga_place){.n_nodes = 0};
    hwloc_bitmap_t cpus = read_topology() ? hwloc_bitmap_alloc() : NULL;
    if (cpus) {
        choose(rank, count, cpus, place_out);
        describe(cpus, place_out);
        place_out->is_placed = count > 1 && count <= n_nodes && place_out->n_nodes < n_nodes;
    }
    return cpus;
}

static bool plan(size_t rank, size_t count, struct ga_place *place_out)
{
    hwloc_bitmap_t cpus = find_place(rank, count, place_out);
    hwloc_bitmap_free(cpus);
    return cpus != NULL;
}

static bool machine(struct ga_machine *machine_out)
{
    if (!read_topology()) {
        return false;
    }
    const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topology);
    *machine_out = (struct ga_machine){(size_t)hwloc_bitmap_weight(all), n_nodes, count_sockets(all)};
    return true;
}

// -- Doing it -------------------------------------------------------------------------------------------------------

static bool bind(size_t rank, size_t count, struct ga_place *place_out)
{
    hwloc_bitmap_t cpus = find_place(rank, count, place_out);
    const bool is_wanted = cpus && !place_out->is_kept && count > 1 && n_nodes > 1;
    const bool is_good = cpus && (!is_wanted || hwloc_set_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0);
    hwloc_bitmap_free(cpus);
    return is_good;
}

// Pages that another process has mapped too, such as those in which the columns of two ranks meet, stay where they are.
static void move(void *address, size_t size)
{
    hwloc_bitmap_t cpus = read_topology() ? hwloc_bitmap_alloc() : NULL;
    if (cpus && find_bound(cpus)) {
        (void)hwloc_set_area_membind(topology, address, size, cpus, HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_MIGRATE);
    }
    hwloc_bitmap_free(cpus);
}

const struct ga_placement_library ga_placement_library = {machine, plan, bind, move};
