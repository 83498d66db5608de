// facts.h: types that describe a model to a program: masks, positions, norms, activations, and the parts of a whole
// model around attention. It declares no functions; model.h uses the types.
#ifndef GA_FACTS_H
#define GA_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Attention ------------------------------------------------------------------------------------------------------

// Which keys a query sees, in addition to the lengths.
enum ga_causal {
    GA_CAUSAL_NONE,
    GA_CAUSAL_TOP_LEFT,    // query i sees keys 0..i (PyTorch's is_causal)
    GA_CAUSAL_BOTTOM_RIGHT // query i sees keys 0..i + kv_len - q_len, by the real lengths of its sequence
};

// The function that is applied to each element of a projection.
enum ga_activation {
    GA_ACTIVATION_NONE,
    GA_ACTIVATION_RELU,
    GA_ACTIVATION_GELU,      // x Phi(x), PyTorch's default
    GA_ACTIVATION_GELU_TANH, // its approximation with tanh
    GA_ACTIVATION_SILU,
    GA_ACTIVATION_TANH
};

// Which dimensions of a head form a pair: i and i + rotary_dim / 2 (Llama), or 2 i and 2 i + 1 (GPT-J).
enum ga_rope_layout { GA_ROPE_HALF_SPLIT, GA_ROPE_INTERLEAVED };

// How rotary positions are scaled for texts that are longer than those of training.
enum ga_rope_scaling_kind {
    GA_ROPE_NOT_SCALED,
    GA_ROPE_LINEAR,   // each angle divided by factor
    GA_ROPE_DYNAMIC,  // theta times (factor * longest / original - factor + 1)^(rotary_dim / (rotary_dim - 2))
    GA_ROPE_YARN,     // slow pairs as LINEAR, fast pairs unchanged, between them a ramp over the pairs
    GA_ROPE_LONGROPE, // the angle of pair i divided by divisors[i]
    GA_ROPE_LLAMA3    // slow pairs as LINEAR, fast pairs unchanged, between them a ramp over the wavelengths
};

// A pair is slow or fast by the number of its full turns in the `original` positions. A field that a kind does not use
// is 0.
struct ga_rope_scaling {
    enum ga_rope_scaling_kind kind;
    double factor;     // LONGROPE: only the attention factor uses it
    double original;   // number of positions in training
    double longest;    // DYNAMIC: number of positions of the model, above original
    double slow, fast; // YARN, LLAMA3: turns up to which a pair is slow, and from which it is fast
    bool truncate;     // YARN: the ramp begins and ends at whole pairs
    double attention;  // attention factor, which multiplies cosines and sines; 0: computed from factor and original
    const double *divisors; // LONGROPE: [rotary_dim / 2]; the model owns them
};

// Rotary positions of q and k: pair i of a row at position p is rotated by p * theta^(-2 i / rotary_dim), before
// scaling.
struct ga_rope {
    enum ga_rope_layout layout;
    double theta;
    size_t rotary_dim; // how many dimensions of a head are rotated, from the first on; even
    size_t positions;  // number of positions; 0: the model has no rotary positions
    struct ga_rope_scaling scaling;
};

// A norm. For q and k it is over the d_head numbers of each head, or with of_rows over those of all heads of a row
// together, times q_norm_weight or k_norm_weight, plus their biases if the model has them.
enum ga_norm_kind {
    GA_NORM_NONE,
    GA_NORM_RMS,  // x / sqrt(mean of squares + eps)
    GA_NORM_LAYER // (x - mean) / sqrt(variance + eps)
};

struct ga_norm {
    enum ga_norm_kind kind;
    double eps;
    bool unit_offset; // its factors are 1 plus its weights
    bool of_rows;     // of q and k
};

enum ga_projection { GA_Q, GA_K, GA_V, GA_O, GA_PROJECTIONS };

// Which mask a call may give.
enum ga_mask {
    GA_MASK_NONE,
    GA_MASK_BOOL,    // io.mask, of bytes
    GA_MASK_ADDITIVE // io.additive_mask, of numbers
};

enum ga_kind {
    GA_MHA,        // a layer: projections around attention
    GA_SDPA,       // attention alone
    GA_ENCODER,    // a stack of layers, causal or not
    GA_DECODER,    // a stack whose layers also attend to io.key, an encoder's output
    GA_TRANSFORMER // an encoder over io.key or io.key_tokens, and a decoder over query or tokens and its output
};

// -- Whole models ---------------------------------------------------------------------------------------------------

// What a stack adds to its rows for their positions.
enum ga_positions {
    GA_POSITIONS_NONE,
    GA_POSITIONS_LEARNED,   // role positions [n_positions][d_model]
    GA_POSITIONS_SINUSOIDAL // sine and cosine in turn ("Attention Is All You Need", 3.5); an odd width ends in a sine
};

// How the rows of a sequence become the one row in io.embedding.
enum ga_pool {
    GA_POOL_NONE,
    GA_POOL_CLS,          // its first row
    GA_POOL_MEAN,         // the mean of its real rows
    GA_POOL_LAST,         // its last real row
    GA_POOL_WEIGHTED_MEAN // a mean of its real rows, with weight 1 for the first, 2 for the second, and so on
};

