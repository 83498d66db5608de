// model.h: a generated model as a table of properties and functions, and the checks that every call passes before a
// kernel runs. It knows no kernel, file or thread: the generator writes the functions, and the caller owns the memory.
#ifndef GA_MODEL_H
#define GA_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts.h"
#include "status.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_ABI = 23 };          // changes whenever a struct in this file or struct ga_error changes
enum { GA_BITS_REVISION = 1 }; // changes whenever a release changes results on purpose (docs/numbers.md)

// -- Threads --------------------------------------------------------------------------------------------------------

enum { GA_MAX_THREADS = 1024 };

// How a call divides its work: the runtime's own pool (threads.h), or a scheduler of the host.
struct ga_parallel {
    size_t threads; // the largest number of parts that a call makes, 1..GA_MAX_THREADS
    // Calls task(context, i) once for each i < parts, at the same time or one after the other, in any order and on any
    // threads, and returns when all have returned. parts <= threads. It cannot fail.
    void (*run)(void *self, size_t parts, void (*task)(void *context, size_t part), void *context);
    void *self; // passed to run; belongs to the owner
};

// -- Intermediates --------------------------------------------------------------------------------------------------

// Linears: each has its own arithmetic. O: from the concatenated heads to the output. UP: the first linear of a
// feed-forward, and its gate; DOWN: the second. After the last layer: LOGITS, and CLASSIFIER (both of its linears).
enum ga_linear {
    GA_LINEAR_Q,
    GA_LINEAR_K,
    GA_LINEAR_V,
    GA_LINEAR_O,
    GA_LINEAR_UP,
    GA_LINEAR_DOWN,
    GA_LINEAR_LOGITS,
    GA_LINEAR_CLASSIFIER,
    GA_LINEARS
};

// How packed weights of linears are stored if rows are floats, or if 8-bit rows multiply groups (docs/numbers.md).
enum ga_storage {
    GA_STORAGE_F32,
    GA_STORAGE_BF16,
    GA_STORAGE_INT8, // groups of 32 along depth: 8 bits a weight, and a scale
    GA_STORAGE_INT4, // groups of 32 along depth: 4 bits a weight, a scale and a zero
    GA_STORAGE_F16,
};

// What a call can return in addition to its output and attention, if the spec lists it. Rows past a length are zeros.
enum ga_intermediate {
    GA_Q_PROJ,   // [batch][q_len][n_heads * d_head], projected, bias and activation included
    GA_K_PROJ,   // [batch][kv_len][n_kv_heads * d_head]
    GA_V_PROJ,   // [batch][kv_len][n_kv_heads * d_head]
    GA_Q_HEADS,  // [batch][n_heads][q_len][d_head], as attention uses them
    GA_K_HEADS,  // [batch][n_kv_heads][kv_len][d_head]
    GA_V_HEADS,  // [batch][n_kv_heads][kv_len][d_head]
    GA_SCORES,   // [batch][n_heads][q_len][kv_len], scaled and masked: -inf where a query does not see a key
    GA_X_HEADS,  // [batch][n_heads][q_len][d_head], attention times values
    GA_X_CONCAT, // [batch][q_len][n_heads * d_head], the same with heads concatenated
    GA_INTERMEDIATES
};

// -- Inputs and outputs of one call ---------------------------------------------------------------------------------

