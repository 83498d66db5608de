// model.h: a generated model as a table of facts and functions, and the checks every call passes before a kernel runs.
// Knows no kernel, no file and no thread: what it calls was generated, what it is given belongs to the caller.
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

enum { GA_ABI = 13 }; // changes whenever a struct in this file or struct ga_error does

// -- Threads --------------------------------------------------------------------------------------------------------

enum { GA_MAX_THREADS = 1024 };

// How a call spreads its work: the runtime's own pool (threads.h), or any scheduler the host already has.
struct ga_parallel {
    size_t threads; // parts worth making, 1..GA_MAX_THREADS; no call makes more
    // Calls task(context, i) once for each i < parts, at the same time or one after the other, in any order and on any
    // threads, and returns when all have returned. parts <= threads. It cannot fail.
    void (*run)(void *self, size_t parts, void (*task)(void *context, size_t part), void *context);
    void *self; // handed to run; the owner's
};

// -- Intermediates --------------------------------------------------------------------------------------------------

// Linears, each of which has an arithmetic of its own. O: heads side by side to the output; UP: the first of a
// feed-forward, its gate included; DOWN: the second. After the last layer LOGITS, and CLASSIFIER: both of one.
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

// How packed weights of linears are kept where rows are floats, or of 8 bits beside groups (docs/numbers.md).
enum ga_storage {
    GA_STORAGE_F32,
    GA_STORAGE_BF16,
    GA_STORAGE_INT8, // groups of 32 along depth: 8 bits each, and a scale
    GA_STORAGE_INT4, // groups of 32 along depth: 4 bits each, a scale and a zero
};

// What a call may give beside its output and attention, where the spec lists it. Rows past a length are zeros.
enum ga_intermediate {
    GA_Q_PROJ,   // [batch][q_len][n_heads * d_head], projected, bias and activation included
    GA_K_PROJ,   // [batch][kv_len][n_kv_heads * d_head]
    GA_V_PROJ,   // [batch][kv_len][n_kv_heads * d_head]
    GA_Q_HEADS,  // [batch][n_heads][q_len][d_head], as attention uses them
    GA_K_HEADS,  // [batch][n_kv_heads][kv_len][d_head]
    GA_V_HEADS,  // [batch][n_kv_heads][kv_len][d_head]
    GA_SCORES,   // [batch][n_heads][q_len][kv_len], scaled and masked: -inf where a query does not see a key
    GA_X_HEADS,  // [batch][n_heads][q_len][d_head], attention times values
    GA_X_CONCAT, // [batch][q_len][n_heads * d_head], the same with heads side by side
    GA_INTERMEDIATES
};

// -- Inputs and outputs of one call ---------------------------------------------------------------------------------

