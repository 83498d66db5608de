// open.c: opens one generated file, whose functions are its own, to the measurements of numbers.h. Compiled once for
// each file and instruction set: NUMBERS_FILE is the file, NUMBERS_<WHAT>_AS the name under which <WHAT> is to be had.
#include NUMBERS_FILE

#define OPEN_ROWS(rows, as)      \
    void as(float *x, size_t n); \
    void as(float *x, size_t n)  \
    {                            \
        rows(x, 1, n, n);        \
    }

#ifdef NUMBERS_ROWS_1
OPEN_ROWS(NUMBERS_ROWS_1, NUMBERS_ROWS_1_AS)
#endif

#ifdef NUMBERS_ROWS_2
OPEN_ROWS(NUMBERS_ROWS_2, NUMBERS_ROWS_2_AS)
#endif

#ifdef NUMBERS_NORM_AS
void NUMBERS_NORM_AS(const float *from, float *to, const float *weight);

void NUMBERS_NORM_AS(const float *from, float *to, const float *weight)
{
    norm_rows(from, to, weight, 1);
}
#endif

#ifdef NUMBERS_SOFTMAX_AS
float NUMBERS_SOFTMAX_AS(float *scores, size_t n, float highest);

float NUMBERS_SOFTMAX_AS(float *scores, size_t n, float highest)
{
    return softmax_row(scores, 0, n, highest);
}
#endif

#ifdef NUMBERS_TABLE_AS
#include "pack_tables.h"

void NUMBERS_TABLE_AS(float *table);

void NUMBERS_TABLE_AS(float *table)
{
    ga_pack_angles(NUMBERS_TABLE, table);
}
#endif
