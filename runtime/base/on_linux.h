// on_linux.h: all that is asked of Linux alone, with what stands in for it elsewhere: files that have no name until
// they are whole, so that a process that is killed before leaves nothing of them; the CPUs that a thread may run on;
// what a CPU of AArch64 has; the matrix registers of x86. Not a header users include.
#ifndef GA_ON_LINUX_H
#define GA_ON_LINUX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Opens a file without a name for writing on the file system of folder, with these permissions; -1 where that cannot
// be, as not every file system has them, or where it could not be given a name afterwards. A caller does without.
int ga_unnamed_file_open(const char *folder, mode_t mode);

// Gives it a name that nothing has: 0, or -1 with errno, EEXIST where something has it.
int ga_unnamed_file_name(int fd, const char *path);

// The CPUs that the calling thread may run on; elsewhere those that are online.
long ga_cpus_allowed(void);

// The features of a CPU of AArch64 that Linux says it has, as GA_CPU_* bits; on other systems NEON alone, which no CPU
// that they run on lacks.
uint32_t ga_aarch64_features(void);

// Whether this process may use the matrix registers of AMX.
bool ga_x86_permits_matrices(void);

// Asks Linux for them. Whether it has agreed is what ga_x86_permits_matrices says afterwards.
void ga_x86_ask_for_matrices(void);

#endif
