// request.h: one call of the model on data from a file: inputs found and checked, outputs made, run.
// Writes no file and compares nothing.
#ifndef GA_REQUEST_H
#define GA_REQUEST_H

#include <stdbool.h>

#include "prepare.h"
#include "tensor.h"
#include "weights.h"

enum ga_request_copy {
    GA_COPY_TOKENS,
    GA_COPY_Q_LENGTHS,
    GA_COPY_KV_LENGTHS,
    GA_COPY_POSITION,
    GA_COPY_KV_POSITION,
    GA_COPY_CACHE_LENGTHS,
    GA_COPIES
};

struct ga_request {
    const char *path;           // of the file of inputs, for messages
    struct ga_weights *file;    // what io's float pointers point into
    struct ga_io io;            //
    bool batched;               // the query came with a batch axis, so the output has one
    bool bare;                  // it came as the rows of a head alone, so the output does
    size_t kv_len;              // keys a query may see: io.kv_len, or io.q_len in self-attention
    int32_t *copies[GA_COPIES]; // integers of the file as the model takes them
    uint8_t *mask;              // the file's mask as bytes
    const struct ga_tensor *cached_keys, *cached_values; // of the file, or NULL
    size_t cached;                                       // rows they have
    float *cache_keys, *cache_values;                    // what the cache holds after the run
};

// GA_OUTPUT_MORE + an intermediate is that intermediate.
enum ga_output {
    GA_OUTPUT,
    GA_ATTENTION,
    GA_ATTENTION_MEAN,
    GA_CACHE_KEYS,
    GA_CACHE_VALUES,
    GA_OUTPUT_MORE,
    GA_OUTPUTS = GA_OUTPUT_MORE + GA_INTERMEDIATES
};

// An output's name in a file: "output", "attention", "attention_mean", "q_proj", ...
const char *ga_output_name(enum ga_output output);

// The output that length bytes of text name, or GA_OUTPUTS.
enum ga_output ga_output_called(const char *text, size_t length);

// Whether the model was generated with the output.
bool ga_has_output(const struct ga_model *model, enum ga_output output);

// The names of a model's outputs in order; returns how many.
size_t ga_output_names(const struct ga_model *model, const char *names_out[GA_OUTPUTS]);

// -- io_tensors.c ---------------------------------------------------------------------------------------------------

// Fills names_out with those the model takes, in a fixed order; returns how many.
enum { GA_INPUTS = 12 };
size_t ga_input_names(const struct ga_model *model, const char *names_out[GA_INPUTS]);

// Opens path and fills request_out->io with what it holds, everything checked against the model; a tensor the model
// does not take is refused by name. The caller calls ga_request_close whether or not this succeeds.
enum ga_exit ga_request_open(const struct ga_context *context, const char *path, struct ga_request *request_out);

// Points the request's io at the file's mask, if there is one. The call's sizes are known.
enum ga_exit ga_request_mask(const struct ga_context *context, struct ga_request *request); // io_mask.c

// -- io_cache.c -----------------------------------------------------------------------------------------------------

// Finds the file's cached keys and values, if there are any. The call's sizes are known.
enum ga_exit ga_request_cached(const struct ga_context *context, struct ga_request *request);

// Makes io.cache where the model has one: room for what the file's holds and the call appends, filled with the former.
enum ga_exit ga_request_cache_new(const struct ga_context *context, const struct ga_prepared *prepared,
                                  struct ga_request *request);

// Runs the request in calls of `rows` rows, one after the other, into its own output.
enum ga_status ga_request_run_steps(const struct ga_context *context, const struct ga_prepared *prepared,
                                    const struct ga_request *request, size_t rows, void *scratch, size_t size,
                                    struct ga_error *error);

// Writes what the cache holds to cache_keys and cache_values where these were made.
enum ga_exit ga_request_cache_out(const struct ga_context *context, struct ga_request *request);

// Either of them as a tensor [batch, n_kv_heads, rows, d_head].
struct ga_tensor ga_request_cache_tensor(const struct ga_context *context, const struct ga_request *request,
                                         bool is_values);

// -- request.c ------------------------------------------------------------------------------------------------------

// Makes output and those wanted, which the model must have, and runs. step: rows of a call, one after the other, where
// the model has a cache; 0: all in one.
enum ga_exit ga_request_run(const struct ga_context *context, const struct ga_prepared *prepared,
                            const bool wanted[GA_OUTPUTS], size_t step, struct ga_request *request);

// An output that was made, as a tensor: output [batch, q_len, d_out] with the query's own rank, the others as
// model.h has them.
struct ga_tensor ga_request_output(const struct ga_context *context, const struct ga_request *request,
                                   enum ga_output output);

void ga_request_close(struct ga_request *request);

#endif
