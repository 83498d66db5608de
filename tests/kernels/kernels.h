// kernels.h: what every generated model must do, as facts about one model that any runner can check, and the tools the
// facts are made of. Knows no test framework: tests/standalone/standalone_kernels.c runs the facts.
#ifndef TESTS_KERNELS_H
#define TESTS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "support/checks.h"
#include "support/guard.h"
#include "support/rng.h"

// The models of this build, from a generated file.
extern const struct ga_model *const ga_test_models[];
extern const size_t n_ga_test_models;

// -- Facts ----------------------------------------------------------------------------------------------------------

typedef void kernel_fact(struct checks *checks, const struct ga_model *model);

// One row per fact: the function, which models it is about (kernels_for_<who>), and on which of the instruction sets
// that this CPU runs it is checked. EACH: facts about memory, packing, tiles, threads and special numbers, and those
// that all sets give the same bits. ONE, the best set: facts about values, which hold on the other sets by the same
// bits (also of other outputs: tests/bits). Portable C takes some ten times as long as the best set.
enum kernel_sets { KERNEL_SETS_EACH, KERNEL_SETS_ONE };
#define KERNEL_FACTS(X)                                                   \
    X(the_best_variant_that_runs_is_taken, any, EACH)                     \
    X(matches_the_generic_kernel, any, ONE)                               \
    X(every_tile_height_gives_the_same_bits, heights, EACH)               \
    X(integers_come_out_exactly, exact, ONE)                              \
    X(scores_of_ten_thousand_stay_accurate, pointed, ONE)                 \
    X(random_large_scores_stay_finite, floats, ONE)                       \
    X(repeated_runs_give_the_same_bits, any, ONE)                         \
    X(every_instruction_set_gives_the_same_bits, any, EACH)               \
    X(every_place_gives_the_same_bits, any, EACH)                         \
    X(weights_pack_the_same_from_every_place, any, EACH)                  \
    X(strided_weights_pack_the_same, any, EACH)                           \
    X(packed_weights_of_a_file_give_the_same_bits, any, EACH)             \
    X(queries_among_the_keys_give_the_bits_of_a_copy, crossing, EACH)     \
    X(batch_and_place_change_no_bit, any, ONE)                            \
    X(threads_change_no_bit, any, EACH)                                   \
    X(threads_write_apart, apart, EACH)                                   \
    X(ranks_change_no_bit, stacks, EACH)                                  \
    X(sequences_in_batches_give_the_bits_of_calls, batched, ONE)          \
    X(padding_changes_no_bit, cutting, ONE)                               \
    X(nan_in_padding_does_not_leak, lengths, EACH)                        \
    X(nan_in_a_later_key_does_not_leak, causal, EACH)                     \
    X(nan_before_a_window_does_not_leak, window, EACH)                    \
    X(nan_stays_in_its_rows, any, EACH)                                   \
    X(specials_match_the_generic_kernel, specials, EACH)                  \
    X(special_weights_match_the_generic, special_weights, EACH)           \
    X(subnormals_come_out_exactly, exact, EACH)                           \
    X(tokens_give_the_bits_of_their_rows, tokens, ONE)                    \
    X(activations_are_within_a_few_ulp, activated, EACH)                  \
    X(weights_are_rounded_to_nearest, narrow, EACH)                       \
    X(rounded_linears_give_the_bits_of_the_generic_kernel, rounded, EACH) \
    X(rounded_outputs_give_the_bits_of_the_generic_kernel, last, ONE)     \
    X(choices_match_the_generic_kernel, choosing, EACH)                   \
    X(intermediates_match_the_generic_kernel, intermediates, ONE)         \
    X(a_stack_gives_its_other_outputs, stacks, ONE)                       \
    X(a_stack_gives_the_attention_of_its_layers, layers, ONE)             \
    X(steps_give_the_bits_of_one_call, steps, ONE)                        \
    X(a_cache_written_out_and_in_is_the_same, cached, EACH)               \
    X(cached_rows_are_rounded_to_nearest, rounding, EACH)                 \
    X(memory_is_taken_by_the_call_that_begins, remembering, EACH)         \
    X(memory_that_is_kept_is_that_of_all_sequences, encoding, ONE)        \
    X(rows_that_are_shown_are_those_multiplied, showing, ONE)             \
    X(equal_weights_are_packed_as_the_nearest_steps, groups, EACH)        \
    X(pairs_stay_within_their_bound, pairing, EACH)

