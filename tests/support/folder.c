// folder.c: folders under /tmp, removed with what is in them.
#define _POSIX_C_SOURCE 200809L // mkdtemp

#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

// Tests cannot go on without their files.
static void need(int good, const char *what)
{
    if (!good) {
        perror(what);
        abort();
    }
}

void folder_enter(void)
{
    strcpy(folder, "/tmp/ga_tests_XXXXXX");
    need(mkdtemp(folder) != NULL && chdir(folder) == 0, folder);
}

// Counts the entries of a folder that is not hidden; removes the files, where asked to.
static size_t each_entry(const char *path, int removing)
{
    size_t count = 0;
    DIR *entries = opendir(path);
    need(entries != NULL, path);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char inner[512];
        if (entry->d_name[0] == '.') {
            continue;
        }
        count++;
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (removing && remove(inner) != 0) {
            (void)each_entry(inner, 1);
            (void)remove(inner);
        }
    }
    closedir(entries);
    return count;
}

void folder_leave(void)
{
    (void)each_entry(folder, 1);
    need(chdir("/") == 0 && rmdir(folder) == 0, folder);
}

size_t folder_count(void)
{
    return each_entry(folder, 0);
}

void folder_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    need(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, path);
}