// These are the shapes of a layer. In a model of attention alone (GA_SDPA), heads come before rows: query
// [batch][n_heads][q_len][d_head], key [batch][n_kv_heads][kv_len][d_head], value [batch][n_kv_heads][kv_len][d_v] and
// output [batch][n_heads][q_len][d_v].
//
// All tensors are dense, row-major and aligned to their elements; the caller owns them. A call writes outputs, scratch
// and the cache. These must not overlap any input, any other output, the packed weights, the struct ga_io or anything
// that its pointers point to. Inputs may overlap each other. A field that is NULL is absent: zero-initialise the struct
// and set only the fields that you need.
struct ga_io {
    size_t batch;  // sequences, >= 1
    size_t q_len;  // rows in each sequence of query, within the model's range
    size_t kv_len; // rows in each sequence of key and value; 0 with key == NULL: q_len, or none with a cached memory
    const float *query;    // [batch][q_len][d_model]; NULL if tokens are given
    const int32_t *tokens; // [batch][q_len], token ids 0..vocab_size-1 instead of query, for a model with an
        // embedding; ids of rows past the lengths are not read, unless mask_fill of a layer is finite
    const float *key;          // [batch][kv_len][k_dim]; NULL: the query's own sequence, if k_dim is d_model
    const float *value;        // [batch][kv_len][v_dim]; NULL: key's tensor, if v_dim is k_dim
    const int32_t *q_lengths;  // [batch], real rows of each query sequence, 0..q_len; later rows are written as zeros
    const int32_t *kv_lengths; // [batch], real keys of each sequence, 0..kv_len; later rows are masked, and never read
                               // unless a layer's mask_fill is finite. In self-attention q_lengths is used for both
    float *output;             // [batch][q_len][d_out]; for a stack NULL if another output is enough
    float *attention;          // [batch][n_heads][q_len][kv_len + extra_keys], softmax weights of one layer; only
                               // if the spec lists the output. A stack has layer_attention
    const struct ga_parallel *parallel; // NULL: the calling thread does all the work. The bits are the same
    const uint8_t *mask; // which keys a query sees: not 0 if it sees the key; NULL: all. Only if the spec has
                         // mask.tensor "bool". Any shape up to [batch][n_heads][q_len][kv_len], by mask_strides. For a
                         // stack up to [..][q_len][q_len], for the attention of its rows to each other
    const float *additive_mask; // as mask, added to the scaled scores: a finite number, or -inf if a query does not
                                // see a key; only if the spec has mask.tensor "additive"
    size_t mask_strides[4];     // of the mask that is given, in elements: to the next sequence, head, query and key;
                                // 0 if one element of an axis is used for all; along keys 1 or 0
    float *attention_mean;      // [batch][q_len][kv_len + extra_keys], the mean of attention over its heads; only if
                                // the spec lists the output
    const int32_t *position;    // [batch], position of each query sequence's first row, 0 or more, for a model with
                                // rotary positions; NULL: all 0, or in self-attention with a cache: after its rows
    const int32_t *kv_position; // [batch], position of each key sequence's first row. NULL: in self-attention
                                // position, else all 0, or with a cache: after the rows that it holds
    float *intermediates[GA_INTERMEDIATES]; // NULL: not wanted; only those that the spec lists
    // Only for a model generated with a cache, which requires it. The call appends its keys and values to those of each
    // sequence, and the queries see all of them. With a cache, key may be given with kv_len 0: nothing is appended.
    //
    // A decoder or a transformer also attends to its memory. A sequence takes it from the first call that has rows of
    // it; its keys and values stay in the cache until ga_cache_cut to 0. Later calls may leave key, key_tokens and
    // memory NULL. What they give for such a sequence, kv_lengths included, is checked but not used. The same holds for
    // a sequence that has no rows in a call.
    struct ga_cache *cache;
    const int32_t *token_types; // [batch][q_len], for a stack that adds them; NULL: all 0
    float *embedding;           // [batch][d_embedding], the pooled row of each sequence; only if the model has a pool
    float *logits;              // [batch][q_len][n_logits]; only if the model has logits
    float *last_logits;         // [batch][n_logits], the logits of only the last real row of each sequence
    float *const *hidden;       // [n_layers + 1], each NULL or room for [batch][q_len][d_model]: the input of the first
                                // layer, then the output of each layer; the last one equals output
    float *const *layer_attention; // [n_layers], from layer 0 on, each NULL or room for
        // [batch][n_heads][q_len][q_len]: softmax weights of the layer's rows over each other; rows and keys past
        // q_lengths are zeros. For a transformer: of its decoder. Only for a stack whose spec lists attention. Only
        // layers that are not NULL are written; no other result changes. The same holds for the next two lists
    float *const *layer_cross_attention; // [n_layers], each NULL or room for [batch][n_heads][q_len][kv_len]: softmax
        // weights of the layer's rows over the rows of key, or of a transformer's memory; rows past q_lengths and keys
        // past kv_lengths are zeros. Only for a decoder or transformer whose spec lists cross_attention
    float *const *src_layer_attention; // of a transformer's encoder, [its n_layers], each NULL or room for
        // [batch][n_heads][kv_len][kv_len]: as layer_attention, for rows of the source. Only if the spec lists
        // attention and key or key_tokens is given: without them the encoder does not run
    const int32_t *key_tokens; // [batch][kv_len], a transformer's source as token ids, instead of key
    float *memory;             // [batch][kv_len][d_model], the output of a transformer's encoder; written if key or
                               // key_tokens is given, read if neither is. NULL: not kept
    const uint8_t *src_mask;   // of a transformer, for the rows of its source: as mask and additive_mask, which are
    const float *src_additive_mask;    // for the rows of its target; up to [batch][n_heads][kv_len][kv_len]
    size_t src_mask_strides[4];        // of the mask that is given, as mask_strides
    const uint8_t *memory_mask;        // as mask, for the rows of a decoder or transformer over its memory, up to
    const float *memory_additive_mask; // [..][q_len][kv_len]; only if the spec has mask.memory "bool", or "additive"
    size_t memory_mask_strides[4];     // of the mask that is given, as mask_strides
    const float *sublayer; // [batch][q_len][d_model], a sublayer's output for query: added to it, before the last norm.
                           // If the spec has sublayer, it is required; rows past q_lengths are never read
    float *class_logits;   // [batch][n_labels], of a model with a classifier; zeros for a sequence without rows
    const enum ga_arithmetic *arithmetic; // [GA_LINEARS], each one of arithmetic_choices; NULL: model->arithmetic
    const struct ga_watch *watch;         // is shown rows (watch.h), only if ga_model_shows; NULL: none
    const struct ga_ranks *ranks;         // divide a call of a whole model (gather.h); NULL: this process is alone
};

