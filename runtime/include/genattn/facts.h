// facts.h: what a model can be, in words for a program: masks, positions, norms, activations, and what a whole model
// has around its attention. Types only; model.h is where they are used.
#ifndef GA_FACTS_H
#define GA_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Attention ------------------------------------------------------------------------------------------------------

// Which keys a query sees beyond the lengths.
enum ga_causal {
    GA_CAUSAL_NONE,
    GA_CAUSAL_TOP_LEFT,    // query i sees keys 0..i (PyTorch's is_causal)
    GA_CAUSAL_BOTTOM_RIGHT // query i sees keys 0..i + kv_len - q_len, with the real lengths of its sequence
};

// What each element of a projection goes through.
enum ga_activation {
    GA_ACTIVATION_NONE,
    GA_ACTIVATION_RELU,
    GA_ACTIVATION_GELU,      // x Phi(x), PyTorch's default
    GA_ACTIVATION_GELU_TANH, // its approximation by tanh
    GA_ACTIVATION_SILU,
    GA_ACTIVATION_TANH
};

// Which dimensions of a head turn together: i with i + rotary_dim / 2 (Llama), or 2 i with 2 i + 1 (GPT-J).
enum ga_rope_layout { GA_ROPE_HALF_SPLIT, GA_ROPE_INTERLEAVED };

// Rotary positions of q and k: pair i of a row at place p turns by p * theta^(-2 i / rotary_dim).
struct ga_rope {
    enum ga_rope_layout layout;
    double theta;
    size_t rotary_dim; // of a head's dimensions, the first ones; even
    size_t positions;  // places there are; 0: the model has no rotary positions
};

// A norm over the d_head numbers of each head of q and of k, times q_norm_weight or k_norm_weight, plus their biases
// where the model has them.
enum ga_norm_kind {
    GA_NORM_NONE,
    GA_NORM_RMS,  // over sqrt(mean square + eps)
    GA_NORM_LAYER // less the mean, over sqrt(variance + eps)
};

struct ga_norm {
    enum ga_norm_kind kind;
    double eps;
};

enum ga_projection { GA_Q, GA_K, GA_V, GA_O, GA_PROJECTIONS };

// Which mask a call may bring.
enum ga_mask {
    GA_MASK_NONE,
    GA_MASK_BOOL,    // io.mask, of bytes
    GA_MASK_ADDITIVE // io.additive_mask, of numbers
};

enum ga_kind {
    GA_MHA,        // a layer: projections around attention
    GA_SDPA,       // attention alone
    GA_ENCODER,    // a stack of layers, causal or not
    GA_DECODER,    // one whose layers also attend to io.key, an encoder's output
    GA_TRANSFORMER // an encoder over io.key or io.key_tokens, and a decoder over query or tokens and what it gave
};

// -- Whole models ---------------------------------------------------------------------------------------------------

// What a stack adds to its rows by their place.
enum ga_positions {
    GA_POSITIONS_NONE,
    GA_POSITIONS_LEARNED,   // role positions [n_positions][d_model]
    GA_POSITIONS_SINUSOIDAL // sine and cosine in turn ("Attention Is All You Need", 3.5), of an odd width a sine last
};

// The one row a sequence becomes in io.embedding.
enum ga_pool {
    GA_POOL_NONE,
    GA_POOL_CLS, // its first
    GA_POOL_MEAN // the mean of its real rows
};

// What io.logits and io.last_logits are.
enum ga_logits {
    GA_LOGITS_NONE,
    GA_LOGITS_LINEAR,     // a linear of each row of the output
    GA_LOGITS_SOFTMAX,    // softmax of that
    GA_LOGITS_LOG_SOFTMAX // its logarithm
};

// What a program makes of io.class_logits where nobody says: the library gives them as they are.
enum ga_class_scores {
    GA_CLASS_SCORES_NONE,    // nothing
    GA_CLASS_SCORES_SIGMOID, // of each alone
    GA_CLASS_SCORES_SOFTMAX  // over the labels
};

// What linears multiply: floats, or what rows and weights are rounded to (docs/numbers.md).
enum ga_arithmetic {
    GA_ARITHMETIC_F32,
    GA_ARITHMETIC_BF16, // both floats with 8 bits of significand
    GA_ARITHMETIC_I16,  // rows of 14 bits, weights of up to 16
    GA_ARITHMETIC_INT8, // both of 8 bits
    GA_ARITHMETICS
};

// Whose rows a buffer of a stack's scratch holds.
enum ga_buffer_rows {
    GA_ROWS_ALL,    // all real rows of a call
    GA_ROWS_MEMORY, // those of what a decoder attends to
    GA_ROWS_BLOCK   // a block of rows for each thread
};

// A buffer of a stack's scratch, alive from one step of a layer to another; two that never meet may share memory.
struct ga_stack_buffer {
    const char *name;
    size_t floats; // of a row
    enum ga_buffer_rows rows;
    size_t from, to; // steps, from 0 on
};

// Layers around attention: each is attention, its output projection joined to the residual, a feed-forward of d_ff
// joined to the residual, a norm after each residual or (norm_first) before each block; norm of kind GA_NORM_NONE: no
// norms. With n_layers 0 there is only what stands around layers, and d_ff is 0.
struct ga_stack {
    size_t n_layers, d_ff;
    enum ga_activation ffn_activation;
    bool ffn_gated; // activation(gate(x)) * up(x)
    struct ga_norm norm;
    bool norm_first, final_norm;
    bool embedding_scale, embedding_norm; // rows times sqrt(d_model); a norm before the first layer
    enum ga_positions positions;
    size_t n_positions, first_position; // rows of the table, and that of place 0
    size_t token_types;                 // rows of role token_types; 0: none
    enum ga_pool pool;
    bool pool_normalize; // over its length, or over 1e-12
    enum ga_logits logits;
    size_t n_logits;
    bool logits_tied;         // their weight is the embedding's
    const char *const *steps; // of a layer, in words, in the order in which they run
    size_t n_steps;
    const struct ga_stack_buffer *buffers;
    size_t n_buffers;
    bool without_attention; // layers are feed-forwards alone, and there are no heads; so too where there are no layers
    bool without_residual;  // a feed-forward's result takes the place of its rows
    bool sublayer;          // io.sublayer is added to the rows, before the last norm; only where there are no layers
    bool attention;         // io.layer_attention is taken, of a transformer's encoder io.src_layer_attention
    bool cross_attention;   // io.layer_cross_attention is taken
    enum ga_activation classifier_activation; // between its linears
    size_t n_labels;                          // of io.class_logits; 0: no classifier
    enum ga_class_scores class_scores;
    enum ga_mask memory_mask; // io.memory_mask or io.memory_additive_mask is taken
    bool has_padding;         // tokens of id padding have row first_position - 1, and places count only the others
    int32_t padding;
};

#endif