// Shapes are those of a layer. A model of attention alone (GA_SDPA) has heads before rows: query
// [batch][n_heads][q_len][d_head], key [batch][n_kv_heads][kv_len][d_head], value [batch][n_kv_heads][kv_len][d_v] and
// output [batch][n_heads][q_len][d_v].
//
// Everything is dense, row-major, aligned to its element, and owned by the caller. What a call writes, the outputs, the
// scratch and the cache, overlaps nothing else of the call: no input, no other output, not the packed weights, not the
// struct ga_io itself and nothing its pointers lead to. Inputs may overlap each other. Fields that are NULL are
// absent; zero-initialise the struct and set what is needed.
struct ga_io {
    size_t batch;          // sequences, >= 1
    size_t q_len;          // rows a sequence of query holds, within the model's range
    size_t kv_len;         // rows a sequence of key and value holds; 0 with key == NULL: q_len, or nothing where
                           // a cache holds what a decoder attends to
    const float *query;    // [batch][q_len][d_model]; NULL where tokens are given
    const int32_t *tokens; // [batch][q_len], token ids 0..vocab_size-1 in place of query, for a model with an
        // embedding; ids of rows past the lengths are not looked at, unless mask_fill of a layer is finite
    const float *key;          // [batch][kv_len][k_dim]; NULL: the query's own sequence, where k_dim is d_model
    const float *value;        // [batch][kv_len][v_dim]; NULL: key's tensor, where v_dim is k_dim
    const int32_t *q_lengths;  // [batch], real rows of each query sequence, 0..q_len; later rows are written as zeros
    const int32_t *kv_lengths; // [batch], real keys of each sequence, 0..kv_len; later rows are never read but by a
                               // layer with a finite mask_fill, unseen. In self-attention q_lengths stands for both
    float *output;             // [batch][q_len][d_out]; of a stack NULL where another of its outputs is enough
    float *attention;          // [batch][n_heads][q_len][kv_len + extra_keys], softmax weights of one layer; only
                               // where the spec lists the output. A stack has layer_attention
    const struct ga_parallel *parallel; // NULL: the calling thread does it all. The same bits either way
    const uint8_t *mask; // which keys a query sees: not zero where it does; NULL: all. Of any shape up to
                         // [batch][n_heads][q_len][kv_len] that mask_strides says, where the spec has mask.tensor
                         // "bool". Of a stack [..][q_len][q_len], for its rows' attention to each other
    const float *additive_mask; // as mask, added to the scaled scores: a finite number, or -inf where a query does not
                                // see a key; where the spec has mask.tensor "additive"
    size_t mask_strides[4];     // of the mask given, in elements: from a sequence to the next, a head, a query, a key;
                                // 0 along an axis of one element that stands for all; along keys 1 or 0
    float *attention_mean;      // [batch][q_len][kv_len + extra_keys], the mean of attention over its heads; only where
                                // the spec lists the output
    const int32_t *position;    // [batch], place of each query sequence's first row, 0 or more, for a model with rotary
                                // positions; NULL: all 0, or with a cache after what it holds, in self-attention
    const int32_t *kv_position; // [batch], place of each key sequence's first row. NULL: in self-attention position,
                                // else all 0, or with a cache after what it holds
    float *intermediates[GA_INTERMEDIATES]; // NULL where not asked for; only those the spec lists
    // Only for a model generated with a cache, which needs it: this call's keys and values join those it holds of each
    // sequence, and the queries look at all of them. With it key may be given with kv_len 0: nothing joins.
    //
    // What a decoder or a transformer attends to besides, its memory, a sequence takes from the first call that has
    // rows of it, and the keys and values made of it stay in the cache until ga_cache_cut to 0. Later calls may leave
    // key, key_tokens and memory NULL; what they give for such a sequence is checked, kv_lengths and all, and not used.
    // So too for a sequence that has no rows in a call.
    struct ga_cache *cache;
    const int32_t *token_types; // [batch][q_len], for a stack that adds them; NULL: all 0
    float *embedding;           // [batch][d_model], the pooled row of each sequence; only where the model has a pool
    float *logits;              // [batch][q_len][n_logits]; only where the model has logits
    float *last_logits;         // [batch][n_logits], those of each sequence's last real row alone
    float *const *hidden; // [n_layers + 1], each NULL or room for [batch][q_len][d_model]: rows as the first layer
                          // takes them, then as each layer leaves them, the last one as output is
    float *const *layer_attention; // [n_layers], from layer 0 on, each NULL or room for
        // [batch][n_heads][q_len][q_len]: softmax weights of the layer's rows over each other; rows and keys past
        // q_lengths are zeros. Of a transformer those of its decoder. Only for a stack whose spec lists attention; only
        // the layers asked for write theirs, and no other result changes for it. So too of the two lists below
    float *const *layer_cross_attention; // [n_layers], each NULL or room for [batch][n_heads][q_len][kv_len]: softmax
        // weights of the layer's rows over the rows of key, or of a transformer's memory; rows past q_lengths and keys
        // past kv_lengths are zeros. Only for a decoder or transformer whose spec lists cross_attention
    float *const *src_layer_attention; // of a transformer's encoder, [its n_layers], each NULL or room for
        // [batch][n_heads][kv_len][kv_len]: as layer_attention, for its source's rows. Only where the spec lists
        // attention, and where key or key_tokens is given, without which the encoder does not run
    const int32_t *key_tokens; // [batch][kv_len], a transformer's source as token ids in place of key
    float *memory;             // [batch][kv_len][d_model], what a transformer's encoder gives; written where key or
                               // key_tokens is given, and read where neither is. NULL: not kept
    const uint8_t *src_mask;   // of a transformer: as mask and additive_mask, which are those of its target's rows,
    const float *src_additive_mask; // for its source's: up to [batch][n_heads][kv_len][kv_len]
    size_t src_mask_strides[4];     // of the one given, as mask_strides
    const uint8_t *memory_mask; // as mask, of a decoder's or transformer's rows over what they attend to besides, up to
    const float *memory_additive_mask; // [..][q_len][kv_len]; where the spec has mask.memory "bool", or "additive"
    size_t memory_mask_strides[4];     // of the one given, as mask_strides
    const float *sublayer; // [batch][q_len][d_model], what a sublayer made of query: added to it, before the last norm.
                           // Where the spec has sublayer, which needs it; rows past q_lengths are never read
    float *class_logits;   // [batch][n_labels], of a model with a classifier; zeros of a sequence without rows
    const enum ga_arithmetic *arithmetic; // [GA_LINEARS], what each linear multiplies; only for a model with
                                          // arithmetic_choices, and of these. NULL: as model->arithmetic says
    const struct ga_watch *watch;         // who is shown rows (watch.h), only where ga_model_shows; NULL: nobody
};

