// command.h: a command as a table: its options, its help and the function that does it.
// The one table gives both what getopt accepts and what --help prints, so they cannot differ.
#ifndef GA_COMMAND_H
#define GA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnostics.h"

enum { GA_MAX_OPTIONS = 25, GA_MAX_SIZES = 64, GA_MAX_REPEATED = 16 };

#define GA_LAYOUT_VALUE "LAYOUT" // the value of an option that takes a layout of the model: --help lists them

// The rest of an option's row, for those that most commands have.
#define GA_ISA_OPTION "NAME", "the best this CPU runs", false, "instruction set to use"
#define GA_THREADS_OPTION "N", "1", false, "threads to use; all: one for each CPU"

#define GA_TIMEOUT_OPTION "SECONDS", "300", false, "with mpirun: how long ranks wait for each other"

struct ga_option {
    const char *name;     // without dashes; NULL ends a table. One of a single character has a single dash
    const char *value;    // what stands for the value in --help; NULL: a switch. One option of a command may be given
                          // several times: its value ends in "..."
    const char *fallback; // the default as --help shows it; NULL: none
    bool required;        // wrong usage where it is missing
    const char *help;     // one line
};

// The command line as the user gave it.
struct ga_arguments {
    const char *values[GA_MAX_OPTIONS];    // by place in the command's options; NULL: not given; "" for a switch
    const char *repeated[GA_MAX_REPEATED]; // of the option that may be given several times, n_repeated of them
    size_t n_repeated;
    char **operands; // the arguments after the options
    size_t n_operands;
};

struct ga_command {
    const char *name;
    const char *summary;
    const char *operand;             // what stands for its one operand in --help, or NULL: it takes none
    bool any_operands;               // it takes any number of them, and none
    const struct ga_option *options; // at most GA_MAX_OPTIONS and the NULL that ends them
    const char *const *notes;        // lines --help prints after the options, NULL-ended
    const char *const *examples;     // what follows the program's name, NULL-ended
    // Why a model cannot do it, to follow the model's name, or NULL; itself NULL: every model can.
    const char *(*refusal)(const struct ga_model *model);
    enum ga_exit (*run)(const struct ga_context *context, const struct ga_arguments *arguments);
};

extern const struct ga_command ga_command_info;
extern const struct ga_command ga_command_inspect;
extern const struct ga_command ga_command_pack;
extern const struct ga_command ga_command_run;
extern const struct ga_command ga_command_check;
extern const struct ga_command ga_command_draw;
extern const struct ga_command ga_command_generate;
extern const struct ga_command ga_command_embed;
extern const struct ga_command ga_command_search;
extern const struct ga_command ga_command_rank;
extern const struct ga_command ga_command_tokenize;
extern const struct ga_command ga_command_detokenize;
extern const struct ga_command ga_command_bench;
extern const struct ga_command ga_command_precision;

// -- commands.c -----------------------------------------------------------------------------------------------------

enum { GA_COMMANDS = 14 };
extern const struct ga_command *const ga_commands[GA_COMMANDS];

// Why the model cannot do the command, to follow its name; NULL: it can. --help, the manual and the completions list
// what a model can do.
const char *ga_command_refusal(const struct ga_model *model, const struct ga_command *command);

// The command of this name, or NULL.
const struct ga_command *ga_command_named(const char *name);

// The first command of the model that has an option of this name, or NULL.
const struct ga_command *ga_command_with(const struct ga_model *model, const char *option);

// -- options.c ------------------------------------------------------------------------------------------------------

// Reads argv (argv[0] is the command's name) by the command's table. *help_out: --help was asked for, and nothing else
// was checked. GA_EXIT_USAGE after a message otherwise.
enum ga_exit ga_options_read(const struct ga_context *context, const struct ga_command *command, int argc, char **argv,
                             struct ga_arguments *arguments_out, bool *help_out);

// Whether an option can do something in this program: --help, the manual and the completions show no other.
bool ga_option_is_shown(const struct ga_option *option); // commands.c

// Whether an option may be given several times.
bool ga_option_repeats(const struct ga_option *option);

// Prints the command's help on stdout.
void ga_options_help(const struct ga_context *context, const struct ga_command *command);

// -- numbers.c: each says what is wrong with the text, naming the option, and returns GA_EXIT_USAGE. Where the text is
// NULL, the option was not given, and what is at *_out stays --------------------------------------------------------

struct ga_sizes {
    size_t items[GA_MAX_SIZES];
    size_t count;
};

// A whole number within range.
enum ga_exit ga_read_size(const struct ga_context *context, const char *option, const char *text, struct ga_range range,
                          size_t *size_out);

// Whole numbers within range, separated by commas.
enum ga_exit ga_read_sizes(const struct ga_context *context, const char *option, const char *text,
                           struct ga_range range, struct ga_sizes *sizes_out);

// Any 64-bit unsigned number.
enum ga_exit ga_read_seed(const struct ga_context *context, const char *option, const char *text, uint64_t *seed_out);

// A finite number from least to most.
enum ga_exit ga_read_real(const struct ga_context *context, const char *option, const char *text, double least,
                          double most, double *real_out);

// One of a list of words that NULL ends: its place.
enum ga_exit ga_read_word(const struct ga_context *context, const char *option, const char *text,
                          const char *const *words, size_t *word_out);

// The word "json", or the usual one, which also no text is: *is_json_out is set in any case.
enum ga_exit ga_read_format(const struct ga_context *context, const char *option, const char *text, const char *usual,
                            bool *is_json_out);

// --threads: a number of threads, "all" for as many as there are CPUs, or NULL for 1.
enum ga_exit ga_read_threads(const struct ga_context *context, const char *text, size_t *threads_out);

// -- writable.c -----------------------------------------------------------------------------------------------------

// Whether a file can be written to path, or path is NULL; GA_EXIT_FAILED after a message that names the option. What
// is there stays as it is.
enum ga_exit ga_check_writable(const struct ga_context *context, const char *option, const char *path);

#endif
