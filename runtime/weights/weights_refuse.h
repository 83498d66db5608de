// weights_refuse.h: the words by which a file of weights is refused, whatever its format. Internal to the weights
// library.
#ifndef GA_WEIGHTS_REFUSE_H
#define GA_WEIGHTS_REFUSE_H

#include <stdarg.h>
#include <stdint.h>

#include "status.h"

// Says what is wrong at byte `offset` of the file called label with the tensor called name (NULL: with its header), in
// printf's format. error may be NULL.
void ga_weights_refuse_at(struct ga_error *error, const char *label, enum ga_fault fault, uint64_t offset,
                          const char *name, const char *format, va_list arguments)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 0)))
#endif
    ;

#endif
