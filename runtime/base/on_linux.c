// on_linux.c: calls that only Linux has: files without a name (O_TMPFILE, linkat), the CPUs that the thread may run on,
// getauxval, and arch_prctl. Elsewhere it makes no such file, counts all CPUs that are online, and permits no AMX.
#define _FILE_OFFSET_BITS 64
#if defined(__linux__)
#define _GNU_SOURCE // O_TMPFILE, sched_getaffinity, syscall
#endif
#include "on_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cpu.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

enum { PROC_NAME = 40 };
enum { ASIMD = 1 << 1, ASIMDDP = 1 << 20, I8MM = 1 << 13, BF16 = 1 << 14 }; // two of AT_HWCAP, two of AT_HWCAP2

// The name that /proc has for an open file: linkat takes it from everyone, and the descriptor only from root.
static const char *name_in_proc(int fd, char text[PROC_NAME])
{
    (void)snprintf(text, PROC_NAME, "/proc/self/fd/%d", fd);
    return text;
}

int ga_unnamed_file_open(const char *folder, mode_t mode)
{
    char name[PROC_NAME];
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd >= 0 && access(name_in_proc(fd, name), F_OK) != 0) { // /proc is not there
        (void)close(fd);
        return -1;
    }
    return fd;
}

int ga_unnamed_file_name(int fd, const char *path)
{
    char name[PROC_NAME];
    return linkat(AT_FDCWD, name_in_proc(fd, name), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

long ga_cpus_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
}

uint32_t ga_aarch64_features(void)
{
#if defined(__aarch64__)
    const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
    const uint32_t asimd = (first & ASIMD ? GA_CPU_ASIMD : 0) | (first & ASIMDDP ? GA_CPU_ASIMDDP : 0);
    return asimd | (second & I8MM ? GA_CPU_I8MM : 0) | (second & BF16 ? GA_CPU_BF16 : 0);
#else
    return 0;
#endif
}

#if defined(SYS_arch_prctl)
// ARCH_GET_XCOMP_PERM and ARCH_REQ_XCOMP_PERM, which Linux has from 5.16 on; the contents of AMX's registers in XCR0.
enum { GET_PERMISSIONS = 0x1022, ASK_FOR_PERMISSION = 0x1023, MATRICES = 18 };

bool ga_x86_permits_matrices(void)
{
    uint64_t permitted = 0;
    return syscall(SYS_arch_prctl, GET_PERMISSIONS, &permitted) == 0 && (permitted >> MATRICES & 1) != 0;
}

void ga_x86_ask_for_matrices(void)
{
    (void)syscall(SYS_arch_prctl, ASK_FOR_PERMISSION, MATRICES);
}
#endif
#else
int ga_unnamed_file_open(const char *folder, mode_t mode)
{
    (void)folder;
    (void)mode;
    return -1;
}

int ga_unnamed_file_name(int fd, const char *path)
{
    (void)fd;
    (void)path;
    errno = ENOTSUP;
    return -1;
}

long ga_cpus_allowed(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

uint32_t ga_aarch64_features(void)
{
    return GA_CPU_ASIMD;
}
#endif

#if !defined(SYS_arch_prctl)
bool ga_x86_permits_matrices(void)
{
    return false;
}

void ga_x86_ask_for_matrices(void)
{
}
#endif
