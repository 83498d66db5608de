// load_fixture.h: a model of four roles and a few maps, and files of tensors, for the tests of load.h.
#ifndef GA_TESTS_LOAD_FIXTURE_H
#define GA_TESTS_LOAD_FIXTURE_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

// -- A model of four roles and a few maps ----------------------------------------------------------------------------

enum { OUT = 2, IN = 3, N_ROLES = 4 };
enum { Q_WEIGHT, Q_BIAS, K_WEIGHT, K_BIAS };

static const struct ga_weight_role roles[N_ROLES] = {
    {"q_weight", 2, {OUT, IN}}, {"q_bias", 1, {OUT}}, {"k_weight", 2, {OUT, IN}}, {"k_bias", 1, {OUT}}};

static const struct ga_weight_source plain[N_ROLES] = {
    {.role = Q_WEIGHT, .tensor = "w_q.weight", .rank = 2, .shape = {OUT, IN}},
    {.role = Q_BIAS, .tensor = "w_q.bias", .rank = 1, .shape = {OUT}},
    {.role = K_WEIGHT, .tensor = "w_k.weight", .rank = 2, .shape = {OUT, IN}},
    {.role = K_BIAS, .tensor = "w_k.bias", .rank = 1, .shape = {OUT}},
};
static const struct ga_weight_source stacked[N_ROLES] = {
    {.role = Q_WEIGHT, .tensor = "in_weight", .rank = 2, .shape = {2 * OUT, IN}},
    {.role = Q_BIAS, .tensor = "in_bias", .rank = 1, .shape = {2 * OUT}},
    {.role = K_WEIGHT, .tensor = "in_weight", .rank = 2, .shape = {2 * OUT, IN}, .first = OUT * IN},
    {.role = K_BIAS, .tensor = "in_bias", .rank = 1, .shape = {2 * OUT}, .first = OUT},
};
static const struct ga_weight_source transposed[N_ROLES] = {
    {.role = Q_WEIGHT, .tensor = "c_attn.weight", .rank = 2, .shape = {IN, 2 * OUT}, .transposed = true},
    {.role = Q_BIAS, .tensor = "c_attn.bias", .rank = 1, .shape = {2 * OUT}, .transposed = true},
    {.role = K_WEIGHT, .tensor = "c_attn.weight", .rank = 2, .shape = {IN, 2 * OUT}, .first = OUT, .transposed = true},
    {.role = K_BIAS, .tensor = "c_attn.bias", .rank = 1, .shape = {2 * OUT}, .first = OUT, .transposed = true},
};
static const struct ga_weight_map maps[] = {
    {.name = "plain", .sources = plain},
    {.name = "stacked", .sources = stacked},
    {.name = "transposed", .sources = transposed},
    {.name = "plain_again", .sources = plain},
};
#define MODEL .abi = GA_ABI, .name = "tiny", .roles = roles, .n_roles = N_ROLES
static const struct ga_model any = {MODEL, .maps = maps, .n_maps = 4};

// -- Files ----------------------------------------------------------------------------------------------------------

struct entry {
    const char *name, *dtype;
    size_t rank, shape[2];
};
enum { MAX_ENTRIES = 6 };

static size_t width_of(const char *dtype)
{
    return strcmp(dtype, "F16") == 0 ? 2 : strcmp(dtype, "F64") == 0 ? 8 : 4;
}

static size_t bytes_of(const struct entry *entry)
{
    const size_t rows = entry->rank > 0 ? entry->shape[0] : 1;
    const size_t cols = entry->rank > 1 ? entry->shape[1] : 1;
    return rows * cols * width_of(entry->dtype);
}

// Writes entries, ended by one without a name, as a header; returns the bytes of data it speaks of.
static size_t write_header(const struct entry *entries, char *header)
{
    size_t end = 0;
    strcpy(header, "{");
    for (; entries->name != NULL; entries++) {
        char shape[GA_SHAPE_TEXT];
        ga_shape_text(entries->rank, entries->shape, shape, sizeof shape);
        const size_t begin = end;
        end += bytes_of(entries);
        sprintf(header + strlen(header), "%s\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}",
                begin == 0 ? "" : ",", entries->name, entries->dtype, shape, begin, end);
    }
    strcat(header, "}");
    return end;
}

// A file of these tensors whose data are the floats 0, 1, 2, ... one after another.
static struct ga_weights *weights_of(const struct entry *entries)
{
    static unsigned char bytes[4096];
    char *header = (char *)bytes + 8;
    struct ga_weights *weights = NULL;
    struct ga_error error;
    const size_t data_size = write_header(entries, header);
    const size_t header_size = strlen(header);
    memset(bytes, 0, 8);
    bytes[0] = (unsigned char)header_size;
    bytes[1] = (unsigned char)(header_size >> 8);
    for (size_t i = 0; i < data_size / sizeof(float); i++) {
        const float number = (float)i;
        memcpy(header + header_size + i * sizeof number, &number, sizeof number);
    }
    cr_assert_eq(ga_weights_parse(bytes, 8 + header_size + data_size, "w.safetensors", &weights, &error), GA_OK, "%s",
                 error.text);
    return weights;
}

#define PLAIN                                                                                                \
    {"w_q.weight", "F32", 2, {OUT, IN}}, {"w_q.bias", "F32", 1, {OUT}}, {"w_k.weight", "F32", 2, {OUT, IN}}, \
    {                                                                                                        \
        "w_k.bias", "F32", 1,                                                                                \
        {                                                                                                    \
            OUT                                                                                              \
        }                                                                                                    \
    }
#define STACKED                             \
    {"in_weight", "F32", 2, {2 * OUT, IN}}, \
    {                                       \
        "in_bias", "F32", 1,                \
        {                                   \
            2 * OUT                         \
        }                                   \
    }
#define TRANSPOSED                              \
    {"c_attn.weight", "F32", 2, {IN, 2 * OUT}}, \
    {                                           \
        "c_attn.bias", "F32", 1,                \
        {                                       \
            2 * OUT                             \
        }                                       \
    }

#endif
