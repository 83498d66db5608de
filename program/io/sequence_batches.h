// sequence_batches.h: many sequences of token ids through a model, in batches of like lengths, for one row of numbers
// of each. Reads no file, and knows not what the numbers are.
#ifndef GA_SEQUENCE_BATCHES_H
#define GA_SEQUENCE_BATCHES_H

#include "load_model.h"
#include "sequences.h"

struct ga_batches {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    const struct ga_sequences *sequences; // at least as long as the model takes, where it takes no lengths
    size_t rows;                          // of a batch, at most, where a sequence is no longer
    size_t field;                         // of the output in struct ga_io, whose type is float *
    size_t width;                         // numbers of it that a sequence has
    const char *what;                     // the sequences are, in the plural, for the line that tells how far it is
};

// Runs all sequences, the longest first; *out [count][width], in the order of the sequences, has the same bits whatever
// the batches and threads. Tells on a terminal how many are done, and about how long the others take. GA_EXIT_FAILED
// after a message.
enum ga_exit ga_run_batches(const struct ga_batches *batches, float *out);

#endif
