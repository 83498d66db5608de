// packed_parts.h: what a variant's packed weights consist of, as constant tables that the generator writes. They hold
// all shapes; pack_weights.c reads them and knows none itself.
#ifndef GA_PACKED_PARTS_H
#define GA_PACKED_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts.h"
#include "tensor.h"

enum { GA_PACKING_REVISION = 1 }; // changes whenever equal tables and weights give other bytes

#define GA_NO_ROLE SIZE_MAX

// The numbers of a linear's panels.
enum ga_panel_numbers {
    GA_PANEL_F32,
    GA_PANEL_F32_SUM,      // floats that are added to what the panel holds
    GA_PANEL_BF16,         // rounded to the nearest
    GA_PANEL_F16,          // rounded to the nearest
    GA_PANEL_BF16_PRODUCT, // the same, but what is smaller than 2^-56 is zero (docs/numbers.md)
    GA_PANEL_I16,          // whole numbers, with a scale for each column of a running sum
    GA_PANEL_INT8,
    GA_PANEL_INT8_G32, // groups of 32 along depth, as group_rounding.h chooses them
    GA_PANEL_INT4_G32,
};

// A running sum of integers begins with the scales of its columns, floats, and if has_totals with the sums of their
// numbers, int32_t. `unit` numbers that follow each other in depth lie side by side.
struct ga_panel_format {
    enum ga_panel_numbers numbers;
    size_t unit;
    bool upper_first; // two lie side by side, the second one first
    bool has_totals;
};

// A sum of blocks of a weight, whose inputs and rows of a head are split in as many parts: block i is part i / parts of
// the inputs and part i % parts of the rows. Blocks are added in order, each times its sign, 1 or -1.
struct ga_block_sum {
    size_t count;
    struct {
        unsigned block;
        float sign;
    } terms[4];
};

// A linear, or one of several whose columns lie side by side: its rows become columns of panels
// [panel][depth][columns]. All panels have `columns` columns, except the last one.
struct ga_packed_linear {
    struct ga_panel_format format;
    size_t weight, bias;       // roles [rows][inputs] and [rows]; bias: GA_NO_ROLE if there is none, or nothing to pack
    float factor;              // of both; exactly 1 for groups
    size_t panels_at, bias_at; // bytes

    size_t rows, heads;           // each head has its own panels for `rows` rows, from column `first` on
    size_t first;                 //
    size_t panels;                // of a head
    size_t columns, last_columns; //
    size_t column_bytes;          // of one column of a panel

    size_t together;                // heads whose panels follow each other; 1 if heads is 1
    size_t head_bytes, run_bytes;   // from a head to the next one of a run; from one run of heads to the next
    size_t head_biases, run_biases; // the same of biases, in floats

    // Zeros follow the inputs of each input head, and all heads have as many bytes of a column. Only floats and bf16
    // have several heads.
    size_t input_heads, inputs;
    const struct ga_block_sum *blocks;   // [input_heads]: each input head is a sum of blocks of [rows][inputs]; or NULL
    size_t parts, first_part, own_parts; // of blocks: of the inputs and of a head's rows; which of the rows are the
        // weight's, as another one may have the others
    size_t sums[2], lengths[2]; // of a head: sums[i] running sums of lengths[i], one kind after the other; the last one
        // may reach beyond the inputs. Floats and bf16: any lengths that are multiples of `unit`
};

// A role as floats: [rows][columns] at `stride`, times `factor`; if `plus` is not 0, plus that. A vector is read as
// rows that follow each other.
struct ga_packed_copy {
    size_t role, at; // at: bytes
    bool is_vector;
    size_t rows, columns, stride;
    float factor, plus;
};

// A role as rows [rows][columns] of GA_BF16, rounded to the nearest, or of GA_I8, integers with a scale of each row
// (row_scales.h), which is kept as bf16 [rows].
struct ga_packed_rows {
    size_t role, at, scales_at; // at, scales_at: bytes; scales_at: unused unless GA_I8
    size_t rows, columns;
    enum ga_dtype dtype;
};

// How the sine and cosine of each pair's angle lie in a row of `width` floats. Sinusoids: an odd width drops the last
// cosine.
enum ga_angles {
    GA_SINUSOIDS,          // sine, cosine of the angle place / theta^(2 pair / width)
    GA_ROTARY_INTERLEAVED, // cosine, sine of the angle place * theta^(-2 pair / width)
    GA_ROTARY_HALF_SPLIT,  // the cosines of all pairs, then their sines
};

// A computed table [places][width].
struct ga_packed_angles {
    enum ga_angles layout;
    size_t at; // bytes
    size_t places, width;
    double theta;
    struct ga_rope_scaling scaling; // of rotary angles
};

// Learned numbers of buckets of distances, by distance: [heads][span]. The role is [buckets][heads].
struct ga_packed_buckets {
    size_t role, at; // at: bytes
    size_t heads, span;
    size_t own;             // the place of distance 0; places after it are of later keys
    const uint32_t *starts; // [side], the smallest distance of each bucket of a side
    size_t side;
    bool has_later; // later keys have `side` buckets of their own; otherwise they have those of distance 0
    float factor;
};

// Rows of a table of relative positions as keys or queries of heads: each row goes through a LayerNorm, if there is
// one, and a linear [heads * width][columns]. Number d of row r of a head lies at
// head * head_floats + r / together * run_floats + r % together * row_stride + d * column_stride.
struct ga_packed_table_product {
    size_t table, norm_weight, norm_bias; // roles that all layers share: [rows][columns], [columns]; or GA_NO_ROLE
    double eps;                           // of the norm
    size_t weight, bias;                  // roles; bias: GA_NO_ROLE if there is none
    float factor;                         // of both
    size_t at;                            // bytes
    size_t rows, columns, heads, width;
    size_t head_floats, together, run_floats, row_stride, column_stride;
};

// Parts that occur `count` times, once for each layer: role r of layer i is roles[first_role + i * n_roles + r], and
// byte b lies at `at` + i * bytes + b. Table products count roles that all layers share from shared_role on.
struct ga_packed_parts {
    size_t count, first_role, n_roles, at, bytes;
    const struct ga_packed_linear *linears;
    size_t n_linears;
    const struct ga_packed_copy *copies;
    size_t n_copies;
    const struct ga_packed_rows *rows;
    size_t n_rows;
    const struct ga_packed_angles *angles;
    size_t n_angles;
    const struct ga_packed_buckets *buckets;
    size_t n_buckets;
    const struct ga_packed_table_product *table_products;
    size_t n_table_products, shared_role;
};

#endif
