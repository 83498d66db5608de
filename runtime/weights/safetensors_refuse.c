// safetensors_refuse.c: how a header is refused: the place in the file and the words. Checks nothing.
#include <stdarg.h>
#include <stdio.h>

#include "safetensors_header.h"

uint64_t ga_header_offset(size_t place)
{
    return (uint64_t)GA_SAFETENSORS_PREFIX + place;
}

bool ga_header_refuse(const struct ga_header *r, enum ga_fault fault, uint64_t offset, const char *name,
                      const char *format, ...)
{
    char sentence[320];
    char shown[GA_NAME_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    ga_fail_at(r->error, GA_FORMAT, fault, offset, "%s: %s%s%sbyte %llu: %s", r->label, name == NULL ? "" : "tensor '",
               name == NULL ? "" : ga_name_text(name, shown, sizeof shown), name == NULL ? "" : "', ",
               (unsigned long long)offset, sentence);
    return false;
}

enum ga_status ga_header_fail_memory(const struct ga_header *r)
{
    return ga_fail_at(r->error, GA_MEMORY, GA_FAULT_NO_MEMORY, GA_NO_OFFSET, "%s: no memory to read the header",
                      r->label);
}
