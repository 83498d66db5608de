// mpi_ranks.c: the table of ranks by MPI: a counter in a window of rank 0, and a file by MPI-IO. Programs link it if
// configure was given --with-mpi. The state is the process's, as MPI's is.
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mpi_gather.h"

static MPI_Win window = MPI_WIN_NULL;
static MPI_File file = MPI_FILE_NULL;

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

static bool begin(size_t *rank_out, size_t *count_out)
{
    int provided, rank, count;
    uint64_t *counter;
    *rank_out = 0;
    *count_out = 1;
    if (started_count() == 0) { // MPI is not started
        return true;
    }
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
    MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        *counter = 0;
        MPI_Win_sync(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    *rank_out = (size_t)rank;
    *count_out = (size_t)count;
    return true;
}

static void on_machine(size_t *rank_out, size_t *count_out)
{
    MPI_Comm near;
    int rank, count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_rank(near, &rank);
    MPI_Comm_size(near, &count);
    MPI_Comm_free(&near);
    *rank_out = (size_t)rank;
    *count_out = (size_t)count;
}

static size_t claim(void)
{
    const uint64_t one = 1;
    uint64_t number = 0;
    MPI_Fetch_and_op(&one, &number, MPI_UINT64_T, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    return (size_t)number;
}

static bool all(bool good)
{
    int mine = good, every = 0;
    MPI_Allreduce(&mine, &every, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return every != 0;
}

static bool open_file(const char *path)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    const bool is_open = MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS;
    return all(is_open && MPI_File_set_size(file, 0) == MPI_SUCCESS);
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
    return file == MPI_FILE_NULL || (MPI_File_sync(file) == MPI_SUCCESS && MPI_File_close(&file) == MPI_SUCCESS);
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
    ga_mpi_team_end();
    if (window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
        MPI_Finalize();
    }
}

const struct ga_rank_library ga_rank_library = {
    begin, on_machine, claim, open_file, put, all, close_file, end, ga_mpi_team, ga_mpi_tell, ga_mpi_trouble, abandon};
