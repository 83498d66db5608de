// weights_options.h: the options that all commands with weights have, first in their tables, and what was given for
// them.
// Loads nothing: load_model.h does.
#ifndef GA_WEIGHTS_OPTIONS_H
#define GA_WEIGHTS_OPTIONS_H

#include "command.h"
#include "load_model.h"

// Places in a command's table. TRUST is the first that a command may put another option at.
enum {
    GA_OPTION_WEIGHTS,
    GA_OPTION_RANDOM,
    GA_OPTION_LAYOUT,
    GA_OPTION_PREFIX,
    GA_OPTION_CHECKS,
    GA_OPTION_TRUST,
    GA_OPTIONS_LOADING
};

// The rows of GA_OPTION_WEIGHTS .. GA_OPTION_CHECKS.
#define GA_WEIGHTS_OPTIONS                                                                                          \
    [GA_OPTION_WEIGHTS] = {"weights", "PATH", NULL, false,                                                          \
                           "safetensors or GGUF file of the weights, a folder, an index, or what pack made"},       \
    [GA_OPTION_RANDOM] = {"allow-random", "SEED", NULL, false, "instead of --weights: random weights from a seed"}, \
    [GA_OPTION_LAYOUT] = {"weights-layout", GA_LAYOUT_VALUE, "the model's own, or the one that fits", false,        \
                          "layout of the file's tensor names"},                                                     \
    [GA_OPTION_PREFIX] = {"weights-prefix", "TEXT", "the spec's weights_prefix", false,                             \
                          "prefix of the layout's names in the file: h.0.attn."},                                   \
    [GA_OPTION_CHECKS] = {"weights-check", "LIST", NULL, false,                                                     \
                          "also refuse: strict (unused tensors), finite (NaN, infinity)"}

// The rows of GA_OPTION_WEIGHTS .. GA_OPTION_TRUST.
#define GA_LOADING_OPTIONS                                                       \
    GA_WEIGHTS_OPTIONS, [GA_OPTION_TRUST] = {"trust-weights", NULL, NULL, false, \
                                             "map a packed file and do not check it for damage"}

// What was given at GA_OPTION_WEIGHTS .. GA_OPTION_CHECKS, for one thread. values: a command's, by place; isa: of
// --isa, or NULL. The strings are the caller's and are only pointed to.
struct ga_weight_choice ga_weights_chosen(const char *const *values, const char *isa);

// The same for a command that has GA_LOADING_OPTIONS.
struct ga_weight_choice ga_loading_chosen(const char *const *values, const char *isa);

#endif