#define KERNEL_FACT(name, who, sets) kernel_fact name;
KERNEL_FACTS(KERNEL_FACT)
#undef KERNEL_FACT

bool kernels_for_any(const struct ga_model *model);
bool kernels_for_lengths(const struct ga_model *model);  // and padding is nothing
bool kernels_for_cutting(const struct ga_model *model);  // a sequence can also be a shorter call of its own
bool kernels_for_crossing(const struct ga_model *model); // one layer, whose queries can be some of its rows of keys
bool kernels_for_heights(
    const struct ga_model
        *model); // a call can have any small number of queries and keys, and rows are multiplied alone
bool kernels_for_apart(const struct ga_model *model);   // attention alone, of several heads of keys
bool kernels_for_batched(const struct ga_model *model); // token ids alone, batches of any size, no cache
bool kernels_for_causal(const struct ga_model *model);
bool kernels_for_window(const struct ga_model *model);
bool kernels_for_specials(
    const struct ga_model *model); // no formula of it, and no step of its rows, makes a NaN of an infinity
bool kernels_for_special_weights(const struct ga_model *model); // and it has weights
bool kernels_for_projected(const struct ga_model *model);       // weights can say what a score is
bool kernels_for_intermediates(const struct ga_model *model);
bool kernels_for_stacks(const struct ga_model *model);
bool kernels_for_layers(const struct ga_model *model); // of these, those that give the attention of their layers
bool kernels_for_tokens(const struct ga_model *model);
bool kernels_multiply_floats(const struct ga_model *model); // every linear does
bool kernels_share_weights(const struct ga_model *model); // what is not a key of a call takes a part of a row's weights
bool kernels_keep_groups(const struct ga_model *model);   // of weights, which are whole numbers of steps and not whole
bool kernels_for_linear(
    const struct ga_model *model); // q, k, v and the output are linear in the rows, whatever their place
bool kernels_for_exact(const struct ga_model *model); // of these, one that keeps whole numbers whole
bool kernels_for_pointed(
    const struct ga_model *model); // of these, one whose rows have room for what points at keys and what keys score
bool kernels_for_activated(const struct ga_model *model);   // what comes out of an activation can be seen
bool kernels_for_narrow(const struct ga_model *model);      // its linears' weights have fewer bits than a float
bool kernels_for_floats(const struct ga_model *model);      // its layers round nothing that a score comes from
bool kernels_for_rounded(const struct ga_model *model);     // one layer, whose linears round what they multiply
bool kernels_for_last(const struct ga_model *model);        // its logits or its classifier round what they multiply
bool kernels_for_choosing(const struct ga_model *model);    // a call chooses what its linears multiply
bool kernels_for_cached(const struct ga_model *model);      // it has a cache, and calls can be short
bool kernels_for_rounding(const struct ga_model *model);    // it keeps them in fewer bits, and they can be exact before
bool kernels_for_steps(const struct ga_model *model);       // and no row looks at a later one
bool kernels_for_remembering(const struct ga_model *model); // and its cache holds an encoder's output too
bool kernels_for_encoding(const struct ga_model *model);    // and it has an encoder of its own
bool kernels_for_showing(const struct ga_model *model);
bool kernels_for_groups(const struct ga_model *model);
bool kernels_for_pairing(const struct ga_model *model); // its linears multiply pairs of rows, and show what they give

// Checks one fact of one model; a fact that found nothing to check counts as failed.
void kernels_check(struct checks *checks, kernel_fact *fact, const struct ga_model *model);

// Prints a line for each instruction set that is in the build but not in this CPU.
void kernels_name_skipped(void);

// -- Shapes of a call -----------------------------------------------------------------------------------------------

enum form {
    FORM_SELF,        // query alone
    FORM_TOKENS,      // token ids alone
    FORM_CROSS,       // query and key
    FORM_CROSS_VALUE, // query, key and value
};

