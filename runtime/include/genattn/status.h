// status.h: the statuses that a call can return, and the struct for details of an error. It never prints or allocates.
#ifndef GA_STATUS_H
#define GA_STATUS_H

#include <stdint.h>

#include "fault.h"

#ifdef __cplusplus
extern "C" {
#endif

// One row per status: the end of its enumerator, and its sentence for ga_status_text.
#define GA_STATUS_LIST(X)                                                     \
    X(OK, "ok")                                                               \
    X(ARGUMENT, "an argument is missing or out of range")                     \
    X(SHAPE, "a tensor has another shape than the model takes")               \
    X(DTYPE, "a tensor has another element type than the model takes")        \
    X(ALIGNMENT, "memory is not aligned as it must be")                       \
    X(SIZE, "the memory given is too small")                                  \
    X(OVERFLOW, "a size does not fit in memory")                              \
    X(UNSUPPORTED, "this model was generated without what the call asks for") \
    X(CPU, "this CPU lacks the instructions the variant needs")               \
    X(IO, "a file could not be read or written")                              \
    X(FORMAT, "a file is not what its name says")                             \
    X(MISSING, "a tensor is missing")                                         \
    X(MEMORY, "there was not enough memory")                                  \
    X(THREAD, "a thread could not be started")                                \
    X(STOPPED, "the caller has stopped it")                                   \
    X(RANK, "another rank did not do its part of the call")

enum ga_status {
#define GA_STATUS_ENUM(name, sentence) GA_##name,
    GA_STATUS_LIST(GA_STATUS_ENUM)
#undef GA_STATUS_ENUM
};

// Details of a failure. The caller owns the struct, and may always pass NULL instead.
struct ga_error {
    enum ga_status status;
    char text[480]; // one sentence, NUL-terminated, UTF-8: which file, which tensor, what was found, what was expected
    enum ga_fault fault; // what is wrong with the file; GA_FAULT_NONE if no file is the cause
    uint64_t offset;     // the byte of the file where it is wrong, counted from 0, or GA_NO_OFFSET
};

#define GA_NO_OFFSET UINT64_MAX // the fault has no byte: the file cannot be opened, a tensor is missing, ...

// The sentence for a status, in static storage. Never NULL, not even for a number that is not a status.
const char *ga_status_text(enum ga_status status);

// Writes status and a printf-formatted sentence to error, without a fault or an offset, and returns status, so that a
// caller can `return ga_fail(error, GA_SHAPE, ...)`. A sentence that does not fit is truncated. error may be NULL.
enum ga_status ga_fail(struct ga_error *error, enum ga_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// The same, with the fault of the file and its byte (or GA_NO_OFFSET).
enum ga_status ga_fail_at(struct ga_error *error, enum ga_status status, enum ga_fault fault, uint64_t offset,
                          const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
