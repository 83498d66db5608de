// trial.h: a model run over a user's input again and again, each time with another choice of dtypes: the rows that come
// out, and the time that it takes. Compares and prints nothing.
#ifndef GA_TRIAL_H
#define GA_TRIAL_H

#include "model_call.h"
#include "pooling.h"
#include "text_blocks.h"

// Besides rows: logits, of texts those after the last token of each; and class_logits. count: numbers of all, of an
// output that the model does not have 0.
enum { GA_TRIAL_LOGITS, GA_TRIAL_CLASSES, GA_TRIAL_MORE };
struct ga_trial_more {
    size_t count;
    float *data; // of the last run
};

struct ga_trial {
    const struct ga_context *context;
    struct ga_model_instance instance;
    const struct ga_watch *watch; // of io, where the caller sets it after ga_trial_open, as the next
    struct ga_progress *progress; // of texts; NULL: none is shown
    bool is_text;
    struct ga_model_call call;    // of a safetensors file
    void *scratch;                //
    size_t scratch_size;          //
    struct ga_text_reader reader; // of texts, as are the three below
    struct ga_texts texts;
    struct ga_text_block block;
    struct ga_pooling pooling;
    float *pooled;    // [count][width]
    const char *what; // the outputs that are looked at in words, "embedding" or "output" first
    size_t count, width;
    bool gives_more;
    struct ga_trial_more more[GA_TRIAL_MORE]; // zeros where it does not
};

// Loads the model and reads the input: a safetensors file as `run` takes it, or where the name does not end so, texts
// for a model that takes token ids and nothing besides. gives_more: also what stands in `more`. The caller
// calls ga_trial_close whether or not this succeeds; the struct is not moved.
enum ga_exit ga_trial_open(const struct ga_context *context, const struct ga_weight_choice *choice, const char *input,
                           const char *tokenizer, bool gives_more, struct ga_trial *trial_out);

// Runs all of the input with a choice of dtypes [GA_LINEARS]; the seconds that it took into *seconds_out.
enum ga_exit ga_trial_run(struct ga_trial *trial, const enum ga_arithmetic *choice, double *seconds_out);

// Row i of what came out [width], and whether it is real; it lives until the next run.
const float *ga_trial_row(const struct ga_trial *trial, size_t i);
bool ga_trial_is_real(const struct ga_trial *trial, size_t i);

void ga_trial_close(struct ga_trial *trial);

#endif