struct shape {
    size_t batch, q_len, kv_len;
    enum form form;
    bool q_ragged, kv_ragged; // whether q_lengths and kv_lengths are given
    size_t past;              // rows whose keys and values a sequence's cache holds before the call, at most
    uint64_t seed;            // of lengths and contents
    bool any_length;          // ragged lengths are any, and not telling ones in turn
};

enum { MAX_SHAPES = 160 };

struct shapes {
    struct shape list[MAX_SHAPES];
    size_t count;
    size_t left_out; // for want of time
};

// Shapes within the model's ranges, the telling ones first: shortest, longest, around the tiles of its kernels, primes;
// self- and cross-attention, batches of 1..3 and a large one, ragged lengths. Stops before their multiply-adds exceed
// budget, but has one of each form.
struct shapes shapes_of(const struct ga_model *model, double budget);

// One shape that the seed chooses within the model's ranges: short ones as often as long ones, of at most so many
// multiply-adds.
struct shapes shapes_random(const struct ga_model *model, uint64_t seed, double most);

// Multiply-adds of a call, padding left out, causal or not; and how many rows there can be before it.
double shapes_cost(const struct ga_model *model, const struct shape *shape);
size_t shapes_past_room(const struct ga_model *model, const struct shape *shape);

// The lengths of a ragged sequence b: all rows, 1, 0 and others in turn.
int32_t shapes_q_length(const struct shape *shape, size_t b);
int32_t shapes_kv_length(const struct shape *shape, size_t b);
int32_t shapes_past_length(const struct shape *shape, size_t b);

// The taller of a model's register tiles and the wider, over all its kernels and variants.
struct tile {
    size_t mr, nr;
};
struct tile shapes_largest_tile(const struct ga_model *model);

// FORM_CROSS, or where value's rows have another width than key's, FORM_CROSS_VALUE.
enum form shapes_cross_form(const struct ga_model *model);

// Whether a model's layers attend to a sequence besides its own.
bool shapes_has_memory(const struct ga_model *model);

// The length of a range that is nearest to length.
size_t shapes_clamp(const struct ga_range *range, size_t length);

// -- A model with weights -------------------------------------------------------------------------------------------

enum { MAX_ROLES = 2048, MAX_VARIANTS = 8 };

// Elements of a row of a role; of a vector each is a row of its own.
size_t role_columns(const struct ga_weight_role *role);

// Writes one role's elements, row-major.
typedef void weight_fill(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data);

struct subject {
    const struct ga_model *model;
    struct guard weights[MAX_ROLES]; // the elements of each role, read-only
    struct ga_weight_view roles[MAX_ROLES];
    struct guard packed[MAX_VARIANTS];
    const struct ga_loaded *loaded[MAX_VARIANTS]; // for each variant this CPU runs
    size_t n_loaded;
};

// Makes weights and packs them between guard pages for each variant this CPU runs, or for the best where the checks are
// of one. transposed: the views given to pack
// lie [in][out] in memory, and vectors with a stride of 2. What goes wrong is a failed check, and then false;
// subject_drop is due in any case.
bool subject_make(struct subject *subject, struct checks *checks, const struct ga_model *model, weight_fill *fill,
                  bool transposed);
// The same with other random numbers.
bool subject_make_seeded(struct subject *subject, struct checks *checks, const struct ga_model *model,
                         weight_fill *fill, uint64_t seed, bool transposed);
// The same with each role's elements, and the packed weights, at a place next to their guard pages.
bool subject_make_at(struct subject *subject, struct checks *checks, const struct ga_model *model, bool transposed,
                     enum guard_place place);
void subject_drop(struct subject *subject);

// Rounds a role's elements to what the model keeps of them, where it keeps fewer bits than a float has.
void weights_round(const struct ga_model *model, const struct ga_weight_role *role, float *data);

// The smallest positive number that the model's weights can be.
double weights_smallest(const struct ga_model *model);

// Weights for which inputs of standard deviation 1 give q, k, v, scores and outputs of about that size too.
weight_fill weights_random;

// -- Calls ----------------------------------------------------------------------------------------------------------

