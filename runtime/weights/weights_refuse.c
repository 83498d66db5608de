// weights_refuse.c: the label, the tensor's name as it can be shown, the byte, and what is wrong there.
#include "weights_refuse.h"

#include <stdio.h>

#include "tensor.h"

void ga_weights_refuse_at(struct ga_error *error, const char *label, enum ga_fault fault, uint64_t offset,
                          const char *name, const char *format, va_list arguments)
{
    char sentence[320], shown[GA_NAME_TEXT];
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    ga_fail_at(error, GA_FORMAT, fault, offset, "%s: %s%s%sbyte %llu: %s", label, name == NULL ? "" : "tensor '",
               name == NULL ? "" : ga_name_text(name, shown, sizeof shown), name == NULL ? "" : "', ",
               (unsigned long long)offset, sentence);
}
