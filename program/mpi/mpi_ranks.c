// mpi_ranks.c: the table of ranks by MPI: a counter in a window of rank 0, and a file by MPI-IO. Programs link it if
// configure was given --with-mpi. The state is the process's, as MPI's is.
#define _XOPEN_SOURCE 700 // setitimer
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "mpi_gather.h"

enum { WAITS_OF_WORK = 10 };         // a rank may compute for so many times the longest work that is known
enum { CLAIMED, LONGEST, COUNTERS }; // of the window: blocks, and milliseconds between two calls of a rank

static MPI_Win window = MPI_WIN_NULL;
static MPI_File file = MPI_FILE_NULL;

// -- Waiting --------------------------------------------------------------------------------------------------------

static double seconds;   // how long others are waited for; 0: without a limit
static double since;     // when this rank returned from its last call
static uint64_t longest; // milliseconds that a rank worked between two calls, as far as it is known here
static char late[64];    // what is said then

static void end_late(int signal)
{
    (void)signal;
    (void)!write(STDERR_FILENO, late, strlen(late));
    _exit(EXIT_FAILURE);
}

static void set_timer(double wait)
{
    const time_t whole = (time_t)wait;
    const struct itimerval timer = {.it_value = {whole, (suseconds_t)(1e6 * (wait - (double)whole))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

// A call of MPI that waits for other ranks begins.
static void begin_waiting(void)
{
    const uint64_t work = (uint64_t)(1e3 * (MPI_Wtime() - since));
    longest = work > longest ? work : longest;
    set_timer(seconds + WAITS_OF_WORK * 1e-3 * (double)longest);
}

static void end_waiting(void)
{
    set_timer(0);
    since = MPI_Wtime();
}

static void limit_waiting(double limit, int rank)
{
    const struct sigaction action = {.sa_handler = end_late};
    seconds = limit;
    snprintf(late, sizeof late, "rank %d: another rank did not come in time\n", rank);
    sigaction(SIGALRM, &action, NULL);
    since = MPI_Wtime();
}

// -- Starting -------------------------------------------------------------------------------------------------------

// Variables that process managers set: MPICH's and Slurm's, Open MPI's.
static const struct {
    const char *rank, *count;
} told[] = {{"PMI_RANK", "PMI_SIZE"}, {"PMIX_RANK", NULL}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}};

// How many processes the manager started, as far as it says so; 0 for a program by itself.
static long started_count(void)
{
    long most = 0;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const char *text = getenv(told[i].rank) && told[i].count ? getenv(told[i].count) : NULL;
        const long count = text ? strtol(text, NULL, 10) : getenv(told[i].rank) != NULL;
        most = count > most ? count : most;
    }
    return most;
}

static bool begin(double limit, size_t *rank_out, size_t *count_out)
{
    int provided, rank, count;
    uint64_t *counters;
    *rank_out = 0;
    *count_out = 1;
    if (started_count() == 0) { // MPI is not started
        return true;
    }
    // Open MPI otherwise takes UCX for windows, which fails over TCP; what the user has chosen stays.
    setenv("OMPI_MCA_osc", "^ucx", 0);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED) {
        return false;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count == 1 && started_count() > 1) { // by an MPI that the mpirun of another one has started
        MPI_Finalize();
        return false;
    }
    limit_waiting(limit, rank);
    begin_waiting();
    MPI_Win_allocate(rank == 0 ? COUNTERS * sizeof *counters : 0, sizeof *counters, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &counters, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        memset(counters, 0, COUNTERS * sizeof *counters);
        MPI_Win_sync(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    end_waiting();
    *rank_out = (size_t)rank;
    *count_out = (size_t)count;
    return true;
}

static void on_machine(size_t *rank_out, size_t *count_out)
{
    MPI_Comm near;
    int rank, count;
    begin_waiting();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_rank(near, &rank);
    MPI_Comm_size(near, &count);
    MPI_Comm_free(&near);
    end_waiting();
    *rank_out = (size_t)rank;
    *count_out = (size_t)count;
}

static size_t claim(void)
{
    const uint64_t one = 1;
    uint64_t number = 0, of_others = 0;
    begin_waiting();
    MPI_Fetch_and_op(&one, &number, MPI_UINT64_T, 0, CLAIMED, MPI_SUM, window);
    MPI_Fetch_and_op(&longest, &of_others, MPI_UINT64_T, 0, LONGEST, MPI_MAX, window);
    MPI_Win_flush(0, window);
    end_waiting();
    longest = of_others > longest ? of_others : longest;
    return (size_t)number;
}

static bool all(bool good)
{
    int mine = good, every = 0;
    begin_waiting();
    MPI_Allreduce(&mine, &every, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    end_waiting();
    return every != 0;
}

static bool open_file(const char *path)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    begin_waiting();
    const bool is_open = MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS &&
                         MPI_File_set_size(file, 0) == MPI_SUCCESS;
    end_waiting();
    return all(is_open);
}

static bool put(uint64_t offset, const void *bytes, size_t size)
{
    enum { MOST = 1 << 30 };
    const unsigned char *at = bytes;
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < MOST ? size - done : MOST;
        if (MPI_File_write_at(file, (MPI_Offset)(offset + done), at + done, (int)part, MPI_BYTE, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS) {
            return false;
        }
    }
    return true;
}

static bool close_file(void)
{
    begin_waiting();
    const bool is_closed =
        file == MPI_FILE_NULL || (MPI_File_sync(file) == MPI_SUCCESS && MPI_File_close(&file) == MPI_SUCCESS);
    end_waiting();
    return is_closed;
}

// MPICH's mpirun drops what it has not read when ranks are ended: their messages must have left the pipe.
static void abandon(void)
{
    const double begun = MPI_Wtime();
    int unread = 0;
    while (ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0 && MPI_Wtime() - begun < 1) {
        (void)sched_yield();
    }
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end(void)
{
    if (window != MPI_WIN_NULL) {
        begin_waiting();
        ga_mpi_team_end();
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
        MPI_Finalize();
        set_timer(0);
    }
}

static const struct ga_ranks *team(double limit)
{
    begin_waiting();
    const struct ga_ranks *made = ga_mpi_team(limit);
    end_waiting();
    return made;
}

const struct ga_rank_library ga_rank_library = {begin, on_machine, claim,       open_file,      put,    all, close_file,
                                                end,   team,       ga_mpi_tell, ga_mpi_trouble, abandon};
