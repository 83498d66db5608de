// demo.c: runs ten sequences of token ids through the generated model `demo`, padded and ragged, holds both against
// what PyTorch made of them, and draws what each head attended to. Proves nothing about speed: that is `bench`.
#define _POSIX_C_SOURCE 200809L // mkdir
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "example.h"
#include "heatmap.h"
#include "load.h"
#include "model.h"
#include "ways.h"
#include "weights.h"

extern const struct ga_model demo_model; // generated from specs/demo.lua

struct options {
    const char *out, *expected, *isa;
    size_t sequence; // the one that is drawn, from 1
};

enum { PADDED, RAGGED, WAYS };
enum { PATH = 4096 + 64 }; // the longest folder the system takes, and a file in it

struct demo {
    struct options options;
    struct example_batch batch;
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
    void *packed;
    struct way ways[WAYS];
};

// -- Weights: a file, its views, panels -----------------------------------------------------------------------------

static enum ga_status pack(struct demo *demo, struct ga_weights *weights, struct ga_error *error)
{
    struct ga_weight_view *views = calloc(demo_model.n_roles, sizeof *views);
    size_t size = ga_model_packed_size(demo->variant);
    demo->packed = ga_block_new(size);
    enum ga_status status = GA_OK;
    if (!views || !demo->packed) {
        status = ga_fail(error, GA_MEMORY, "no memory for %zu bytes of packed weights", size);
    }
    if (status == GA_OK) {
        status = ga_load_views(&demo_model, weights, NULL, views, error);
    }
    if (status == GA_OK) {
        status = ga_model_pack(&demo_model, demo->variant, views, demo->packed, size, &demo->loaded, error);
    }
    free(views);
    return status;
}

static enum ga_status load(struct demo *demo, struct ga_error *error)
{
    char path[PATH];
    struct ga_weights *weights = NULL;
    snprintf(path, sizeof path, "%s/weights.safetensors", demo->options.out);
    enum ga_status status = example_write_weights(path, error);
    if (status == GA_OK) {
        status = ga_weights_open(path, &weights, error);
    }
    if (status == GA_OK) {
        status = pack(demo, weights, error);
    }
    ga_weights_close(weights);
    return status;
}

// -- The picture ----------------------------------------------------------------------------------------------------

enum { LABEL = 24 };

struct labels {
    char text[EXAMPLE_LENGTH][LABEL];
    const char *pointers[EXAMPLE_LENGTH];
};

static void label_tokens(const int32_t *tokens, size_t length, struct labels *labels)
{
    for (size_t i = 0; i < length; i++) {
        snprintf(labels->text[i], LABEL, "%d", (int)tokens[i]);
        labels->pointers[i] = labels->text[i];
    }
}

// A panel for each head of sequence s, from 0.
static void fill_panels(const struct way *way, size_t s, char titles[EXAMPLE_HEADS][LABEL],
                        struct ga_heatmap_panel panels[EXAMPLE_HEADS])
{
    for (size_t h = 0; h < EXAMPLE_HEADS; h++) {
        const float *head = way->attention + (s * EXAMPLE_HEADS + h) * EXAMPLE_LENGTH * EXAMPLE_LENGTH;
        snprintf(titles[h], LABEL, "head %zu", h + 1);
        panels[h] = (struct ga_heatmap_panel){.title = titles[h], .values = head, .row_stride = EXAMPLE_LENGTH};
    }
}

static enum ga_status draw(const struct demo *demo, struct ga_error *error)
{
    size_t s = demo->options.sequence - 1;
    size_t length = (size_t)demo->batch.lengths[s];
    char path[PATH], title[64], titles[EXAMPLE_HEADS][LABEL];
    struct labels labels;
    struct ga_heatmap_panel panels[EXAMPLE_HEADS];
    label_tokens(demo->batch.tokens[s], length, &labels);
    fill_panels(&demo->ways[RAGGED], s, titles, panels);
    snprintf(path, sizeof path, "%s/attention.svg", demo->options.out);
    snprintf(title, sizeof title, "Sequence %zu: what each token attends to", s + 1);
    struct ga_heatmap map = {
        .title = title,
        .subtitle = "Untrained weights; every row sums to 1; equal tokens have equal rows, there being no positions",
        .row_axis = "query tokens",
        .col_axis = "key tokens",
        .value_name = "attention weight",
        .rows = length,
        .cols = length,
        .row_labels = labels.pointers,
        .col_labels = labels.pointers,
        .panels = panels,
        .n_panels = EXAMPLE_HEADS,
    };
    return ga_heatmap_write(path, GA_HEATMAP_SVG, &map, error);
}

// -- The table ------------------------------------------------------------------------------------------------------

static void print_model(const struct demo *demo)
{
    const struct ga_variant *variant = demo->variant;
    printf("model    %s: %zu heads of %zu, d_model %zu, vocabulary %zu, lengths %zu..%zu\n", demo_model.name,
           demo_model.n_heads, demo_model.d_head, demo_model.d_model, demo_model.vocab_size, demo_model.q_len.min,
           demo_model.q_len.max);
    printf("weights  %s/weights.safetensors\n", demo->options.out);
    for (size_t k = 0; k < variant->n_kernels; k++) {
        const struct ga_kernel_info *kernel = &variant->kernels[k];
        printf("%-8s %-30s tile %-5s  %s\n", k ? "" : "kernels", kernel->name, kernel->tile, kernel->what);
    }
    printf("output   [%d, %d, %d]\n\n", EXAMPLE_SEQUENCES, EXAMPLE_LENGTH, EXAMPLE_D_MODEL);
}