// -- Weights --------------------------------------------------------------------------------------------------------

enum { GA_ROLE_MAX_RANK = 2 };

// A weight the model needs, in PyTorch's orientation: a linear's weight is [out][in].
struct ga_weight_role {
    const char *name; // "q_weight", "q_bias", ...
    size_t rank;      // 1 or 2
    size_t shape[GA_ROLE_MAX_RANK];
};

// Where one role's elements lie: element [o][i] is data[o * row_stride + i * col_stride], in floats.
struct ga_weight_view {
    const float *data;
    size_t row_stride;
    size_t col_stride; // unused for rank 1
};

// How a file names one role. in_proj_weight [3E][E] serves three roles with three first rows.
struct ga_weight_source {
    size_t role;                    // index into the model's roles
    const char *tensor;             // name in the file
    size_t rank;                    // of the tensor in the file
    size_t shape[GA_ROLE_MAX_RANK]; // of the tensor in the file
    size_t first;                   // element at which the role starts
    bool transposed;                // the file holds [in][out]
    bool beside; // no prefix stands before the name: the tensor is no part of what the map's prefix names
};

// A tensor that a file of the map must not hold: a bias of a projection, a norm, sinks that the model is made without.
struct ga_weight_refused {
    const char *role;   // what it would be: "k_bias", or "qkv_bias" for three in one
    const char *tensor; // name in the file
    bool beside;        // as of a source
};

// A layout: one source for every role, in role order.
struct ga_weight_map {
    const char *name;                        // "w_q w_k w_v w_o" as "w_o", nn.MultiheadAttention as "torch_mha", ...
    const struct ga_weight_source *sources;  // [n_roles of the model]
    const struct ga_weight_refused *refused; // [n_refused], or NULL
    size_t n_refused;
    const char *prefix; // that all names above begin with but those beside it, as the spec says; NULL: none
};

// -- A generated model ----------------------------------------------------------------------------------------------

struct ga_range {
    size_t min, max; // equal where the length is a literal
};

