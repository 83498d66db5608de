// call.h: one call's arguments, checked against what the model takes and completed. Internal to model.c; runs nothing.
#ifndef GA_CALL_H
#define GA_CALL_H

#include "arena.h"
#include "call_ranks.h"
#include "model.h"
#include "watch.h"

// GA_OK where a model takes this number of sequences.
enum ga_status ga_call_batch(const struct ga_model *model, size_t batch, struct ga_error *error);

// GA_OK where a block is aligned and holds `needed` bytes; what: its name in the message.
enum ga_status ga_call_block(const struct ga_model *model, const char *what, const void *block, size_t size,
                             size_t needed, struct ga_error *error);

// Memory of the caller's: a tensor, a block, a struct.
struct ga_span {
    const char *name;
    const void *start; // NULL: absent
    size_t bytes;
    size_t alignment; // that start must have
};

bool ga_spans_overlap(const struct ga_span *a, const struct ga_span *b);

// GA_OK where each of the spans is aligned, and the first n_written of them overlap no other. who: whose they are, a
// model's or a call's name.
enum ga_status ga_call_spans(const char *who, const struct ga_span *spans, size_t count, size_t n_written,
                             struct ga_error *error);

// Whether a pointer of the caller's is aligned to so many bytes.
bool ga_is_aligned(const void *pointer, size_t bytes);

// GA_OK where the model was generated for this runtime's interface.
enum ga_status ga_call_abi(const struct ga_model *model, struct ga_error *error);

// Whether the variant is one of the model's, and the model one of this runtime's interface; false for NULL.
bool ga_call_has_variant(const struct ga_model *model, const struct ga_variant *variant);

// GA_OK where packed weights are such as ga_model_pack or pack_file.h give. who: the call's name.
enum ga_status ga_call_loaded(const char *who, const struct ga_loaded *loaded, struct ga_error *error);

// A block for packed weights begins with their struct ga_loaded; they follow at the next GA_ALIGN boundary.
enum { GA_LOADED_BYTES = GA_ALIGN };
_Static_assert(sizeof(struct ga_loaded) <= GA_LOADED_BYTES, "the packed weights begin after the struct");

// GA_OK where the variant is the model's and this CPU runs it. In model.c.
enum ga_status ga_call_variant(const struct ga_model *model, const struct ga_variant *variant, struct ga_error *error);

// The same, and the block can hold its packed weights.
enum ga_status ga_call_packed(const struct ga_model *model, const struct ga_variant *variant, const void *block,
                              size_t size, struct ga_error *error);

// GA_OK where batch and lengths are what the model takes, and sixteen times its largest tensor still fits in memory, so
// that no size computed from them afterwards overflows.
enum ga_status ga_call_sizes(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len,
                             struct ga_error *error);

// What a call is told by structs and lists of the caller's, as it was when it was checked.
struct ga_call_copies {
    struct ga_parallel parallel;
    struct ga_watch watch;
    enum ga_arithmetic arithmetic[GA_LINEARS];
    struct ga_gathering gathering;
};

// Copies what says how threads share a call, and checks the copy; neither where given is NULL. In call.c.
enum ga_status ga_call_parallel(const struct ga_model *model, const struct ga_parallel *given, struct ga_parallel *copy,
                                struct ga_error *error);

// Checks which fields of io are given, and its sizes, and fills *call_out with what the kernels are to see: kv_len,
// key, value and kv_lengths as they stand for themselves where io leaves them out. key and value stay NULL with
// tokens. What parallel and ranks say is copied and the copies checked; the call points to io's still, until
// ga_call_contents.
enum ga_status ga_call_complete(const struct ga_model *model, const struct ga_io *io, struct ga_io *call_out,
                                struct ga_call_copies *copies, struct ga_error *error);

// Checks where the pointers of a completed call point: aligned, and nothing written (scratch and cache included)
// overlaps anything else: inputs, other outputs, the packed weights, io itself and what it points to.
enum ga_status ga_call_aliasing(const struct ga_loaded *loaded, const struct ga_io *io, const struct ga_io *call,
                                const void *scratch, size_t scratch_bytes, struct ga_error *error);

// Room in a call's scratch for the whole numbers that it is given, each as the field of struct ga_io of its name; of no
// length where the model does not take them.
struct ga_call_ids {
    int32_t *q_lengths, *kv_lengths, *position, *kv_position, *tokens, *token_types, *key_tokens;
};

// Takes that room of the arena, or measures it.
void ga_call_ids_take(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len, struct ga_arena *arena,
                      struct ga_call_ids *ids_out);

// Copies a completed call's lengths, places, ids and types, each number read once, and checks the copies, to which
// the call points afterwards. Of ids those are looked at that a kernel reads.
enum ga_status ga_call_ids(const struct ga_model *model, struct ga_io *call, const struct ga_call_ids *to,
                           struct ga_error *error);

// Copies and checks what a completed call's choices, lengths and tokens hold, and checks its additive mask. The call
// points to the copies afterwards, so that nothing is used that was not checked.
enum ga_status ga_call_contents(const struct ga_model *model, struct ga_io *call, struct ga_call_copies *copies,
                                const struct ga_call_ids *ids, struct ga_error *error);

// A mask of a call, of either kind, and how many elements its axes stand for: sequences, heads, queries, keys.
enum { GA_MASK_AXES = 4, GA_CALL_MASKS = 3 };
struct ga_call_mask {
    const char *name, *additive_name, *strides_name; // of its fields
    const char *spec_field;                          // that says which kind of it the model takes
    enum ga_mask kind;
    const uint8_t *bytes;
    const float *numbers;
    const size_t *strides; // [GA_MASK_AXES]
    size_t shape[GA_MASK_AXES];
};

// The masks of a completed call: that of its own rows, that of a transformer's source, that of a decoder's memory.
void ga_call_masks(const struct ga_model *model, const struct ga_io *io, struct ga_call_mask masks_out[GA_CALL_MASKS]);

// The rules for a call's masks.
enum ga_status ga_call_mask_fields(const struct ga_model *model, const struct ga_io *io, struct ga_error *error);

// From the first element of a mask to just after its last, 0 where it is absent; false where that is more than memory.
bool ga_call_mask_extent(const struct ga_call_mask *mask, size_t *elements_out);

// GA_OK where a completed call's additive masks hold what can be added to scores.
enum ga_status ga_call_mask_contents(const struct ga_model *model, const struct ga_io *call, struct ga_error *error);

// A rule of a call's fields, and the sentence for where it is broken.
struct ga_call_rule {
    bool broken;
    enum ga_status status;
    const char *text;
};

// The first of count rules that is broken as an error; GA_OK where none is.
enum ga_status ga_call_rules(const struct ga_model *model, const struct ga_call_rule *rules, size_t count,
                             struct ga_error *error);

// Whether a model's layers attend to an encoder's output besides their own rows.
bool ga_call_has_memory(const struct ga_model *model);

// The rules for what only calls of whole models have; of one layer, that it is absent.
enum ga_status ga_call_model(const struct ga_model *model, const struct ga_io *io, struct ga_error *error);

// Copies what a call chooses for its linears, to which it points afterwards; GA_OK where that is among the model's
// choices. In call_arithmetic.c.
enum ga_status ga_call_arithmetic(const struct ga_model *model, struct ga_io *call, enum ga_arithmetic copy[GA_LINEARS],
                                  struct ga_error *error);

// GA_OK where nobody watches, or the model shows its rows. In call_arithmetic.c.
enum ga_status ga_call_watch(const struct ga_model *model, const struct ga_io *io, struct ga_error *error);

#endif
