// model_call.h: one call of the model on data from a file: inputs found and checked, outputs made, run.
// Writes no file and compares nothing.
#ifndef GA_MODEL_CALL_H
#define GA_MODEL_CALL_H

#include <stdbool.h>

#include "load_model.h"
#include "tensor.h"
#include "weights.h"

enum ga_model_call_copy {
    GA_COPY_TOKENS,
    GA_COPY_KEY_TOKENS,
    GA_COPY_TOKEN_TYPES,
    GA_COPY_Q_LENGTHS,
    GA_COPY_KV_LENGTHS,
    GA_COPY_POSITION,
    GA_COPY_KV_POSITION,
    GA_COPY_CACHE_LENGTHS,
    GA_COPIES
};

enum { GA_OUTPUT_NAME = 24 }; // bytes of the longest output's name

// The outputs of a stack for each layer, under one name and a number from 0: hidden_N, the rows that N layers
// leave; attention_N, the weights of the layer that takes hidden_N over its own rows, and cross_attention_N, over its
// memory; src_attention_N, those of layer N of a transformer's encoder.
enum ga_series { GA_OF_HIDDEN, GA_OF_ATTENTION, GA_OF_CROSS_ATTENTION, GA_OF_SRC_ATTENTION, GA_SERIES };

struct ga_model_call {
    const char *path;                         // of the file of inputs, for messages
    struct ga_weights *file;                  // what io's float pointers point into
    struct ga_io io;                          //
    bool batched;                             // the query came with a batch axis, so the output has one
    bool bare;                                // it came as the rows of a head alone, so the output does
    size_t kv_len;                            // keys a query may see: io.kv_len, or io.q_len in self-attention
    int32_t *copies[GA_COPIES];               // integers of the file as the model takes them
    uint8_t *mask, *src_mask, *memory_mask;   // the file's masks as bytes
    const float *cached_keys, *cached_values; // of the file, or NULL
    size_t cached;                            // rows they have
    float *cache_keys, *cache_values;         // what the cache holds after the run
    struct ga_listed {                        // what a stack gives layer by layer; zeros where none is wanted
        size_t count;
        float **data;                  // [count], each NULL or the call's: what io.hidden and its like point to
        char (*names)[GA_OUTPUT_NAME]; // in a file
    } listed[GA_SERIES];
};

// -- outputs.c ------------------------------------------------------------------------------------------------------

enum { GA_MAX_LAYERS = 1024 }; // of the deepest stack

// GA_OUTPUT_MORE + an intermediate is that intermediate, GA_HIDDEN + n the rows that n layers of a stack leave,
// GA_LAYER_ATTENTION + n the weights of layer n, from 0, and so on.
enum ga_output {
    GA_OUTPUT,
    GA_ATTENTION,
    GA_ATTENTION_MEAN,
    GA_CACHE_KEYS,
    GA_CACHE_VALUES,
    GA_EMBEDDING,
    GA_LOGITS,
    GA_LAST_LOGITS,
    GA_CLASS_LOGITS,
    GA_OUTPUT_MORE,
    GA_HIDDEN = GA_OUTPUT_MORE + GA_INTERMEDIATES,
    GA_LAYER_ATTENTION = GA_HIDDEN + GA_MAX_LAYERS + 1,
    GA_LAYER_CROSS_ATTENTION = GA_LAYER_ATTENTION + GA_MAX_LAYERS,
    GA_SRC_LAYER_ATTENTION = GA_LAYER_CROSS_ATTENTION + GA_MAX_LAYERS,
    GA_OUTPUTS = GA_SRC_LAYER_ATTENTION + GA_MAX_LAYERS
};

// An output's name in a file: "output", "attention", "q_proj", "hidden_3", ...; a literal, or in text.
const char *ga_output_name(enum ga_output output, char text[GA_OUTPUT_NAME]);

// The output that length bytes of a name are, or GA_OUTPUTS.
enum ga_output ga_output_called(const char *name, size_t length);

// Whether the model gives the output, and whether unasked.
bool ga_has_output(const struct ga_model *model, enum ga_output output);
bool ga_output_usual(const struct ga_model *model, enum ga_output output);

// Why the model does not give an output; returns text.
enum { GA_OUTPUT_MISSING = 160 };
const char *ga_output_missing(const struct ga_model *model, enum ga_output output, char text[GA_OUTPUT_MISSING]);

// The names of a model's outputs in order, those of a series as a range; returns text.
enum { GA_OUTPUT_LIST = (GA_HIDDEN + 3 * GA_SERIES) * GA_OUTPUT_NAME };
const char *ga_output_list(const struct ga_model *model, char text[GA_OUTPUT_LIST]);

// Reads the names of outputs joined by commas, hidden_all being all of that series; where one is wrong says so of that
// option.
enum ga_exit ga_read_outputs(const struct ga_context *context, const char *option, const char *text,
                             bool wanted_out[GA_OUTPUTS]);

// ", did you mean ...?" for a name that is no output of the model's, or ""; returns text.
const char *ga_output_hint(const struct ga_model *model, const char *given, char text[GA_PRINTABLE]);

// -- series.c -------------------------------------------------------------------------------------------------------

// The series an output is of, or GA_SERIES; and the one that length bytes of a name ask for whole, as "hidden_all".
enum ga_series ga_series_of(enum ga_output output);
enum ga_series ga_series_called(const char *text, size_t length);

