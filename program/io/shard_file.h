// shard_file.h: a file of the embeddings of a shard's blocks, written a block at a time, so that a program that is
// killed loses its last block alone. Computes none, and reads no text.
//
// A line of JSON, padded with blanks to GA_SHARD_HEADER bytes, says what made the file. Then come the shard's blocks in
// order: the rows F32 [texts of the block][width], and the XXH64 of these rows, 8 bytes, little-endian. Checksums find
// accidents, not forgery.
#ifndef GA_SHARD_FILE_H
#define GA_SHARD_FILE_H

#include <stdio.h>

#include "search_index.h"
#include "shard.h"

enum { GA_SHARD_HEADER = 1024 };

// What an embedding depends on in a file of shards, and which shard of what it is.
struct ga_shard_maker {
    struct ga_index_maker maker;
    uint64_t corpus; // checksum of the texts
    uint64_t prompt; // of what comes before each text
    struct ga_shard shard;
};

// A file of a shard. Zeroed memory is none.
struct ga_shard_file {
    const struct ga_context *context;
    const char *path;
    FILE *file;
    struct ga_shard shard;
    size_t width;                 // of a row
    size_t done;                  // blocks that the file has
    char header[GA_SHARD_HEADER]; // the JSON, NUL-terminated
};

// Begins the file at path, which lives as long as the struct, in the place of whatever file has that name.
// resumes: a shard that is there keeps its blocks up to the first damaged one; the others are dropped, with a note. A
// file that is not a shard, or that something else made, is refused by what differs. GA_EXIT_FAILED after a message,
// also where another process writes the file. The caller calls ga_shard_close whether or not this succeeds.
enum ga_exit ga_shard_begin(const struct ga_context *context, const char *path, const struct ga_shard_maker *maker,
                            bool resumes, struct ga_shard_file *file_out);

// Appends the rows of the next block.
enum ga_exit ga_shard_put(struct ga_shard_file *file, const float *rows);

// Opens a shard to read it; `done` is by its size, unchecked. GA_EXIT_FAILED after a message, also for a file that is
// not a shard. The caller calls ga_shard_close whether or not this succeeds.
enum ga_exit ga_shard_open(const struct ga_context *context, const char *path, struct ga_shard_file *file_out);

// Whether the program of the context is the one that made the file; GA_EXIT_FAILED after a message that says what
// differs.
enum ga_exit ga_shard_check_program(const struct ga_shard_file *file);

// Whether two files are shards of the same embeddings; GA_EXIT_FAILED after a message that says what differs.
enum ga_exit ga_shard_check_same(const struct ga_shard_file *file, const struct ga_shard_file *first);

// Reads the rows of block i, which is the next one; false where it is damaged or not there.
bool ga_shard_read(struct ga_shard_file *file, size_t i, float *rows_out);

// Flushes what was put to the disk. code: of the work, which is returned; GA_EXIT_FAILED after a message where the disk
// did not take all of it.
enum ga_exit ga_shard_close(struct ga_shard_file *file, enum ga_exit code);

#endif
