// weights_options.c: what was given for the options that all commands with weights have. Checks none of it.
#include "weights_options.h"

struct ga_weight_choice ga_weights_chosen(const char *const *values, const char *isa)
{
    return (struct ga_weight_choice){.weights = values[GA_OPTION_WEIGHTS],
                                     .random = values[GA_OPTION_RANDOM],
                                     .layout = values[GA_OPTION_LAYOUT],
                                     .prefix = values[GA_OPTION_PREFIX],
                                     .checks = values[GA_OPTION_CHECKS],
                                     .isa = isa,
                                     .threads = 1};
}

struct ga_weight_choice ga_loading_chosen(const char *const *values, const char *isa)
{
    struct ga_weight_choice choice = ga_weights_chosen(values, isa);
    choice.trust = values[GA_OPTION_TRUST];
    return choice;
}