// How a variant's kernels read cached keys and values; zeros where there are none.
struct ga_cache_layout {
    size_t key_panel;    // keys side by side: panels [d_head][key_panel], of GA_I8 after their steps
    size_t value_stride; // elements from one value row to the next; after d_head zeros
};

// A kernel in words, for `info`.
struct ga_kernel_info {
    const char *name; // its symbol
    const char *what; // its stage: "project", "score", ...
    const char *tile; // "6x16"
    const char *why;  // what the planner weighed
};

// The same model for one instruction set. The functions trust their arguments: model.c has checked them. The io that
// run sees is complete: kv_len is set; key, value and kv_lengths are what stands for them where the caller left them
// out, so that self-attention is key == query, and key and value are NULL only beside tokens.
struct ga_variant {
    const char *isa;     // "avx2"
    uint32_t cpu;        // GA_CPU_* bits it needs
    uint32_t prefers;    // GA_CPU_* bits without which a variant after it is faster
    bool emulates;       // the model's arithmetic, by multiply-adds of floats
    size_t packed_bytes; // of the packed weights
    const struct ga_kernel_info *kernels;
    size_t n_kernels;
    void (*pack)(const struct ga_weight_view *roles, void *packed); // into zeros
    size_t (*scratch_bytes)(size_t batch, size_t q_len, size_t kv_len, size_t threads);
    void (*run)(const void *packed, const struct ga_io *io, void *scratch);
    struct ga_cache_layout cache;
    uint64_t packing; // a hash of the code that packs: of two builds' variants with one, pack gives the same bytes
    struct ga_cache_layout memory_cache; // of what a decoder attends to besides its own rows
};

// What a spec became. One const object per model, `<name>_model`, of which a program that is linked with the shared
// library may have a copy (the linker's copy relocation): ga_model_same compares models, not their addresses.
struct ga_model {
    uint32_t abi;
    const char *name;
    const char *spec; // the whole spec as Lua text
    size_t d_model, n_heads, n_kv_heads, d_head;
    size_t batch; // fixed batch, or 0 for any
    struct ga_range q_len, kv_len;
    size_t vocab_size; // rows of the embedding; 0: the model takes no token ids
    enum ga_causal causal;
    double scale;          // of the scores before softmax
    bool lengths;          // q_lengths and kv_lengths are taken
    bool attention_output; // io.attention is taken, by one layer; a stack says it in stack->attention
    size_t window; // 0: none; else a query at place p (the last key its causal rule lets it see, or its own row) sees
                   // keys j > p - window only
    bool window_both;             // and j < p + window; without causal
    double softcap;               // 0: none; else a score, once scaled, becomes softcap * tanh(score / softcap)
    bool alibi;                   // each head subtracts its slope times a key's distance from the query's own place
    size_t relative_buckets;      // 0: none; else role relative_bias [buckets][n_heads] is added by T5's rule
    size_t relative_distance;     // from which on keys share a bucket
    bool relative_both;           // half of the buckets are for keys after the query's own place
    const char *const *sentences; // what `info` says of each feature, in order
    size_t n_sentences;
    const struct ga_weight_role *roles;
    size_t n_roles;
    const struct ga_weight_map *maps;
    size_t n_maps;
    const char *default_map;           // the spec's `weights`, or NULL: the one map that fits the file
    const struct ga_variant *variants; // best first; the last one runs on any CPU unless the build left it out
    size_t n_variants;
    enum ga_activation activation[GA_PROJECTIONS]; // after each projection
    enum ga_mask mask;                             // io.mask or io.additive_mask is taken
    size_t k_dim, v_dim, d_out; // floats of a row of key, of value and of output; of query it is d_model. Of all heads
                                // together, where heads are given
    bool fills;                 // a masked score is replaced by mask_fill and not by -inf
    bool fills_padding; // also that of a key past a length; never in a whole model, which has no rows of padding
    double mask_fill;   // where fills
    size_t extra_keys;  // keys that the model adds after those of each sequence, seen by every query
    bool attention_mean_output; // io.attention_mean is taken
    bool masked_uniform;    // a row whose keys are all masked with -inf gives all its sequence's keys the same weight
    struct ga_norm qk_norm; // after the activation
    struct ga_rope rope;    // after the norm
    enum ga_kind kind;
    size_t d_v;        // floats of one head of values: d_head but in attention alone
    bool shared_heads; // rows are split into heads first, and q, k and v have one d_head x d_head weight each for all
    bool intermediates[GA_INTERMEDIATES]; // those that io takes
    size_t cache;                         // most keys a cache of it may hold; 0: it takes none
    const struct ga_stack *stack;   // of a whole model, of a transformer its decoder; NULL: the model is one layer
    const struct ga_stack *encoder; // of a transformer
    size_t src_vocab_size;          // rows of its source embedding
    enum ga_storage weights_dtype;  // of linears that multiply floats, or rows of 8 bits by groups
    enum ga_arithmetic arithmetic[GA_LINEARS]; // of each linear; F32 of those that it has not
    enum ga_arithmetic attention_arithmetic;   // of queries by keys and softmax weights by values
    uint32_t arithmetic_choices; // 1 << GA_ARITHMETIC_... of each that io.arithmetic may name; 0: there is no choice
    enum ga_dtype cache_dtype;   // in which a cache keeps keys and values, GA_I8 as numbers of a step of each row of a
                                 // head; nothing where there is none
};

