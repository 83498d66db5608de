// fuzz.h: what the fuzz targets lean on: files in a folder of their own, the program run as a user runs it with what it
// says looked at, memory counted. A target that finds something says what and aborts; libFuzzer keeps the input.
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

// The models of the build, from a generated file.
extern const struct ga_model *const ga_test_models[];
extern const size_t n_ga_test_models;

// The model called name, which there is.
const struct ga_model *fuzz_model(const char *name);

// Where ok does not hold, says the printf-formatted finding on descriptor 2 and aborts.
void fuzz_need(bool ok, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// Makes the folder of this process, which goes when it ends. Before anything below.
void fuzz_start(void);

// The path of a file in it, one of those that fuzz.c lists.
const char *fuzz_path(const char *name);

// Writes a file there anew; returns its path.
const char *fuzz_write(const char *name, const void *bytes, size_t size);

bool fuzz_exists(const char *path);

// A number that hangs on every byte, to choose options by.
uint64_t fuzz_hash(const void *bytes, size_t size);

// Runs the model's program with these words after its name, NULL-ended: its exit code is 0, 1 or 2, it says why where
// that is not 0, and nothing it says can steer a terminal. Returns the code.
int fuzz_program(const struct ga_model *model, const char *const *words);

// Messages between begin and end go to memory and are checked in the same way.
void fuzz_listen_begin(void);
void fuzz_listen_end(int code);

// The memory that was allocated between begin and end: the largest block, and the most that was there at a time.
struct fuzz_memory {
    size_t largest, most;
};
void fuzz_memory_begin(void);
struct fuzz_memory fuzz_memory_end(void);

// Of a file of weights of so many bytes that was refused: the failure has a status and, where the file is to blame, a
// fault and a byte within it; its words begin with the label.
void fuzz_check_error(enum ga_status status, const struct ga_error *error, const char *label, size_t size,
                      const char *what);

// Of one that was read: weights.h promises the data's size and 32 bytes for each byte of the header, besides what
// little is fixed.
void fuzz_check_memory(struct fuzz_memory memory, size_t size);

#endif
