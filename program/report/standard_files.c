// standard_files.c: /dev/null in the place of a closed standard file, opened the wrong way round: what is read of it or
// written to it is an error, as it would be of the closed file, and not lost without a word.
#define _POSIX_C_SOURCE 200809L
#include "standard_files.h"

#include <fcntl.h>
#include <unistd.h>

void ga_open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) { // those below it are open, so that it is the one that open gives
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}