// True where both are one model of one library, or copies of it: their variants are the same objects. Two libraries
// made from one spec hold two models. False where either is NULL.
bool ga_model_same(const struct ga_model *a, const struct ga_model *b);

// An intermediate's name, as specs and files have it, "?" for a number that is none; and its rank, with its shape in a
// call of these sizes, 0 for a number that is none and where model or shape is NULL.
const char *ga_intermediate_name(enum ga_intermediate which);
size_t ga_intermediate_shape(const struct ga_model *model, enum ga_intermediate which, size_t batch, size_t q_len,
                             size_t kv_len, size_t shape[4]);

// Weights packed for one variant; const, so any number of threads may run them, each with its own scratch. Made by
// ga_model_pack, or from a file by the calls of pack_file.h; to be read, not written.
struct ga_loaded {
    const struct ga_model *model;
    const struct ga_variant *variant;
    const void *packed; // [variant->packed_bytes], GA_ALIGN-aligned
};

// The variant named isa, or the best this CPU runs where isa is NULL. GA_UNSUPPORTED: not in this build; GA_CPU: this
// CPU cannot run it.
enum ga_status ga_model_variant(const struct ga_model *model, const char *isa, const struct ga_variant **variant_out,
                                struct ga_error *error);

// Bytes the block for ga_model_pack must have; SIZE_MAX where variant is NULL.
size_t ga_model_packed_size(const struct ga_variant *variant);

// Packs roles[n_roles] into block (GA_ALIGN-aligned, at least ga_model_packed_size bytes, the caller's, not moved while
// in use), at whose start *loaded_out lies. What the block held is of no meaning: equal weights give equal bytes. The
// views and what they point to lie outside the block and are not needed afterwards; roles may be NULL where the model
// has none. Each view's data reach from its first element to its last by its strides: how much memory is there, only
// the caller knows.
enum ga_status ga_model_pack(const struct ga_model *model, const struct ga_variant *variant,
                             const struct ga_weight_view *roles, void *block, size_t size,
                             const struct ga_loaded **loaded_out, struct ga_error *error);

// What weights were packed for; NULL where loaded is NULL or misaligned.
const struct ga_model *ga_loaded_model(const struct ga_loaded *loaded);
const struct ga_variant *ga_loaded_variant(const struct ga_loaded *loaded);

// Scratch bytes a call of these sizes needs (kv_len 0: q_len) with io.parallel of so many threads (1 without);
// SIZE_MAX where they are out of the model's range or overflow, and where model or variant is NULL or the variant
// another model's.
size_t ga_model_scratch_size(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t q_len,
                             size_t kv_len, size_t threads);