// "hidden" or "attention" and so on, output `index` of it, and the name in a spec's outputs that gives it.
const char *ga_series_name(enum ga_series which);
enum ga_output ga_series_output(enum ga_series which, size_t index);
const char *ga_series_field(enum ga_series which);

// Why no model of this kind gives a series, or NULL where some do.
const char *ga_series_refused(const struct ga_model *model, enum ga_series which);

// How many outputs of it the model gives, from index 0 on.
size_t ga_series_count(const struct ga_model *model, enum ga_series which);

// -- inputs.c -------------------------------------------------------------------------------------------------------

// Fills names_out with those the model takes, in a fixed order; returns how many.
enum { GA_INPUTS = 25 };
size_t ga_input_names(const struct ga_model *model, const char *names_out[GA_INPUTS]);

// Prints for each tensor of the call's file that the model does not take the reason, and fails if there is one.
enum ga_exit ga_model_call_names(const struct ga_context *context, const struct ga_model_call *call);

// -- io_rows.c ------------------------------------------------------------------------------------------------------

#define GA_FLOATS "F32, F16, BF16 or F64" // the types of what a model takes as floats, for messages

// Says of a file's tensor that it is of another dtype or shape than expected: "F32 [4]".
enum ga_exit ga_refuse_shape(const struct ga_context *context, const char *path, const struct ga_tensor *tensor,
                             const char *expected);

// The tensor's elements as floats, which belong to the call's file: those of F32 as they lie there, those of F16,
// BF16 and F64 converted. *floats_out is NULL where there is no memory for them, which is said.
enum ga_exit ga_floats_read(const struct ga_context *context, const struct ga_model_call *call,
                            const struct ga_tensor *tensor, const float **floats_out);

// Whether a tensor is of I32 or I64, and element i of one that is.
bool ga_holds_integers(const struct ga_tensor *tensor);
int64_t ga_integer_at(const struct ga_tensor *tensor, size_t i);

// One kind of sequence: how its rows look and which sizes would do.
struct ga_rows {
    size_t width;          // of rows of floats; 0: one integer a row
    size_t heads;          // each with rows of its own; 0: rows stand alone
    size_t batch;          // wanted; 0: any
    struct ga_range range; // of rows
};

// Rows of all heads together, or of each head where the model is attention alone; batch and range are the caller's.
struct ga_rows ga_rows_of(const struct ga_model *model, size_t width, size_t heads);

// Finds batch and rows of a sequence, or says which shapes would do.
enum ga_exit ga_rows_read(const struct ga_context *context, const struct ga_model_call *call,
                          const struct ga_tensor *tensor, const struct ga_rows *rows, size_t *batch_out,
                          size_t *len_out);

// -- io_tensors.c ---------------------------------------------------------------------------------------------------

// Opens path and fills request_out->io with what it holds, everything checked against the model; a tensor the model
// does not take is refused by name. The caller calls ga_model_call_close whether or not this succeeds.
enum ga_exit ga_model_call_open(const struct ga_context *context, const char *path, struct ga_model_call *call_out);

// Points the call's io at the file's masks, if there are any. The call's sizes are known.
enum ga_exit ga_model_call_mask(const struct ga_context *context, struct ga_model_call *call); // io_mask.c

// -- io_cache.c -----------------------------------------------------------------------------------------------------

// Finds the file's cached keys and values, if there are any. The call's sizes are known.
enum ga_exit ga_model_call_cached(const struct ga_context *context, struct ga_model_call *call);

// Makes io.cache where the model has one: room for what the file's holds and the call appends, filled with the former.
enum ga_exit ga_model_call_cache_new(const struct ga_context *context, const struct ga_model_instance *instance,
                                     struct ga_model_call *call);

// Runs the call in calls of `rows` rows, one after the other, into its own output.
enum ga_status ga_model_call_run_steps(const struct ga_context *context, const struct ga_model_instance *instance,
                                       const struct ga_model_call *call, size_t rows, void *scratch, size_t size,
                                       struct ga_error *error);

// Writes what the cache holds to cache_keys and cache_values where these were made.
enum ga_exit ga_model_call_cache_out(const struct ga_context *context, struct ga_model_call *call);

// Either of them as a tensor [batch, n_kv_heads, rows, d_head].
struct ga_tensor ga_model_call_cache_tensor(const struct ga_context *context, const struct ga_model_call *call,
                                            bool is_values);

// -- model_call.c -----------------------------------------------------------------------------------------------------

// Makes room for those wanted, which the model must have, and output where a layer needs it.
enum ga_exit ga_model_call_room(const struct ga_context *context, const bool wanted[GA_OUTPUTS],
                                struct ga_model_call *call);

// Makes room for those wanted and runs. step: rows of a call, one after the other, where the model has a cache; 0: all
// in one.
enum ga_exit ga_model_call_run(const struct ga_context *context, const struct ga_model_instance *instance,
                               const bool wanted[GA_OUTPUTS], size_t step, struct ga_model_call *call);

// An output that was made, as a tensor: output [batch, q_len, d_out] with the query's own rank, a stack's others as
// model.h has them but for the batch where the query has none, those of a layer as model.h has them.
struct ga_tensor ga_model_call_output(const struct ga_context *context, const struct ga_model_call *call,
                                      enum ga_output output);

void ga_model_call_close(struct ga_model_call *call);

#endif
