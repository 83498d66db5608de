// unnamed_file.h: a file that has no name until it is whole: a process that is killed before leaves nothing of it.
// Not every file system has such files; a caller does without where there is none. Not a header users include.
#ifndef GA_UNNAMED_FILE_H
#define GA_UNNAMED_FILE_H

#include <sys/types.h>

// Opens one for writing on the file system of folder, with these permissions; -1 where that cannot be, or where it
// could not be given a name afterwards.
int ga_unnamed_file_open(const char *folder, mode_t mode);

// Gives it a name that nothing has: 0, or -1 with errno, EEXIST where something has it.
int ga_unnamed_file_name(int fd, const char *path);

#endif
