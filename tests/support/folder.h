// folder.h: a folder of its own for each test that makes files, as the process's current one, and the files in it.
#ifndef GA_TESTS_FOLDER_H
#define GA_TESTS_FOLDER_H

#include <stddef.h>

// Makes a folder and enters it; for a suite's .init.
void folder_enter(void);

// Removes its files, with those of one folder in it, and the folder itself; for a suite's .fini.
void folder_leave(void);

// How many files and folders are in it.
size_t folder_count(void);

void folder_write(const char *path, const void *bytes, size_t size);

#endif