enum call_buffer {
    CALL_QUERY,
    CALL_TOKENS,
    CALL_KEY,
    CALL_VALUE,
    CALL_SUBLAYER,
    CALL_Q_LENGTHS,
    CALL_KV_LENGTHS,
    CALL_MASK, // bytes or floats, as the model takes them; so the masks after it
    CALL_SRC_MASK,
    CALL_MEMORY_MASK,
    CALL_POSITION,
    CALL_KV_POSITION,
    CALL_PAST,         // [batch][past][d_model], rows from which the cached keys and values come
    CALL_PAST_LENGTHS, // [batch]
    CALL_OUTPUT,
    CALL_ATTENTION,
    CALL_ATTENTION_MEAN,
    N_CALL_BUFFERS
};

struct call {
    const struct ga_model *model;
    struct shape shape;
    struct ga_io io;        // points into the buffers
    enum guard_place place; // of the buffers; scratch and a cache are next to the same page
    struct guard buffers[N_CALL_BUFFERS];
};

// Allocates the buffers of a call between guard pages, lengths filled in, the rest 0xFF bytes. False: no memory.
bool call_make(struct call *call, const struct ga_model *model, const struct shape *shape, enum guard_place place);
// The same with the inputs of another call.
bool call_copy(struct call *call, const struct call *from, enum guard_place place);
void call_drop(struct call *call);

// What numbers of a row of the query or the embedding are of about the size of: 1, or what becomes 1 where a stack
// multiplies rows by sqrt(d_model).
double call_row_size(const struct ga_model *model);

// Fills query, key and value with normal numbers, tokens with ids and masks with what forbids some keys, all from
// the shape's seed.
void call_fill(struct call *call);

// Copies sequence b of another call, cut to this call's lengths, to sequence slot: inputs, and lengths where both
// calls have them.
void call_copy_sequence(struct call *call, size_t slot, const struct call *from, size_t b);

// Elements of mask m of a call, whose buffer is CALL_MASK + m, with their strides along batch, heads, queries and keys;
// -1: it has none. And the bytes of an element.
enum { CALL_MASKS = CALL_MEMORY_MASK + 1 - CALL_MASK };
ptrdiff_t call_mask_elements(const struct call *call, size_t m, size_t strides[4]);
size_t call_mask_width(const struct ga_model *model, size_t m);

// Points a call's io at the buffers of its masks, and fills these.
void call_point_masks(struct call *call);
void call_fill_masks(struct call *call, struct rng *rng);

// Copies what the other call's masks say of sequence b, from query row first on, to sequence slot.
void call_copy_masks(struct call *call, size_t slot, const struct call *from, size_t b, size_t first);

// Heads that have rows of their own in query, key, value or output, 1 where a row holds them all; floats of such a row;
// and where a row lies.
size_t call_heads(const struct call *call, enum call_buffer buffer);
size_t call_width(const struct call *call, enum call_buffer buffer);
size_t call_row_at(const struct call *call, enum call_buffer buffer, size_t b, size_t head, size_t row);
// Elements of one sequence in query, in output.
size_t call_q_elements(const struct call *call);
size_t call_out_elements(const struct call *call);

// Whether the score modifiers leave all keys alike that row i of head h in sequence b sees, where scores are alike and
// their weights are zero; slopes do not. The same of the last row of each sequence, in the first head. And whether they
// leave a distance of two scores; a cap does not. False where there is no memory.
bool call_scores_stay_alike(const struct call *call, size_t b, size_t h, size_t i);
bool call_last_rows_stay_alike(const struct call *call);
bool call_scores_stay_apart(const struct call *call, double distance);

// The tensor keys come from: key, or query in self-attention; not for FORM_TOKENS. rows_out: rows a sequence has there.
enum call_buffer call_key_buffer(const struct call *call, size_t *rows_out);

// Runs variant v of the subject, which the messages name from here on: outputs blanked before, inputs and weights
// read-only, scratch full of NaN between guard pages; a cache that other calls filled from past rows, NaN elsewhere.
// Checks the status and that nothing was written beyond the buffers; false where a check failed.
bool call_run(struct call *call, struct checks *checks, const struct subject *subject, size_t v);

// The same with a cache of the caller's, which is kept afterwards: it starts empty, takes the past rows of a call, and
// then what the run appends. Which forbidden page it is next to its capacity says.
bool call_new_cache(struct guard *block, struct checks *checks, const struct subject *subject, size_t v, size_t batch,
                    size_t capacity);
