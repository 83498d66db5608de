// mpi_gather.c: gathers of ranks by MPI: through shared memory if all ranks are on one node, else by MPI_Iallgatherv.
// Both wait a limited time, and say who did not come. The state is the process's, as MPI's is.
#define _POSIX_C_SOURCE 200809L
#include "mpi_gather.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SLOT = 1 << 18,    // bytes that a rank shows at a time
    MESSAGE = 1 << 26, // bytes of one MPI_Iallgatherv, at most, but for a single row
    SPINS = 2000,      // looks before a waiting rank gives its CPU away: some microseconds
    LOOKS = 64,        // and then looks from one look at the clock to the next
    LINE = 64,         // bytes of a cache line
};

// What a rank shows to those on its node. The slots take turns: one that is written again has been read by all ranks,
// as each shows its own next part only after it has read this one.
struct board {
    _Alignas(LINE) _Atomic uint64_t turn; // how many parts it has shown
    _Alignas(LINE) pid_t pid;
    char slots[2][SLOT];
};

// A part of rows that fits a slot: of each row, `bytes` of each rank's part from `from` on.
struct piece {
    char *data;
    size_t rows, stride, from, bytes;
    const size_t *ends;
};

static struct {
    struct ga_ranks ranks;
    MPI_Comm node;                     // MPI_COMM_NULL: the ranks are on several
    MPI_Win window;                    // of the boards
    struct board *boards[GA_MAX_TEAM]; // NULL: by messages
    bool seen[GA_MAX_TEAM];            // the system says whether that process lives
    uint64_t turn;
    char *room; // of messages
    size_t room_bytes;
    double seconds, since; // that a gather waits at most; when this one began
    char trouble[96];
} team = {.node = MPI_COMM_NULL, .window = MPI_WIN_NULL};

// -- Parts ----------------------------------------------------------------------------------------------------------

static size_t first_of(const size_t *ends, size_t rank)
{
    return rank == 0 ? 0 : ends[rank - 1];
}

