// program.h: the command line every generated model gets (info, inspect, run, check, draw, embed, search, bench).
// Knows no model by name: all it is told is the descriptor, so one library serves every model.
#ifndef GA_PROGRAM_H
#define GA_PROGRAM_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GA_VERSION "0.1.0"

// The whole of a model's main. Prints results on stdout, messages on stderr; returns the exit code: 0 done, 1 failed,
// 2 wrong usage. argv is reordered (getopt), its strings are not written to; model and argv stay the caller's.
int ga_program(const struct ga_model *model, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
