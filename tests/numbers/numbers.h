// numbers.h: what is measured for the table of docs/numbers.md: functions that generated files keep to themselves,
// opened one by one, and the figures that come of them. Judges nothing: numbers.lua holds figures against the table.
#ifndef TESTS_NUMBERS_H
#define TESTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

// -- What is opened -------------------------------------------------------------------------------------------------

enum { NUMBERS_VECTOR = 16 };                        // floats of the widest vector: counts are multiples of it
enum { LAYER_NORM_WIDTH = 48, RMS_NORM_WIDTH = 45 }; // of bert_48_4 and llama_45_3
enum { ROPE_PLACES = 100, ROPE_WIDTH = 12 };         // of rotary_57_6
enum { POSITION_PLACES = 60, POSITION_WIDTH = 40 };  // of transformer_40_2's decoder

// Functions of one element, and the vectors' own that stand in one generated file of each instruction set.
enum function { FUNCTION_EXP2, FUNCTION_GELU, FUNCTION_GELU_TANH, FUNCTION_SILU, FUNCTION_TANH, N_FUNCTIONS };

typedef void in_place(float *x, size_t n);
// scores [n] less `highest` become powers of two; returns 1 over their sum.
typedef float softmax(float *scores, size_t n, float highest);
// to = norm of from, [width] each; weight [width], and after it the bias where there is one.
typedef void norm(const float *from, float *to, const float *weight);

struct opened {
    const char *isa;
    in_place *functions[N_FUNCTIONS]; // [FUNCTION_EXP2] is NULL: softmax with a highest of 0 is it
    softmax *softmax;
    norm *layer_norm, *rms_norm;
};

extern void numbers_rope_table(float *table);     // [ROPE_PLACES][ROPE_WIDTH], pairs of cosine and sine
extern void numbers_position_table(float *table); // [POSITION_PLACES][POSITION_WIDTH], pairs of sine and cosine

// Those this CPU runs, in the order of the build; the others are named as skipped.
enum { MAX_OPENED = 8 };
size_t numbers_opened(const struct opened *list[MAX_OPENED]);

// -- What is printed ------------------------------------------------------------------------------------------------

// A line "row column value"; column is an instruction set or "generic".
void numbers_print(const char *row, const char *column, double value);

double numbers_larger(double a, double b); // NaN wins, so that it is not lost on the way to the table

// How far got is from exact in units of the last place of a float like it; INFINITY where only one is a NaN or finite.
double numbers_ulps(float got, double exact);

// exhaustive: over all 2^32 floats, or else over every 1021st and those around breakpoints. only: one function's name,
// or NULL.
void numbers_functions(bool exhaustive, const char *only);
void numbers_softmax(void);
void numbers_norms(void);
void numbers_tables(void);
// False: no memory, or a call failed.
bool numbers_products(void);
bool numbers_layers(void);

#endif
