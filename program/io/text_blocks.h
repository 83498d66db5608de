// text_blocks.h: texts as sequences of token ids, each cut to what the model takes, a block of texts at a time. Knows
// nothing of what they are used for.
#ifndef GA_TEXT_BLOCKS_H
#define GA_TEXT_BLOCKS_H

#include "sequences.h"
#include "texts.h"

enum { GA_BLOCK_TEXTS = 8192, GA_BLOCK_IDS = 1 << 17, GA_BLOCK_BYTES = 1 << 26 }; // at which a block is full

enum { GA_PAIR_TAIL = 64 };

// The text that a query and another text become, cut at the places where they go; its last tokens follow whatever is
// cut off.
struct ga_text_pair {
    char bytes[GA_TEXT_PAIR];
    size_t query, text, end;          // where bytes go on after the query's place, after the text's, and end
    size_t before_query, before_text; // where they stop before these
    int32_t tail[GA_PAIR_TAIL];       // [n_tail]
    size_t n_tail;
    size_t n_kept; // of tail, the last ones, of the pair that was read last
};

// How texts become ids. The tools' limit is the model's longest sequence.
struct ga_text_reader {
    const struct ga_context *context;
    struct ga_text_tools tools;
    char prompt[GA_TEXT_PROMPT]; // [n_prompt], before each text or the query
    size_t n_prompt;
    char *prompted; // [prompted_room], the prompt and what comes after it; the reader's
    size_t prompted_room;
    int32_t marker;            // id that follows a text's first one; below 0: none
    int32_t filler;            // id that fills texts to `filled` ids, which no id sees where the model takes a mask
    size_t filled;             // 0: none are filled
    struct ga_text_pair *pair; // what a text and its query become in one, for models that answer pairs, or NULL
    const char *query; // goes first in a pair with each text, and gives the tokens types; NULL: texts stand alone
    unsigned flags;    // of ga_text_encode
    bool keeps;        // the texts themselves too
};

// Some texts. Zeroed memory is none.
struct ga_text_block {
    struct ga_sequences sequences;
    size_t n_cut; // texts that had more tokens than the model's sequences, and lost the last but those added
    char *bytes;  // of the texts, one after the other with NUL after each, where the reader keeps them
    size_t *ends; // [count], of each text in bytes, before its NUL
    size_t first; // of the corpus, the first of them, where a shard reads them
    double share; // of the file that is read, 0 to 1; 0: not known
    size_t id_room, type_room, start_room, seen_room, byte_room, end_room;
};

// Opens the tokenizer as ga_text_tools_open does. replace: flags take U+FFFD for what is not UTF-8. The caller calls
// ga_text_reader_close whether or not this succeeds.
enum ga_exit ga_text_reader_open(const struct ga_context *context, const char *tokenizer, const char *weights,
                                 bool replace, struct ga_text_reader *reader_out);

void ga_text_reader_close(struct ga_text_reader *reader);

// -- text_prompt.c: what comes before texts -------------------------------------------------------------------------

// Puts the prompt of that name before texts from now on. GA_EXIT_USAGE after a message with the names that there are.
enum ga_exit ga_text_reader_use_prompt(struct ga_text_reader *reader, const char *name);

// What texts are for. With prompts by name for tasks, a model has one for each, or none before texts of that task.
enum ga_text_task { GA_TEXT_ANY, GA_TEXT_QUERY, GA_TEXT_DOCUMENT };

// Puts the prompt of a task before texts from now on: `query`; or the first of `document`, `passage` and `corpus`;
// nothing where the model has only the other task's. GA_TEXT_ANY, and models that have neither: the prompt of the spec.
// Sets the marker, the length and the filler of the task too; those of GA_TEXT_ANY are a document's. Returns
// GA_EXIT_OK.
enum ga_exit ga_text_reader_use_task(struct ga_text_reader *reader, enum ga_text_task task);

// -- text_pair.c: pairs in one text -----------------------------------------------------------------------------------

// Whether a model answers pairs: its spec has their text.
bool ga_text_answers_pairs(const struct ga_model *model);

// Takes the text of pairs from the spec. GA_EXIT_FAILED after a message.
enum ga_exit ga_text_reader_use_pair(struct ga_text_reader *reader);

// The text of the query and another, into the reader's memory; false where there is none.
bool ga_text_pair_join(struct ga_text_reader *reader, struct ga_text_view *text);

// Cuts a pair that is longer than the model's sequences before its tail; the tail follows again when
// its ids are kept.
void ga_text_pair_cut(struct ga_text_reader *reader, struct ga_text_encoding *encoding);

// -- text_blocks.c ----------------------------------------------------------------------------------------------------

// Adds the text that texts has read last. GA_EXIT_FAILED after a message that has its path and line.
enum ga_exit ga_text_block_add(struct ga_text_reader *reader, const struct ga_texts *texts,
                               struct ga_text_block *block);

// Text i of those that were kept, not NUL-terminated; it lives until the block changes.
struct ga_text_view ga_text_block_text(const struct ga_text_block *block, size_t i);

bool ga_text_block_is_full(const struct ga_text_block *block);

// Makes the block one of the next texts, as many as fill it; none at the end of the file.
enum ga_exit ga_text_block_read(struct ga_text_reader *reader, struct ga_texts *texts, struct ga_text_block *block);

// Takes the texts out and keeps the memory.
void ga_text_block_clear(struct ga_text_block *block);

void ga_text_block_free(struct ga_text_block *block);

#endif
