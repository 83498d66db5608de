// folder.c: folders under /tmp, removed with what is in them.
#define _POSIX_C_SOURCE 200809L // mkdtemp

#include "folder.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

void folder_enter(void)
{
    strcpy(folder, "/tmp/ga_tests_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

// Counts the entries of a folder that is not hidden; removes the files, where asked to.
static size_t each_entry(const char *path, int removing)
{
    size_t count = 0;
    DIR *entries = opendir(path);
    cr_assert_not_null(entries, "%s", path);
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
    cr_expect_eq(chdir("/"), 0);
    cr_expect_eq(rmdir(folder), 0);
}

size_t folder_count(void)
{
    return each_entry(folder, 0);
}

void folder_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}
