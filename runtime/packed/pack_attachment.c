// pack_attachment.c: further bytes that a file of packed weights holds, told by their section's name. Knows nothing
// of what they are.
#include "checksum.h"
#include "pack_parts.h"

const struct ga_pack_section *ga_pack_attachment(const struct ga_pack *pack, const char *name)
{
    return pack == NULL || name == NULL || name[0] != '_' ? NULL : ga_pack_find(pack, name);
}

static bool is_of(const struct ga_pack *pack, const struct ga_pack_section *section)
{
    for (size_t i = 0; i < pack->n_sections; i++) {
        if (section == &pack->sections[i]) {
            return ga_pack_is_attachment(section);
        }
    }
    return false;
}

enum ga_status ga_pack_read_attachment(const struct ga_pack *pack, const struct ga_pack_section *section, void *to,
                                       struct ga_error *error)
{
    if (pack == NULL || pack->label == NULL || section == NULL || !is_of(pack, section) ||
        (to == NULL && section->bytes > 0)) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_read_attachment: %s",
                       pack == NULL ? "pack is NULL"
                       : to == NULL ? "to is NULL"
                                    : "no such attachment");
    }
    const enum ga_status status = ga_pack_read_at(pack, section->offset, to, section->bytes, error);
    return status == GA_OK ? ga_pack_compare(pack, section, ga_checksum_of_parts(to, section->bytes), error) : status;
}