static void print_ways(const struct demo *demo)
{
    const struct way *ways = demo->ways;
    double fewer = 1.0 - (double)ways[RAGGED].rows / (double)ways[PADDED].rows;
    double faster = 1.0 - way_median(&ways[RAGGED]) / way_median(&ways[PADDED]);
    printf("         %6s  %13s  %12s\n", "tokens", "time per call", "from PyTorch");
    for (size_t w = 0; w < WAYS; w++) {
        printf("%-8s %6zu  %10.3f ms  %12.1e\n", ways[w].name, ways[w].rows, way_median(&ways[w]), ways[w].difference);
    }
    printf("\nThe ragged way computes %.0f %% fewer tokens and takes %.0f %% less time (medians of %zu calls, %s).\n",
           100.0 * fewer, 100.0 * faster, ways[RAGGED].calls, demo->variant->isa);
    printf("Picture of sequence %zu: %s/attention.svg\n", demo->options.sequence, demo->options.out);
}

// True where both ways agree with PyTorch; else says on stderr how far they are off.
static bool agrees(const struct demo *demo)
{
    bool good = true;
    for (size_t w = 0; w < WAYS; w++) {
        if (demo->ways[w].beyond > 0) {
            fprintf(stderr, "demo: %s: %zu elements differ from PyTorch's by more than %g + %g |x|, by %g at most\n",
                    demo->ways[w].name, demo->ways[w].beyond, WAY_ABSOLUTE, WAY_RELATIVE, demo->ways[w].difference);
            good = false;
        }
    }
    return good;
}

// -- The program ----------------------------------------------------------------------------------------------------

static const char help[] =
    "usage: demo [--out DIR] [--expected FILE] [--sequence N] [--isa NAME]\n"
    "Runs ten sequences of token ids through the generated model, padded and ragged, and compares with PyTorch.\n\n"
    "  --out DIR        where weights.safetensors and attention.svg go [out/demo]\n"
    "  --expected FILE  PyTorch's results [demo/expected/demo.safetensors]\n"
    "  --sequence N     the sequence that is drawn, 1..10 [8, the longest]\n"
    "  --isa NAME       the kernels to run [the best this CPU has]\n"
    "  --help           this text\n";

enum { EXIT_USAGE = 2, GO_ON = -1 };

// 0 where the text is no number.
static size_t sequence_number(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    return end == text || *end ? 0 : number;
}

// The exit status where the program should not go on.
static int check_options(const struct options *options, const char *unexpected)
{
    if (unexpected) {
        fprintf(stderr, "demo: unexpected argument %s, see --help\n", unexpected);
        return EXIT_USAGE;
    }
    if (options->sequence < 1 || options->sequence > EXAMPLE_SEQUENCES) {
        fprintf(stderr, "demo: --sequence takes 1..%d, see --help\n", EXAMPLE_SEQUENCES);
        return EXIT_USAGE;
    }
    return GO_ON;
}

static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"out", required_argument, NULL, 'o'},      {"expected", required_argument, NULL, 'e'},
        {"sequence", required_argument, NULL, 's'}, {"isa", required_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    for (int letter; (letter = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (letter) {
        case 'o':
            options->out = optarg;
            break;
        case 'e':
            options->expected = optarg;
            break;
        case 's':
            options->sequence = sequence_number(optarg);
            break;
        case 'i':
            options->isa = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_SUCCESS;
        default:
            fputs("demo: see --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    return check_options(options, optind < argc ? argv[optind] : NULL);
}

static enum ga_status prepare(struct demo *demo, struct ga_error *error)
{
    if (mkdir(demo->options.out, 0777) != 0 && errno != EEXIST) {
        return ga_fail(error, GA_IO, "%s: cannot be made: %s", demo->options.out, strerror(errno));
    }
    demo->batch = example_batch();
    demo->ways[PADDED].name = "padded";
    demo->ways[PADDED].rows = EXAMPLE_TOKENS;
    demo->ways[RAGGED].name = "ragged";
    demo->ways[RAGGED].rows = demo->batch.rows;
    demo->ways[RAGGED].lengths = demo->batch.lengths;
    return ga_model_variant(&demo_model, demo->options.isa, &demo->variant, error);
}

static enum ga_status run(struct demo *demo, struct ga_error *error)
{
    return ways_run(demo->ways, WAYS, demo->loaded, demo->batch.tokens[0], error);
}

static enum ga_status compare(struct demo *demo, struct ga_error *error)
{
    return ways_compare(demo->ways, WAYS, demo->options.expected, error);
}

static enum ga_status show(struct demo *demo, struct ga_error *error)
{
    enum ga_status (*const steps[])(struct demo *, struct ga_error *) = {prepare, load, run, compare};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        enum ga_status status = steps[i](demo, error);
        if (status != GA_OK) {
            return status;
        }
    }
    print_model(demo);
    print_ways(demo);
    return draw(demo, error);
}

int main(int argc, char **argv)
{
    struct options options = {.out = "out/demo", .expected = "demo/expected/demo.safetensors", .sequence = 8};
    int answer = read_options(argc, argv, &options);
    if (answer != GO_ON) {
        return answer;
    }
    struct demo *demo = calloc(1, sizeof *demo);
    if (!demo) {
        fputs("demo: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    demo->options = options;
    struct ga_error error;
    enum ga_status status = show(demo, &error);
    if (status != GA_OK) {
        fprintf(stderr, "demo: %s\n", error.text);
    }
    bool good = status == GA_OK && agrees(demo);
    ga_block_free(demo->packed);
    free(demo);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
