// malformed_fixture.c: writes the bad files of support/malformed_rows.c, one each, into a folder: what fuzzers begin
// with. Called as `malformed_fixture FOLDER`; leaves out files of more than a mebibyte.
#include <stdio.h>
#include <stdlib.h>

#include "malformed.h"

enum { LARGEST = 1048576 };

static int write_row(const char *folder, const struct malformed *row)
{
    char path[4096];
    size_t size = 0;
    unsigned char *bytes = malformed_bytes(row, &size);
    int good = size > LARGEST;
    if (!good) {
        (void)snprintf(path, sizeof path, "%s/%02d_%s", folder, row->number, row->name);
        FILE *file = fopen(path, "wb");
        good = file != NULL && fwrite(bytes, 1, size, file) == size;
        good = file != NULL && fclose(file) == 0 && good;
        if (!good) {
            perror(path);
        }
    }
    free(bytes);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: malformed_fixture FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < n_malformed_rows; i++) {
        if (!write_row(argv[1], &malformed_rows[i])) {
            return 1;
        }
    }
    return 0;
}