// A linear after pooling, whose weight is role dense_<i>_weight [n_out][n_in], and whose bias, if it has one,
// dense_<i>_bias [n_out].
struct ga_dense {
    size_t n_out;
    enum ga_activation activation; // of its results
};

// How programs compare two embeddings. The library compares none.
enum ga_similarity {
    GA_SIMILARITY_COSINE,    // the cosine of the angle between them
    GA_SIMILARITY_DOT,       // their inner product
    GA_SIMILARITY_EUCLIDEAN, // their Euclidean distance below 0
    GA_SIMILARITY_MANHATTAN  // the sum of the distances of their numbers, below 0
};

// What io.logits and io.last_logits are.
enum ga_logits {
    GA_LOGITS_NONE,
    GA_LOGITS_LINEAR,      // a linear of each row of the output
    GA_LOGITS_SOFTMAX,     // the softmax of this linear
    GA_LOGITS_LOG_SOFTMAX, // the logarithm of this softmax
    GA_LOGITS_UNIT         // this linear over its L2 norm, or over 1e-12 if that is larger
};

// How a program turns io.class_logits into scores by default. The library returns the logits themselves.
enum ga_class_scores {
    GA_CLASS_SCORES_NONE,    // it does not
    GA_CLASS_SCORES_SIGMOID, // the sigmoid of each logit
    GA_CLASS_SCORES_SOFTMAX  // the softmax over the labels
};

// What linears multiply: floats, or rows and weights rounded to narrower numbers (docs/numbers.md).
enum ga_arithmetic {
    GA_ARITHMETIC_F32,
    GA_ARITHMETIC_BF16, // rows and weights are floats with 8 bits of significand
    GA_ARITHMETIC_I16,  // rows of 14 bits, weights of up to 16 bits
    GA_ARITHMETIC_INT8, // rows and weights of 8 bits
    GA_ARITHMETICS
};

// Which rows a buffer of a stack's scratch holds.
enum ga_buffer_rows {
    GA_ROWS_ALL,    // all real rows of a call
    GA_ROWS_MEMORY, // the rows of a decoder's memory
    GA_ROWS_BLOCK,  // a block of rows for each thread
    GA_ROWS_THREAD  // none: so many floats for each thread
};

// A buffer of a stack's scratch. It is in use from one step of a layer to another; two buffers that are never in use at
// the same time may share memory.
struct ga_stack_buffer {
    const char *name;
    size_t floats; // in each row, or of each thread
    enum ga_buffer_rows rows;
    size_t from, to; // steps, from 0 on
};

// The layers of a whole model. A layer is attention with its output projection, added to the residual, then a
// feed-forward of width d_ff, added to the residual. With norm_first a norm comes before each block, with result_norm
// over its result before that joins the residual, with both in both places, with neither after each residual. With kind
// GA_NORM_NONE there are no norms. With n_layers 0, the stack is only the parts around layers, and d_ff is 0.
struct ga_stack {
    size_t n_layers, d_ff;
    enum ga_activation ffn_activation;
    bool ffn_gated; // activation(gate(x)) * up(x)
    struct ga_norm norm;
    bool norm_first, result_norm, final_norm;
    double embedding_scale; // factor of rows before positions are added; 0: none
    bool embedding_norm;    // a norm before the first layer
    enum ga_positions positions;
    size_t n_positions, first_position; // rows of the table, and the row of position 0
    size_t token_types;                 // rows of role token_types; 0: none
    enum ga_pool pool;
    bool pool_normalize; // divided by its length, or by 1e-12 if that is larger
    enum ga_logits logits;
    size_t n_logits;
    bool logits_tied;         // their weight is the weight of the embedding
    const char *const *steps; // the steps of a layer in words, in the order in which they run
    size_t n_steps;
    const struct ga_stack_buffer *buffers;
    size_t n_buffers;
    bool without_attention; // layers are only feed-forwards, without heads; also true if there are no layers
    bool without_residual;  // a feed-forward's result replaces its rows
    bool sublayer;          // io.sublayer is added to the rows, before the last norm; only if there are no layers
    bool attention;         // takes io.layer_attention, or for a transformer's encoder io.src_layer_attention
    bool cross_attention;   // takes io.layer_cross_attention
    enum ga_activation classifier_activation; // between its linears
    size_t n_labels;                          // of io.class_logits; 0: no classifier
    enum ga_class_scores class_scores;
    enum ga_mask memory_mask; // takes io.memory_mask or io.memory_additive_mask
    bool has_padding;         // tokens with id padding have row first_position - 1, and positions count only the others
    int32_t padding;
    double residual_scale, logits_scale; // factors of what joins the residual, and of logits; 0: none
    double logits_softcap;               // 0: none; else logits become softcap * tanh(logits / softcap), before softmax
    enum ga_activation logits_transform; // of a dense linear's results; then norm and logits; NONE: no transform
    size_t d_embedding;                  // numbers of a row of io.embedding; 0: the model does not pool
    const struct ga_dense *dense;        // linears between the pooled row and io.embedding, in order
    size_t n_dense;
    enum ga_similarity similarity;
    bool parallel; // the feed-forward reads the rows that attention reads, each with its own norm
};

#endif