// -- Weights --------------------------------------------------------------------------------------------------------

enum { GA_ROLE_MAX_RANK = 2 };

// A weight that the model needs, in PyTorch's orientation: the weight of a linear is [out][in].
struct ga_weight_role {
    const char *name; // "q_weight", "q_bias", ...
    size_t rank;      // 1 or 2
    size_t shape[GA_ROLE_MAX_RANK];
};

// Element [o][i] of a role is number o * row_stride + i * col_stride of `data`, or of `stored` if data is NULL.
struct ga_weight_view {
    const float *data;
    size_t row_stride, col_stride; // in numbers, also where they are in blocks; col_stride is unused for rank 1
    const void *stored;            // numbers as a file has them, of any alignment; packing reads them, a few at a time
    enum ga_dtype dtype;           // of stored: GA_F16, GA_BF16, GA_F32, GA_F64 or a block type
};

// The tensor of a file that holds one role. in_proj_weight [3E][E] holds three roles, with three values of `first`.
struct ga_weight_source {
    size_t role;                    // index into the model's roles
    const char *tensor;             // name in the file
    size_t rank;                    // of the tensor in the file
    size_t shape[GA_ROLE_MAX_RANK]; // of the tensor in the file
    size_t first;                   // index of the role's first element
    bool transposed;                // the file has [in][out]
    bool beside;    // the name has no prefix: the tensor is outside the part of the file that the map's prefix names
    size_t by_head; // so many heads, whose rows of q, k and v come head by head; `first` counts as if stacked. 0: no
};

// A tensor that a file of the map must not contain, because the model has no use for it: a projection's bias, a norm.
struct ga_weight_refused {
    const char *role;   // its role: "k_bias", or "qkv_bias" for three in one
    const char *tensor; // name in the file
    bool beside;        // as in a source
};

// A layout: one source for every role, in role order.
struct ga_weight_map {
    const char *name;                        // "w_q w_k w_v w_o" as "w_o", nn.MultiheadAttention as "torch_mha", ...
    const struct ga_weight_source *sources;  // [n_roles of the model]
    const struct ga_weight_refused *refused; // [n_refused], or NULL
    size_t n_refused;
    const char *prefix; // the spec's prefix of all names above whose `beside` is false; NULL: none
};

