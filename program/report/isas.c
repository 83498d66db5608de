// isas.c: what isas.h says.
#include "isas.h"

#include <stdio.h>
#include <string.h>

static const char *why_unused(const struct ga_isa *isa, struct ga_cpu_found found)
{
    if ((isa->cpu & ~found.usable) != 0) {
        return "the operating system has not enabled its registers (XCR0)";
    }
    return isa->off ? isa->off : "the model was generated without it";
}

// Whether a variant is of an instruction set, or of one that refines it: then its name begins with that one's.
static bool is_of(const struct ga_variant *variant, const struct ga_isa *isa)
{
    return strncmp(variant->isa, isa->name, strlen(isa->name)) == 0;
}

size_t ga_isas_unused(const struct ga_isa *isas, struct ga_cpu_found found, const struct ga_variant *taken,
                      struct ga_unused unused_out[GA_MAX_ISAS])
{
    size_t count = 0;
    for (const struct ga_isa *isa = isas; isa->name && !(taken && is_of(taken, isa)); isa++) {
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

int ga_isa_width(const struct ga_model *model)
{
    size_t width = 0;
    for (const struct ga_isa *isa = ga_isas; isa->name; isa++) {
        width = strlen(isa->name) > width ? strlen(isa->name) : width;
    }
    for (size_t i = 0; i < model->n_variants; i++) {
        width = strlen(model->variants[i].isa) > width ? strlen(model->variants[i].isa) : width;
    }
    return (int)width;
}

bool ga_runs_here(const struct ga_variant *variant)
{
    return ga_cpu_has(variant->cpu);
}

const char *ga_cpu_text(uint32_t needed, char text[GA_PRINTABLE])
{
    static const struct {
        uint32_t bit;
        const char *name;
    } features[] = {
#define FEATURE(name, text, ...) {GA_CPU_##name, text},
        GA_CPU_LIST(FEATURE)
#undef FEATURE
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (needed & features[i].bit) {
            used += (size_t)snprintf(text + used, GA_PRINTABLE - used, "%s%s", used ? " " : "", features[i].name);
        }
    }
    return text;
}
