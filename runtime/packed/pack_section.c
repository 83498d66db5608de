// pack_section.c: what a section of a file of packed weights is, which its name tells. Reads no bytes of it.
#include <stdio.h>

#include "pack_parts.h"

bool ga_pack_is_attachment(const struct ga_pack_section *section)
{
    return section->isa[0] == '_';
}

const char *ga_pack_content(const struct ga_pack_section *section, char text[GA_PACK_CONTENT])
{
    const bool is_attachment = ga_pack_is_attachment(section);
    (void)snprintf(text, GA_PACK_CONTENT, "%s%s", is_attachment ? "the " : "the weights for ",
                   section->isa + is_attachment);
    return text;
}