// -- A generated model ----------------------------------------------------------------------------------------------

struct ga_range {
    size_t min, max; // equal if the length is fixed
};

// How a variant's kernels read cached keys and values; zeros if the model takes no cache.
struct ga_cache_layout {
    size_t key_panel;        // keys in a panel [d_head][key_panel]; in GA_I8 their scales come first
    size_t value_stride;     // elements from one value row to the next; zeros after d_head
    size_t depth, unit, sum; // elements of a key, 0: d_head; side by side, 0: one; bytes of its sum in its panel
};

// A kernel in words, for `info`.
struct ga_kernel_info {
    const char *name; // its symbol
    const char *what; // its stage: "project", "score", ...
    const char *tile; // "6x16"
    const char *why;  // why the planner chose it
};

// The model for one instruction set. The functions do not check their arguments, because model.c did. In the io of run,
// kv_len is set, and key, value and kv_lengths have their defaults if the caller left them out: self-attention is
// key == query, and key and value are NULL only if tokens are given.
struct ga_variant {
    const char *isa;              // "avx2"
    uint32_t cpu;                 // GA_CPU_* bits it needs
    uint32_t prefers;             // GA_CPU_* bits: if one is missing, a later variant is faster
    bool emulates;                // computes the model's arithmetic with multiply-adds of floats
    size_t packed_bytes, n_parts; // of the packed weights
    const struct ga_kernel_info *kernels;
    size_t n_kernels;
    const struct ga_packed_parts *parts; // [n_parts], for ga_model_pack
    size_t (*scratch_bytes)(size_t batch, size_t q_len, size_t kv_len, size_t threads);
    void (*run)(const void *packed, const struct ga_io *io, void *scratch);
    struct ga_cache_layout cache, memory_cache; // the second one of a decoder's memory
    uint64_t packing; // a number for parts and what packs them: variants of two builds with one number pack the same
};

// A generated model: one const object, `<name>_model`. The linker may copy it: compare models with ga_model_same.
struct ga_model {
    uint32_t abi, bits_revision; // GA_ABI and GA_BITS_REVISION of the release that generated it
    const char *name;
    const char *spec; // the whole spec as Lua text
    size_t d_model, n_heads, n_kv_heads, d_head;
    size_t batch; // fixed batch, or 0 for any
    struct ga_range q_len, kv_len;
    size_t vocab_size; // rows of the embedding; 0: the model takes no token ids
    enum ga_causal causal;
    double scale;          // of the scores before softmax
    bool lengths;          // takes q_lengths and kv_lengths
    bool attention_output; // takes io.attention, if it is one layer; for a stack see stack->attention
    size_t window; // 0: none; else a query at p (its own row, or its last key if causal) sees only keys j > p - window
    bool window_both;             // and j < p + window; without causal
    double softcap;               // 0: none; else a scaled score becomes softcap * tanh(score / softcap)
    bool alibi;                   // each head subtracts its slope times the distance of the key from the query
    size_t relative_buckets;      // 0: none; else role relative_bias [buckets][n_heads] is added by T5's rule
    size_t relative_distance;     // keys at this distance and beyond share a bucket
    bool relative_both;           // half of the buckets are for keys after the query's position
    const char *const *sentences; // what `info` says about each feature, in order
    size_t n_sentences;
    const struct ga_weight_role *roles;
    size_t n_roles;
    const struct ga_weight_map *maps;
    size_t n_maps;
    const char *default_map;           // the spec's `weights`, or NULL: the only map that fits the file
    const struct ga_variant *variants; // best first; the last one runs on any CPU, unless the build left it out
    size_t n_variants;
    enum ga_activation activation[GA_PROJECTIONS]; // after each projection
    enum ga_mask mask;                             // takes io.mask or io.additive_mask
    size_t k_dim, v_dim, d_out; // floats in a row of key, value and output; of all heads together if kind is GA_SDPA
    bool fills;                 // a masked score becomes mask_fill instead of -inf
    bool fills_padding; // also the score of a key past a length; never in a whole model, which has no rows of padding
    double mask_fill;   // only if fills
    size_t extra_keys;  // keys that the model adds after those of each sequence; every query sees them
    bool attention_mean_output; // takes io.attention_mean
    bool masked_uniform;    // if a row's keys are all masked with -inf, all keys of its sequence get the same weight
    struct ga_norm qk_norm; // after the activation
    struct ga_rope rope;    // after the norm
    enum ga_kind kind;
    size_t d_v;        // floats in one head of values: d_head, except in attention alone
    bool shared_heads; // rows are split into heads first; q, k and v each have one d_head x d_head weight for all heads
    bool intermediates[GA_INTERMEDIATES]; // those that io takes
    size_t cache;                         // the most keys that a cache can hold; 0: it takes no cache
    const struct ga_stack *stack;   // of a whole model, for a transformer its decoder; NULL: the model is one layer
    const struct ga_stack *encoder; // of a transformer
    size_t src_vocab_size;          // rows of the embedding of its source
    enum ga_storage weights_dtype;  // of linears whose rows are floats, or whose 8-bit rows multiply groups
    enum ga_arithmetic arithmetic[GA_LINEARS]; // of each linear; F32 for linears that the model does not have
    enum ga_arithmetic attention_arithmetic;   // of queries by keys and of softmax weights by values
    uint32_t arithmetic_choices;        // 1 << GA_ARITHMETIC_... of each that io.arithmetic may name; 0: no choice
    enum ga_dtype cache_dtype;          // of cached keys and values, if any; GA_I8 has a scale for each row of a head
    enum ga_dtype embedding_dtype;      // of rows of the embedding, if there is one; GA_I8 has a scale for each row
    const struct ga_model *layer_kinds; // by kind of layer: spec, causal, scale, window, softcap, alibi, rope; or NULL
    const uint8_t *kind_of_layer;       // [stack->n_layers], indices of layer_kinds; NULL if that is NULL
    uint32_t rows_together; // of a sequence, that linears multiply together: 0, 2, 4 (docs/numbers.md#fast-products)
};

