// isas.h: the instruction sets that genattn knows, held against those of a model and of this CPU: which would be better
// than the one that calls take, and why they do not take it. Chooses no variant; ga_model_variant does.
#ifndef GA_ISAS_H
#define GA_ISAS_H

#include <stddef.h>
#include <stdint.h>

#include "cpu.h"
#include "diagnostics.h"
#include "model.h"

enum { GA_MAX_ISAS = 16 };

struct ga_isa {
    const char *name; // "avx2", as variants have it
    uint32_t cpu;     // GA_CPU_* bits it needs; 0: it runs anywhere
    const char *off;  // why this build has no such kernels, or NULL: models may have them
};

// Best first, at most GA_MAX_ISAS, up to one whose name is NULL. configure writes them, as generator/isa has them.
extern const struct ga_isa ga_isas[];

// An instruction set that this CPU has and calls do not take.
struct ga_unused {
    const char *isa;
    const char *why;
};

// Those of isas[], as ga_isas, that are better than `taken` (NULL: calls take none) and that a CPU has of which so much
// was found; returns how many.
size_t ga_isas_unused(const struct ga_isa *isas, struct ga_cpu_found found, const struct ga_variant *taken,
                      struct ga_unused unused_out[GA_MAX_ISAS]);

// The same for a model on this CPU.
size_t ga_isas_unused_here(const struct ga_model *model, struct ga_unused unused_out[GA_MAX_ISAS]);

// Characters that a column of names takes: those of the longest, of the instruction sets that genattn knows and of the
// model's variants.
int ga_isa_width(const struct ga_model *model);

// True where this CPU can run the variant.
bool ga_runs_here(const struct ga_variant *variant);

// "avx2 fma": the CPU features a set of GA_CPU_* bits names; returns text.
const char *ga_cpu_text(uint32_t needed, char text[GA_PRINTABLE]);

#endif
