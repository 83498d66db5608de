// prepare.h: a model made ready to run: a variant chosen, weights found or made, packed.
// Reads no input and runs nothing.
#ifndef GA_PREPARE_H
#define GA_PREPARE_H

#include "say.h"

// The options of a command that needs weights, as given; all may be NULL, but one of weights and random must be there.
struct ga_weight_choice {
    const char *weights; // --weights FILE
    const char *random;  // --allow-random SEED
    const char *layout;  // --weights-layout NAME
    const char *isa;     // --isa NAME
};

struct ga_prepared {
    const struct ga_variant *variant;
    const struct ga_loaded *loaded; // lies in block
    void *block;
};

// What --isa names among the model's variants, or the best this CPU runs where isa is NULL. A name that is no variant
// is wrong usage; one this CPU cannot run is a failure.
enum ga_exit ga_choose_variant(const struct ga_context *context, const char *isa,
                               const struct ga_variant **variant_out);

// Makes *prepared_out, which the caller frees with ga_prepared_free whether or not this succeeds.
enum ga_exit ga_prepare(const struct ga_context *context, const struct ga_weight_choice *choice,
                        struct ga_prepared *prepared_out);

// The same from weights made from a seed, saying nothing.
enum ga_exit ga_prepare_random(const struct ga_context *context, const struct ga_variant *variant, uint64_t seed,
                               struct ga_prepared *prepared_out);

void ga_prepared_free(struct ga_prepared *prepared);

#endif