// True if both are one model of one library, or copies of it: their variants are the same objects. Two libraries
// built from one spec contain two models. False if either is NULL.
bool ga_model_same(const struct ga_model *a, const struct ga_model *b);

// The first gives the name of an intermediate in specs and files, or "?" if `which` is not one. The second writes its
// shape in a call of these sizes and gives its rank, or 0 if `which` is not one or model or shape is NULL.
const char *ga_intermediate_name(enum ga_intermediate which);
size_t ga_intermediate_shape(const struct ga_model *model, enum ga_intermediate which, size_t batch, size_t q_len,
                             size_t kv_len, size_t shape[4]);

// Weights packed for one variant. They are const: any number of threads may run them, each with its own scratch.
// ga_model_pack makes them, or the calls of pack_file.h from a file. Read the struct, do not write it.
struct ga_loaded {
    const struct ga_model *model;
    const struct ga_variant *variant;
    const void *packed; // [variant->packed_bytes], GA_ALIGN-aligned
};

// The variant named isa, or for NULL the best this CPU runs. GA_UNSUPPORTED: not in this build; GA_CPU: cannot run.
enum ga_status ga_model_variant(const struct ga_model *model, const char *isa, const struct ga_variant **variant_out,
                                struct ga_error *error);

// Size in bytes of the block that ga_model_pack needs; SIZE_MAX if variant is NULL.
size_t ga_model_packed_size(const struct ga_variant *variant);

// Packs roles[n_roles] into block: GA_ALIGN-aligned, at least ga_model_packed_size bytes, owned by the caller, who must
// not move it while it is in use. *loaded_out points to its start. Equal weights give equal bytes, whatever the block
// held. The views and their data must be outside the block, and are not needed afterwards; roles may be NULL if the
// model has none. Each view is read from its first element to its last, by its strides; that memory must be there.
enum ga_status ga_model_pack(const struct ga_model *model, const struct ga_variant *variant,
                             const struct ga_weight_view *roles, void *block, size_t size,
                             const struct ga_loaded **loaded_out, struct ga_error *error);

