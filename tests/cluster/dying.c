// dying.c: a library that is loaded before a rank's others (LD_PRELOAD): $DYING_RANK gets the signal $SIGNAL when it
// calls the function $DYING the first time, or the $DYING_CALL-th, so that it ends or stops in a phase that the test
// chooses, and leaves its process in the file $DYING_PID. open counts for packed weights alone, and MPI_Wtime, with
// which a gather begins, after the first message that has come: that of the comparison of ranks. For ranks.sh, mpi.sh
// and placement.sh.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *rank_text(void)
{
    const char *mpich = getenv("PMI_RANK");
    return mpich ? mpich : getenv("OMPI_COMM_WORLD_RANK");
}

static void note_call(const char *function)
{
    static long calls; // a rank that goes on after it was stopped is not stopped again
    const char *dying = getenv("DYING"), *rank = rank_text(), *call = getenv("DYING_CALL");
    if (!dying || !rank || strcmp(dying, function) != 0 || strcmp(rank, getenv("DYING_RANK")) != 0 ||
        ++calls != (call ? atol(call) : 1)) {
        return;
    }
    FILE *file = fopen(getenv("DYING_PID"), "w");
    if (file) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
    }
    raise(strcmp(getenv("SIGNAL"), "STOP") == 0 ? SIGSTOP : SIGKILL);
}

// A pointer to the function that this library hides.
#define HIDDEN(type, name, parameters) \
    union {                            \
        void *pointer;                 \
        type(*function) parameters;    \
    } hidden = {dlsym(RTLD_NEXT, #name)}

// Defines a function of this name, which is noted and then calls the one that it hides.
#define NOTED(type, name, parameters, arguments) \
    type name parameters                         \
    {                                            \
        HIDDEN(type, name, parameters);          \
        note_call(#name);                        \
        return hidden.function arguments;        \
    }

NOTED(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
NOTED(int, MPI_Fetch_and_op, (const void *a, void *b, MPI_Datatype c, int d, MPI_Aint e, MPI_Op f, MPI_Win g),
      (a, b, c, d, e, f, g))
NOTED(int, MPI_File_open, (MPI_Comm a, const char *b, int c, MPI_Info d, MPI_File *e), (a, b, c, d, e))
NOTED(int, MPI_File_close, (MPI_File * a), (a))
NOTED(int, MPI_File_write_at, (MPI_File a, MPI_Offset b, const void *c, int d, MPI_Datatype e, MPI_Status *f),
      (a, b, c, d, e, f))
NOTED(int, MPI_Barrier, (MPI_Comm a), (a))
NOTED(int, MPI_Iallgather,
      (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request *h),
      (a, b, c, d, e, f, g, h))

static bool has_message;

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    HIDDEN(int, MPI_Test, (MPI_Request *, int *, MPI_Status *));
    const int result = hidden.function(request, flag, status);
    has_message = has_message || *flag;
    return result;
}

double MPI_Wtime(void)
{
    HIDDEN(double, MPI_Wtime, (void));
    if (has_message) {
        note_call("MPI_Wtime");
    }
    return hidden.function();
}

// A mode that is not given has any value, and is passed on.
#define OPENS(name)                                                 \
    int name(const char *path, int flags, ...)                      \
    {                                                               \
        HIDDEN(int, name, (const char *, int, ...));                \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        const int mode = va_arg(rest, int);                         \
        va_end(rest);                                               \
        const size_t length = strlen(path);                         \
        if (length > 4 && strcmp(path + length - 4, ".gap") == 0) { \
            note_call("open");                                      \
        }                                                           \
        return hidden.function(path, flags, mode);                  \
    }

OPENS(open)
OPENS(open64)