static size_t widest(const size_t *ends)
{
    size_t most = 0;
    for (size_t r = 0; r < team.ranks.size; r++) {
        const size_t bytes = ends[r] - first_of(ends, r);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// Copies a rank's part of a piece from its rows to where they follow each other, or back; returns the bytes.
static size_t copy_part(const struct piece *piece, size_t rank, char *dense, bool is_back)
{
    const size_t first = first_of(piece->ends, rank), whole = piece->ends[rank] - first;
    const size_t left = whole > piece->from ? whole - piece->from : 0;
    const size_t bytes = left < piece->bytes ? left : piece->bytes;
    char *row = piece->data + first + piece->from;
    for (size_t i = 0; bytes > 0 && i < piece->rows; i++, row += piece->stride, dense += bytes) {
        memcpy(is_back ? row : dense, is_back ? dense : row, bytes);
    }
    return piece->rows * bytes;
}

// -- Waiting --------------------------------------------------------------------------------------------------------

static bool is_late(void)
{
    return MPI_Wtime() - team.since > team.seconds;
}

static bool has_died(size_t rank)
{
    return team.seen[rank] && kill(team.boards[rank]->pid, 0) != 0 && errno == ESRCH;
}

// Whether that rank cannot be waited for; then team.trouble says why.
static bool is_lost(size_t rank)
{
    const bool died = has_died(rank);
    if (died || is_late()) {
        snprintf(team.trouble, sizeof team.trouble, "rank %zu, process %ld, %s", rank, (long)team.boards[rank]->pid,
                 died ? "has died" : "did not come in time");
    }
    return team.trouble[0] != '\0';
}

// Waits until a rank on this node has shown its part.
static bool await(size_t rank)
{
    const struct board *board = team.boards[rank];
    for (size_t looks = 0; atomic_load_explicit(&board->turn, memory_order_acquire) < team.turn; looks++) {
        if (looks < SPINS) {
            continue;
        }
        (void)sched_yield();
        if (looks % LOOKS == 0 && is_lost(rank)) {
            return false;
        }
    }
    return true;
}

// -- On one node ----------------------------------------------------------------------------------------------------

static bool exchange(const struct piece *piece)
{
    const size_t own = team.ranks.rank, size = team.ranks.size;
    const uint64_t turn = ++team.turn;
    copy_part(piece, own, team.boards[own]->slots[turn % 2], false);
    atomic_store_explicit(&team.boards[own]->turn, turn, memory_order_release);
    for (size_t i = 1; i < size; i++) {
        const size_t rank = (own + i) % size;
        if (!await(rank)) {
            return false;
        }
        copy_part(piece, rank, team.boards[rank]->slots[turn % 2], true);
    }
    return true;
}

// Rows that are wider than a slot go one by one.
static bool gather_by_slots(struct piece piece, size_t rows)
{
    const size_t most = widest(piece.ends), together = most > SLOT ? 1 : SLOT / (most + !most);
    bool ok = true;
    piece.bytes = SLOT;
    for (size_t row = 0; ok && row < rows; row += piece.rows, piece.data += piece.rows * piece.stride) {
        piece.rows = together < rows - row ? together : rows - row;
        for (piece.from = 0; ok && piece.from < most; piece.from += SLOT) {
            ok = exchange(&piece);
        }
    }
    return ok;
}

// -- Between nodes --------------------------------------------------------------------------------------------------

static bool make_room(size_t bytes)
{
    if (bytes > team.room_bytes) {
        char *room = realloc(team.room, bytes);
        team.room = room ? room : team.room;
        team.room_bytes = room ? bytes : team.room_bytes;
    }
    return bytes <= team.room_bytes;
}

// Whether messages cannot be waited for: of ranks on other nodes one knows only that they are late.
static bool is_any_lost(void)
{
    for (size_t r = 0; r < team.ranks.size; r++) {
        if (has_died(r)) {
            return is_lost(r);
        }
    }
    if (is_late()) {
        snprintf(team.trouble, sizeof team.trouble, "a rank did not come in time");
    }
    return team.trouble[0] != '\0';
}

static bool finish(MPI_Request *request)
{
    int is_done = 0;
    while (MPI_Test(request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done) {
        if (is_any_lost()) {
            return false;
        }
        (void)sched_yield();
    }
    return is_done != 0;
}

static bool exchange_messages(const struct piece *piece)
{
    const size_t size = team.ranks.size, bytes = piece->rows * piece->ends[size - 1];
    int counts[GA_MAX_TEAM], starts[GA_MAX_TEAM];
    MPI_Request request;
    if (bytes > INT_MAX || !make_room(bytes)) {
        snprintf(team.trouble, sizeof team.trouble, "no memory for %zu bytes of messages", bytes);
        return false;
    }
    for (size_t r = 0; r < size; r++) {
        starts[r] = (int)(piece->rows * first_of(piece->ends, r));
        counts[r] = (int)(piece->rows * piece->ends[r]) - starts[r];
    }
    copy_part(piece, team.ranks.rank, team.room + starts[team.ranks.rank], false);
    if (MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, team.room, counts, starts, MPI_BYTE, MPI_COMM_WORLD,
                        &request) != MPI_SUCCESS ||
        !finish(&request)) {
        return false;
    }
    for (size_t r = 0; r < size; r++) {
        copy_part(piece, r, team.room + starts[r], true);
    }
    return true;
}

static bool gather_by_messages(struct piece piece, size_t rows)
{
    const size_t row_bytes = piece.ends[team.ranks.size - 1];
    const size_t together = row_bytes > MESSAGE ? 1 : MESSAGE / (row_bytes + !row_bytes);
    bool ok = true;
    piece.bytes = row_bytes;
    for (size_t row = 0; ok && row < rows; row += piece.rows, piece.data += piece.rows * piece.stride) {
        piece.rows = together < rows - row ? together : rows - row;
        ok = exchange_messages(&piece);
    }
    return ok;
}

bool ga_mpi_tell(const uint64_t *numbers, size_t count, uint64_t *numbers_out)
{
    MPI_Request request;
    team.since = MPI_Wtime();
    return MPI_Iallgather(numbers, (int)count, MPI_UINT64_T, numbers_out, (int)count, MPI_UINT64_T, MPI_COMM_WORLD,
                          &request) == MPI_SUCCESS &&
           finish(&request);
}

// -- The team -------------------------------------------------------------------------------------------------------

static bool gather(void *self, void *data, size_t rows, size_t stride, const size_t *ends)
{
    const struct piece piece = {.data = data, .stride = stride, .ends = ends};
    (void)self;
    team.since = MPI_Wtime();
    return team.boards[0] ? gather_by_slots(piece, rows) : gather_by_messages(piece, rows);
}

// The boards of all ranks, in memory that each has allocated for its own.
static void make_boards(void)
{
    struct board *own;
    MPI_Info apart; // so that each rank's board is in memory near to it
    MPI_Info_create(&apart);
    MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(sizeof *own, 1, apart, team.node, &own, &team.window);
    MPI_Info_free(&apart);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, team.window);
    atomic_init(&own->turn, 0);
    own->pid = getpid();
    MPI_Win_sync(team.window);
    MPI_Barrier(team.node);
    MPI_Win_sync(team.window);
    for (size_t r = 0; r < team.ranks.size; r++) {
        MPI_Aint bytes;
        int unit;
        MPI_Win_shared_query(team.window, (int)r, &bytes, &unit, &team.boards[r]);
        team.seen[r] = kill(team.boards[r]->pid, 0) == 0;
    }
}

const struct ga_ranks *ga_mpi_team(double seconds)
{
    int rank, size, on_node;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > GA_MAX_TEAM) {
        return NULL;
    }
    team.ranks = (struct ga_ranks){(size_t)rank, (size_t)size, gather, NULL};
    team.seconds = seconds;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &team.node);
    MPI_Comm_size(team.node, &on_node);
    if (on_node == size) {
        make_boards();
    }
    return &team.ranks;
}

const char *ga_mpi_trouble(void)
{
    return team.trouble[0] ? team.trouble : NULL;
}

void ga_mpi_team_end(void)
{
    free(team.room);
    if (team.window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(team.window);
        MPI_Win_free(&team.window);
    }
    if (team.node != MPI_COMM_NULL) {
        MPI_Comm_free(&team.node);
    }
}
