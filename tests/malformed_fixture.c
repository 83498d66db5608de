// malformed_fixture.c: writes the bad files and indices of support/malformed.h, one each, into a folder: what fuzzers
// begin with. Called as `malformed_fixture FOLDER`; leaves out files of more than a mebibyte.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "malformed.h"

enum { LARGEST = 1048576 };

static int write_bytes(const char *folder, int number, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%02d_%s", folder, number, name);
    FILE *file = fopen(path, "wb");
    int good = file != NULL && fwrite(bytes, 1, size, file) == size;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        perror(path);
    }
    return good;
}

static int write_row(const char *folder, const struct malformed *row)
{
    size_t size = 0;
    unsigned char *bytes = malformed_bytes(row, &size);
    const int good = size > LARGEST || write_bytes(folder, row->number, row->name, bytes, size);
    free(bytes);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: malformed_fixture FOLDER\n");
        return 2;
    }
    int good = 1;
    for (size_t i = 0; i < n_malformed_rows && good; i++) {
        good = write_row(argv[1], &malformed_rows[i]);
    }
    for (size_t i = 0; i < n_malformed_indices && good; i++) {
        const struct malformed_index *row = &malformed_indices[i];
        good = write_bytes(argv[1], 47, row->name, row->text, strlen(row->text));
    }
    return good ? 0 : 1;
}