// The model and the variant that weights were packed for; NULL if loaded is NULL or misaligned.
const struct ga_model *ga_loaded_model(const struct ga_loaded *loaded);
const struct ga_variant *ga_loaded_variant(const struct ga_loaded *loaded);

// Bytes of scratch that a call of these sizes (kv_len 0: q_len) needs, with io.parallel of so many threads (1 without).
// SIZE_MAX if a size is out of range or overflows, model or variant is NULL, or the variant belongs to another model.
size_t ga_model_scratch_size(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t q_len,
                             size_t kv_len, size_t threads);

// -- A cache of keys and values -------------------------------------------------------------------------------------

// The keys and values of a batch of sequences so far, and the length of each sequence, in a block of the caller. Keys
// are stored as the score kernel reads them, values as the value kernel does. A call with io.cache appends to it.
// Between calls a sequence may be cut or restarted. No pointer points into the block: its bytes may be moved or copied
// to another GA_ALIGN-aligned address, and the copy is a separate cache.
//
// Successive calls with any numbers of rows give the same bits as one call with all the rows.
struct ga_cache;

// Size in bytes of a cache for `batch` sequences of up to `capacity` keys each; for a decoder or transformer also the
// keys and values of its memory, of kv_len.max rows a sequence. SIZE_MAX if the model takes no cache, a size is out of
// range, model or variant is NULL, or the variant belongs to another model.
size_t ga_cache_size(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t capacity);

// Makes an empty cache, for the model and variant of these weights, in block: GA_ALIGN-aligned, at least ga_cache_size
// bytes, owned by the caller, not overlapping the weights. The block may hold any bytes; only its start is written.
enum ga_status ga_cache_init(const struct ga_loaded *loaded, size_t batch, size_t capacity, void *block, size_t size,
                             struct ga_cache **cache_out, struct ga_error *error);

// 0 if cache is NULL.
size_t ga_cache_capacity(const struct ga_cache *cache);
// [batch], the number of keys of each sequence, in the cache's block; NULL if cache is NULL.
const int32_t *ga_cache_lengths(const struct ga_cache *cache);

// Removes a sequence's keys from `length` on; 0 restarts the sequence, and a decoder then takes its memory again.
enum ga_status ga_cache_cut(struct ga_cache *cache, size_t sequence, size_t length, struct ga_error *error);

// Appends keys and values from another source to one sequence, in the shape of PyTorch's past_key_values: each
// [n_kv_heads][rows][d_head], or for a whole model [n_layers][n_kv_heads][rows][d_head]. It takes the first `count`
// rows. The keys must be ready for the scores: projected, and normed and rotated if the model does that. A cache whose
// type (the model's cache_dtype) has fewer bits than a float rounds to nearest. In GA_I8 each row of a head becomes
// integers times a scale of its own, and all NaN if a number is not finite. A decoder's memory is neither put nor got:
// such a sequence takes it from the first call that has rows of it. keys and values must be outside the cache; they may
// be NULL if rows is 0.
enum ga_status ga_cache_put(struct ga_cache *cache, size_t sequence, const float *keys, const float *values,
                            size_t rows, size_t count, struct ga_error *error);

// Writes a sequence's keys and values to arrays of the same shape, with zeros after its length, which must be at most
// `rows`. They are the values that the cache holds: ga_cache_put takes them back unchanged. keys and values must be
// outside the cache and must not overlap.
enum ga_status ga_cache_get(const struct ga_cache *cache, size_t sequence, float *keys, float *values, size_t rows,
                            struct ga_error *error);

// -- Running --------------------------------------------------------------------------------------------------------

// Checks every field of io, then runs one call. scratch: GA_ALIGN-aligned, at least ga_model_scratch_size bytes; its
// contents do not matter before or after. The call allocates, prints and keeps nothing. A sequence's results have the
// same bits for any batch size, any position in the batch and any number of threads.
//
// The call uses the floating-point settings of the calling thread (MXCSR, FPCR) and does not change them. The promises
// of accuracy hold for the default settings: round to nearest, with subnormals. With other settings, results have the
// same bits for any number of threads of threads.h. A scheduler of the host must set those of its own threads.
enum ga_status ga_model_run(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch, size_t scratch_size,
                            struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
