// info.h: what `info` tells, gathered once for its two ways to tell it.
#ifndef GA_INFO_H
#define GA_INFO_H

#include <stdbool.h>

#include "diagnostics.h"
#include "json_file.h"
#include "placement.h"

struct ga_info {
    const struct ga_variant *shown; // whose kernels are told: --isa's, the one this CPU would take, or the first
    bool runs;                      // this CPU can run it
    size_t batch, q_len, kv_len;    // of a typical call
    size_t scratch;                 // bytes that call needs; SIZE_MAX: not known, for the variant cannot run here
    size_t batch_scratch;           // most bytes that a thread needs for a batch of embed, search and rank; 0: no such
                                    // model; SIZE_MAX: not known, likewise
    double flops, bytes;            // of that call
    double logits_flops;            // of the logits of one row; 0: the model has none
    size_t ranks;                   // whose places are told; 0: one for each socket
    double class_flops;             // of the class_logits of one sequence; likewise
};

// -- info_stack.c ---------------------------------------------------------------------------------------------------

// Numbers in a model's weights.
struct ga_parameters {
    size_t all, of_layer, beside_layers; // all is n_layers times of_layer, those beside, and
    size_t of_encoder;                   // of a transformer, whose layers are its decoder's
};

struct ga_parameters ga_parameters_of(const struct ga_model *model);

// Prints what there is to say of a stack.
void ga_info_stack_print(const struct ga_model *model);

// The same as an object; null for one layer.
json_t *ga_info_stack_json(const struct ga_model *model);

// -- info_machine.c -------------------------------------------------------------------------------------------------

// Prints the sockets and NUMA nodes of this machine, and which of them so many ranks have, one for each socket if that
// is 0; nothing in a program without hwloc.
void ga_info_machine_print(size_t ranks);

// The same as an object; null in a program without hwloc.
json_t *ga_info_machine_json(size_t ranks);

// -- buffer_lifetimes.c -----------------------------------------------------------------------------------------------

// Prints a stack's buffers and when they are alive, and draws them into a file.
void ga_buffer_lifetimes_print(const struct ga_stack *stack);
enum ga_exit ga_buffer_lifetimes_draw(const struct ga_context *context, const char *path);

enum ga_exit ga_info_json(const struct ga_context *context, const struct ga_info *info); // info_json.c

#endif
