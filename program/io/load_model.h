// load_model.h: a model made ready to run: a variant chosen, weights found or made, packed, threads started.
// Reads no input and runs nothing.
#ifndef GA_LOAD_MODEL_H
#define GA_LOAD_MODEL_H

#include "diagnostics.h"
#include "pack_file.h"
#include "row_sums.h"
#include "threads.h"

// The options of a command that needs weights, as given; all may be NULL, but one of weights and random must be there.
struct ga_weight_choice {
    const char *weights; // --weights PATH: a file, an index of shards, the folder of either, or what pack made
    const char *random;  // --allow-random SEED
    const char *layout;  // --weights-layout NAME
    const char *prefix;  // --weights-prefix TEXT
    const char *isa;     // --isa NAME
    size_t threads;      // --threads, 1 without
    const char *checks;  // --weights-check LIST
    const char *trust;   // --trust-weights
    const struct ga_row_sums *sums; // by which weights of a file are rounded; NULL: to the nearest
    bool copies;                    // what pack made is copied into this process's memory, and not mapped
    bool wants_checksum;            // the instance's, for which weights that are not packed are read once more
};

struct ga_model_instance {
    const struct ga_variant *variant;
    const struct ga_loaded *loaded; // in block or in map
    uint64_t weights; // their checksum before packing (weights_checksum.h), if it is wanted or in the file
    void *block;
    struct ga_pack_map map; // where the weights are used as they lie in a file; then the struct is not moved
    const struct ga_parallel *parallel; // for io.parallel; NULL: one thread
    const struct ga_ranks *ranks;       // for io.ranks; NULL: one process does all
    struct ga_threads *pool;            // after parallel where it is this one's own, or NULL
};

// What --isa names among the model's variants, or the best this CPU runs where isa is NULL. A name that is no variant
// is wrong usage; one this CPU cannot run is a failure.
enum ga_exit ga_choose_variant(const struct ga_context *context, const char *isa,
                               const struct ga_variant **variant_out);

// Makes *instance_out, which the caller frees with ga_model_instance_free whether or not this succeeds.
enum ga_exit ga_load_model(const struct ga_context *context, const struct ga_weight_choice *choice,
                           struct ga_model_instance *instance_out);

// Makes *pool_out, a pool for so many threads, which the caller frees with ga_threads_free; NULL where one is enough.
enum ga_exit ga_start_threads(const struct ga_context *context, size_t threads, struct ga_threads **pool_out);

// The part of ga_load_model that takes what pack made: chooses the variant among those the file has weights for.
enum ga_exit ga_load_packed_model(const struct ga_context *context, const struct ga_weight_choice *choice,
                                  struct ga_model_instance *instance); // load_packed.c

// The same as ga_load_model from weights made from a seed, on one thread, saying nothing.
enum ga_exit ga_load_random_model(const struct ga_context *context, const struct ga_variant *variant, uint64_t seed,
                                  struct ga_model_instance *instance_out);

// After a first call by ranks: moves mapped weights near to this rank's CPUs, as far as no other rank reads them.
void ga_model_instance_settle(const struct ga_model_instance *instance); // load_packed.c

void ga_model_instance_free(struct ga_model_instance *instance);

#endif
