// fuzz_text.c: any text where the program reads text: numbers of options, names of outputs, lines of token ids, labels
// of a picture, tensors to compare with, an index of shards. The first byte says which.
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "model_call.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_TEXT = 4096 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

// One query of three rows, for three labels.
static const char *query_file(void)
{
    static const char header[] = "{\"query\":{\"dtype\":\"F32\",\"shape\":[3,4],\"data_offsets\":[0,48]}}  ";
    unsigned char bytes[8 + sizeof header - 1 + 48] = {sizeof header - 1};
    memcpy(bytes + 8, header, sizeof header - 1);
    return fuzz_write("in.safetensors", bytes, sizeof bytes);
}

// -- Options --------------------------------------------------------------------------------------------------------

static void read_numbers(const char *text)
{
    const struct ga_context context = {.model = fuzz_model("fuzz_stack"), .program = "fuzz"};
    const struct ga_range range = {3, 1000};
    struct ga_sizes sizes = {.count = 0};
    size_t size = 0;
    double real = 0;
    uint64_t seed;
    fuzz_listen_begin();
    fuzz_need(ga_read_size(&context, "size", text, range, &size) != GA_EXIT_OK || (size >= 3 && size <= 1000),
              "read %zu", size);
    if (ga_read_sizes(&context, "sizes", text, range, &sizes) == GA_EXIT_OK) {
        fuzz_need(sizes.count >= 1 && sizes.count <= GA_MAX_SIZES, "read %zu sizes", sizes.count);
        for (size_t i = 0; i < sizes.count; i++) {
            fuzz_need(sizes.items[i] >= 3 && sizes.items[i] <= 1000, "read %zu", sizes.items[i]);
        }
    }
    fuzz_need(ga_read_real(&context, "real", text, -1, 2, &real) != GA_EXIT_OK || (real >= -1 && real <= 2), "read %g",
              real);
    (void)ga_read_seed(&context, "seed", text, &seed);
    fuzz_need(ga_read_threads(&context, text, &size) != GA_EXIT_OK || (size >= 1 && size <= GA_MAX_THREADS),
              "read %zu threads", size);
    fuzz_listen_end(0);
}

// Every option of a command that takes a value gets the text, but those that name a file to write.
static void give_options(const char *text)
{
    static const char *const options[] = {"--allow-random", "--weights-layout", "--isa",   "--step",
                                          "--outputs",      "--threads",        "--input", "--weights"};
    const struct ga_model *model = fuzz_model("fuzz_cache");
    const char *const out = fuzz_path("out.safetensors"), *const in = query_file();
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *const words[] = {"run", "--allow-random", "7",  "--input", in, "--output",
                                     out,   options[i],       text, NULL};
        if (strcmp(options[i], "--threads") != 0 || strlen(text) < 2) { // a pool of many takes a while to start
            (void)fuzz_program(model, words);
        }
    }
    const char *const alone[] = {text, "--help", NULL}, *const help[] = {"run", text, NULL};
    (void)fuzz_program(model, alone);
    (void)fuzz_program(model, help);
}

// -- Files ----------------------------------------------------------------------------------------------------------

static void embed(const uint8_t *text, size_t size)
{
    const char *path = fuzz_write("in.txt", text, size), *out = fuzz_path("out.safetensors");
    const char *const plain[] = {"embed", "--allow-random", "1", "--tokens", path, "--output", out, NULL};
    const char *const cut[] = {"embed", "--allow-random", "1",      "--tokens", path, "--output",
                               out,     "--cut",          "--rows", "4",        NULL};
    (void)unlink(out);
    const int code = fuzz_program(fuzz_model("fuzz_stack"), plain);
    fuzz_need((code == 0) == fuzz_exists(out), "embed: exit code %d", code);
    (void)fuzz_program(fuzz_model("fuzz_stack"), cut);
}

static void draw(const uint8_t *text, size_t size)
{
    const char *labels = fuzz_write("in.txt", text, size), *in = query_file(), *out = fuzz_path("out.svg");
    const char *const words[] = {"draw", "--allow-random", "1",    "--input", in, "--output",
                                 out,    "--tokens",       labels, NULL};
    (void)fuzz_program(fuzz_model("fuzz_layer"), words);
}

static void compare(const uint8_t *bytes, size_t size)
{
    const char *expected = fuzz_write("other.safetensors", bytes, size), *in = query_file();
    const char *const words[] = {"check", "--allow-random", "1", "--input", in, "--expected", expected, NULL};
    (void)fuzz_program(fuzz_model("fuzz_layer"), words);
}

// The one shard there is holds a tensor named query.
static void read_index(const uint8_t *text, size_t size)
{
    const char *index = fuzz_write("in.index.json", text, size);
    struct ga_weights *weights = (void *)&weights;
    struct ga_error error = {.status = GA_OK};
    (void)query_file();
    const enum ga_status status = ga_weights_open_model(index, NULL, &weights, &error);
    if (status == GA_OK) {
        fuzz_need(ga_weights_count(weights) == 1 && ga_weights_find(weights, "query"), "the shard has other tensors");
        ga_weights_close(weights);
    } else {
        fuzz_need(weights == NULL && error.status == status && error.text[0], "status %d, %s", (int)status, error.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MOST_TEXT];
    if (size < 2 || size > MOST_TEXT) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0]) {
    case 'n':
        read_numbers(text);
        break;
    case 'o':
        give_options(text);
        break;
    case 'e':
        embed(data + 1, size - 1);
        break;
    case 'd':
        draw(data + 1, size - 1);
        break;
    case 'i':
        read_index(data + 1, size - 1);
        break;
    case 'c':
        compare(data + 1, size - 1);
        break;
    default:
        break;
    }
    return 0;
}