bool call_fill_cache(const struct call *call, struct checks *checks, const struct subject *subject, size_t v,
                     struct ga_cache *cache);
bool call_run_with(struct call *call, struct checks *checks, const struct subject *subject, size_t v,
                   struct ga_cache *cache);

// Gives a call what another call of as many sequences attends to besides their own rows.
void memory_copy(struct call *call, const struct call *from);
// The same for the step of a walk, of which done[b] rows of each sequence are after it: sequences that begin with it
// need that, and what the others get, and nobody is to look at, is the same again, NaN, or nothing where none begins.
enum memory_later { MEMORY_AGAIN, MEMORY_SPOILED, MEMORY_NOTHING };
void memory_give(struct call *step, const struct call *whole, const size_t *done, enum memory_later later);

// A call in words, for messages.
const char *call_text(const struct call *call, char text[CHECKS_SITUATION]);

// What call_run does: one call as it is, or after a cache that is filled first.
bool call_run_once(struct call *call, struct checks *checks, const struct subject *subject, size_t v);
bool call_run_cached(struct call *call, struct checks *checks, const struct subject *subject, size_t v);

// Runs body for each of shapes_of(model, budget), or where the checks have a seed for the one that it chooses, with a
// filled call on its own guard pages, over one subject.
typedef void call_check(struct checks *checks, const struct subject *subject, struct call *call);
void kernels_each_call(struct checks *checks, const struct ga_model *model, weight_fill *fill, double budget,
                       call_check *body);

// -- Comparing ------------------------------------------------------------------------------------------------------

// The results of the generic kernel for a call; attention and its mean are NULL where the model does not give them.
struct expected {
    double *output, *attention, *mean;
    float *output_f32, *attention_f32, *mean_f32;
};

bool expected_make(struct expected *expected, const struct subject *subject, const struct call *call);
void expected_drop(struct expected *expected);

// Compares logits and class_logits of linears that round with what the generic kernel makes of the output's rows.
void compare_last(struct checks *checks, const struct subject *subject, struct call *call); // kernels_last.c

// Runs all variants of a call and holds them against the generic kernel, with expect_layer's slack.
void compare_with_generic(struct checks *checks, const struct subject *subject, struct call *call,
                          double magnitude_slack);

// The output alone, in float.
bool expected_f32(const struct subject *subject, const struct call *call, float *output);

// Checks a run against the generic kernel by approx_layer's rule, of a stack's output by the generic kernel's errors
// over neighbours too, and attention rows for their sums. magnitude_slack is added to the limit, times the largest
// magnitude expected.
void expect_layer(struct checks *checks, const struct subject *subject, const struct call *call,
                  const struct expected *expected, double magnitude_slack);

// A query row of a sequence of a call.
struct place {
    const struct call *call;
    size_t sequence, row;
};

// Checks that rows rows from one place on hold the bits of those from another place on, in the output and in the
// attention to keys 0..kv_rows-1. The first difference ends it.
void expect_same_rows(struct checks *checks, struct place got, struct place wanted, size_t rows, size_t kv_rows);

// The same for all rows of two calls of one shape.
void expect_same(struct checks *checks, const struct call *a, const struct call *b);

// "output[1][3][17]" or "attention[1][0][3][5]" for an element's index; returns text.
enum { CALL_ELEMENT = 104 };
const char *call_element(const struct call *call, enum call_buffer buffer, size_t at, char text[CALL_ELEMENT]);

// Columns of a call's attention: keys, and those that the model adds after them.
size_t call_columns(const struct call *call);

// Real rows of query and key of sequence b, and whether its row i sees its key j, by the generic kernel's rules.
size_t call_q_rows(const struct call *call, size_t b);
size_t call_kv_rows(const struct call *call, size_t b);
size_t call_past_rows(const struct call *call, size_t b);
bool call_sees(const struct call *call, size_t b, size_t i, size_t j);
// The same with the call's mask, which differs from head to head.
bool call_attends(const struct call *call, size_t b, size_t h, size_t i, size_t j);
size_t call_keys_seen(const struct call *call, size_t b, size_t h, size_t i);
// Whether a real row's attention sums to one even if it attends to no key.
bool call_has_full_range(const struct call *call, size_t b, size_t i);

#endif
