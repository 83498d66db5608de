// isas.c: what isas.h says.
#include "isas.h"

#include <string.h>

static const char *why_unused(const struct ga_isa *isa, struct ga_cpu_found found)
{
    if ((isa->cpu & ~found.usable) != 0) {
        return "the operating system has not enabled its registers (XCR0)";
    }
    return isa->off ? isa->off : "the model was generated without it";
}

size_t ga_isas_unused(const struct ga_isa *isas, struct ga_cpu_found found, const struct ga_variant *taken,
                      struct ga_unused unused_out[GA_MAX_ISAS])
{
    size_t count = 0;
    for (const struct ga_isa *isa = isas; isa->name && !(taken && strcmp(taken->isa, isa->name) == 0); isa++) {
        if (isa->cpu != 0 && (isa->cpu & ~(found.usable | found.disabled)) == 0) {
            unused_out[count++] = (struct ga_unused){isa->name, why_unused(isa, found)};
        }
    }
    return count;
}

size_t ga_isas_unused_here(const struct ga_model *model, struct ga_unused unused_out[GA_MAX_ISAS])
{
    const struct ga_variant *taken = NULL;
    if (ga_model_variant(model, NULL, &taken, NULL) != GA_OK) {
        taken = NULL;
    }
    return ga_isas_unused(ga_isas, ga_cpu_find(UINT32_MAX), taken, unused_out);
}
