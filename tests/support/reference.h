// reference.h: the generic kernel: multi-head attention in plain C for any model, shape and mask known at run time, in
// double precision and in float. Written to be read and believed; it knows nothing of tiles, packing or speed.
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

// One layer as the model's facts, roles (model->n_roles views, in role order) and io ask for it; io must be a call
// that ga_model_run would accept, and io->output and io->attention are not looked at. output is
// [batch][q_len][d_out]; attention is [batch][n_heads][q_len][kv_len + extra_keys], or NULL where it is not wanted, as
// of a stack.
// Rows past a query length are zeros in both, a row that sees no key has the attention that the model says. False where
// there is no memory.
bool reference_f64(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                   double *output, double *attention);

// The same steps in float with one running sum each: what a careful person without time would ship, and so the
// measure of how large a rounding error may be.
bool reference_f32(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                   float *output, float *attention);

// The same with intermediates: more[which] is zeros of its shape, or NULL where it is not wanted.
bool reference_more_f64(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                        double *output, double *attention, double *more[GA_INTERMEDIATES]);
bool reference_more_f32(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                        float *output, float *attention, float *more[GA_INTERMEDIATES]);

// Whose weights of a stack's layer: its rows' over each other, over what a decoder attends to besides, and of a
// transformer the source's rows' over each other in its encoder.
enum reference_weights { REFERENCE_OWN, REFERENCE_CROSS, REFERENCE_SOURCE, N_REFERENCE_WEIGHTS };

// The softmax weights of a layer of a stack, from 0 on: [batch][n_heads][q_len][q_len], [batch][n_heads][q_len][kv_len]
// or [batch][n_heads][kv_len][kv_len], zeros after the lengths. False where there is no memory.
bool reference_layer_f64(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                         enum reference_weights which, size_t layer, double *weights);
bool reference_layer_f32(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                         enum reference_weights which, size_t layer, float *weights);

// The further outputs of a stack, from its output [batch][q_len][d_model]: embedding [batch][d_embedding], where it
// pools, logits [batch][q_len][n_logits], where it has any, and class_logits [batch][n_labels], where it has a
// classifier.
void reference_embedding_f64(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                             const double *output, double *embedding);
void reference_embedding_f32(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                             const float *output, float *embedding);
void reference_logits_f64(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                          const double *output, double *logits);
void reference_logits_f32(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                          const float *output, float *logits);
void reference_class_logits_f64(const struct ga_model *model, const struct ga_weight_view *roles,
                                const struct ga_io *io, const double *output, double *class_logits);
void reference_class_logits_f32(const struct ga_model *model, const struct ga_weight_view *roles,
                                const struct ga_io *io, const float *output, float *class_logits);

// The largest sum of the magnitudes of what a class logit is the sum of: what its rounding is measured by, as the terms
// may cancel. 0 without memory.
double reference_class_terms_f64(const struct ga_model *model, const struct ga_weight_view *roles,
                                 const struct ga_io *io, const double *output);
float reference_class_terms_f32(const struct ga_model *model, const struct ga_weight_view *roles,
                                const struct ga_io *io, const float *output);

// True where query row i sees key j in a sequence of q_rows real queries and kv_rows real keys.
bool reference_sees(const struct ga_model *model, size_t i, size_t j, size_t q_rows, size_t kv_rows);

// True where the call's mask of bytes, if it has one, shows key j to query row i of head h in sequence b; where a mask
// of either kind does; and what it adds to their score.
bool reference_shows(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j);
bool reference_allows(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j);
float reference_added(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j);
// How far key j lies after query i's own place, which is where its causal mask ends; negative for earlier keys.
ptrdiff_t reference_away(const struct ga_model *model, size_t i, size_t j, size_t q_rows, size_t kv_rows);

// A row of scores: those of query row i of head h in sequence b, with what they are computed from.
//
// Each score modifier has a second, naive implementation in tests/support/modifiers/<name>.h: a function of the
// modifier's name, static void IN_REAL(name)(const struct reference_row *row, size_t keys, REAL *scores), which changes
// scores[keys] in place, and leaves them where its model is without it. Such a file includes nothing and is included
// for both precisions, after macros that reference_layer.h names. Modifiers whose score_order is scale or cap are given
// all keys; those after them the keys of the sequence, and not those that the model adds.
struct reference_row {
    const struct ga_model *model;
    const struct ga_weight_view *roles;
    const struct ga_io *io;
    size_t b, h, i;
    const void *q, *k; // of REAL: the query [d_head], and its head's keys, k_stride numbers apart; NULL if unknown
    size_t k_stride;
};

// How far key j lies after the row's own place.
ptrdiff_t reference_row_away(const struct reference_row *row, size_t j);

// A number that the model's spec gives for a field, "softcap" or "ffn.adapter_scale"; otherwise: where it gives none,
// as of attention to a memory. By it a modifier with a number needs no field of struct ga_model.
double reference_number(const struct ga_model *model, const char *field, double otherwise);

// What the modifiers make of scores[keys], where weights are idle: keys of sequence b, then those that the model adds.
void reference_idle_scores(const struct ga_model *model, const struct ga_io *io, size_t b, size_t h, size_t i,
                           double *scores);

// What the numbers of a score modifier's weight are where it changes nothing; NULL where the role is not such a weight.
const float *reference_idle_weight(const char *role);

// Rows a sequence of keys holds in io, and the real rows of queries and keys of sequence b.
size_t reference_kv_len(const struct ga_io *io);
size_t reference_q_rows(const struct ga_io *io, size_t b);
size_t reference_kv_rows(const struct ga_io *io, size_t b);

// Keys of sequence b that may have weight: the real ones, or all where masked scores are filled.
size_t reference_kv_used(const struct ga_model *model, const struct ga_io *io, size_t b);

// The place of the first row of sequence b among queries and among keys, which rotary positions count from.
size_t reference_q_place(const struct ga_io *io, size_t b);
size_t reference_kv_place(const struct ga_io *io, size_t b);

// row[d_model] = row number `at` of a table that the model keeps as embedding_dtype, from the table as a file has it.
void reference_table_row(const struct ga_model *model, const struct ga_weight_view *table, size_t at, float *row);

// row[d_model] = the row of a token as the model keeps it, from its weights as a file has them.
void reference_token_row(const struct ga_model *model, const struct ga_weight_view *roles, size_t token, float *row);

// The view of the role called name, or NULL where the model has no such weight.
const struct ga_weight_view *reference_role(const struct ga_model *model, const struct ga_weight_view *roles,
                                            const char *name);

#endif