// -- A cache of keys and values -------------------------------------------------------------------------------------

// What a batch of sequences has seen so far, in a block of the caller's: the keys as the score kernel reads them, the
// values as the value kernel does, and how many each sequence holds, so that they cannot disagree with what is there. A
// call with io.cache appends; between calls a sequence may be cut back or started anew. There are no pointers into the
// block: its bytes may be moved or copied to an address aligned as it was, and the copy is a cache of its own.
//
// Calls of any numbers of rows, one after the other, give the bits of one call with all the rows.
struct ga_cache;

// Bytes a cache of `batch` sequences with up to `capacity` keys each must have, and of a decoder or transformer with
// the keys and values of as many rows to attend to as the model takes (kv_len.max); SIZE_MAX where the model takes no
// cache or a size is out of range, and where model or variant is NULL or the variant another model's.
size_t ga_cache_size(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t capacity);

// Makes an empty cache for these weights' model and variant in block (GA_ALIGN-aligned, at least ga_cache_size bytes,
// the caller's, apart from the weights). What the block held is of no meaning, and only the start of it is written.
enum ga_status ga_cache_init(const struct ga_loaded *loaded, size_t batch, size_t capacity, void *block, size_t size,
                             struct ga_cache **cache_out, struct ga_error *error);

// 0 where cache is NULL.
size_t ga_cache_capacity(const struct ga_cache *cache);
// [batch], keys each sequence holds, in the cache's block; NULL where cache is NULL.
const int32_t *ga_cache_lengths(const struct ga_cache *cache);

// Forgets a sequence's keys from `length` on; 0 starts it anew, and what a decoder attends to is taken anew too.
enum ga_status ga_cache_cut(struct ga_cache *cache, size_t sequence, size_t length, struct ga_error *error);

// Appends keys and values that come from elsewhere, as PyTorch's past_key_values hold them: [n_kv_heads][rows][d_head]
// each for one sequence ([n_layers][n_kv_heads][rows][d_head] of a whole model), of which the first `count` rows are
// taken. Keys are as the scores want them: projected, and turned or normed where the model does that. A cache in fewer
// bits than floats (the model's cache_dtype) rounds them to the nearest; of GA_I8 each row of a head is whole numbers
// of a step of its own, and all NaN where one is not finite. Of what a decoder attends to nothing is put or got: a
// sequence begun so takes it from the first call that has rows of it. keys and values lie outside the cache; they may
// be NULL where rows is 0.
enum ga_status ga_cache_put(struct ga_cache *cache, size_t sequence, const float *keys, const float *values,
                            size_t rows, size_t count, struct ga_error *error);

// Writes a sequence's keys and values out in the same shape, as the cache holds them, which ga_cache_put takes back
// without a change; zeros after its length, which is at most `rows`. keys and values lie outside the cache and apart
// from each other.
enum ga_status ga_cache_get(const struct ga_cache *cache, size_t sequence, float *keys, float *values, size_t rows,
                            struct ga_error *error);

// -- Running --------------------------------------------------------------------------------------------------------

// Runs one call after checking every field of io. scratch: GA_ALIGN-aligned, at least ga_model_scratch_size bytes, its
// content is of no meaning before or after. Nothing is allocated, printed or kept. Results are the same bits whatever
// the batch, whatever place in it, and whatever the threads.
//
// Floats are computed as the calling thread has set it, and its settings (MXCSR, FPCR) are left alone; what is promised
// of accuracy holds for the usual ones, rounding to nearest with subnormals. Under others results are the same bits
// whatever the threads of threads.h; a scheduler of the host's gives its threads the settings it wants.
enum ga_status ga_model_run(const struct ga_loaded *loaded, const struct ga_io *io, void *scratch, size_t scratch_size,
                            struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
