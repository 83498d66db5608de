// safetensors_refuse.c: how a header is refused: the place in the file and the words. Checks nothing.
#include <stdarg.h>

#include "safetensors_header.h"
#include "weights_refuse.h"

uint64_t ga_header_offset(size_t place)
{
    return (uint64_t)GA_SAFETENSORS_PREFIX + place;
}

bool ga_header_refuse(const struct ga_header *r, enum ga_fault fault, uint64_t offset, const char *name,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ga_weights_refuse_at(r->error, r->label, fault, offset, name, format, arguments);
    va_end(arguments);
    return false;
}

enum ga_status ga_header_fail_memory(const struct ga_header *r)
{
    return ga_fail_at(r->error, GA_MEMORY, GA_FAULT_NO_MEMORY, GA_NO_OFFSET, "%s: no memory to read the header",
                      r->label);
}
