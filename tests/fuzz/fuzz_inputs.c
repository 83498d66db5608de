// fuzz_inputs.c: any bytes as the file of inputs of each model's program, and as the tensors it is to compare with:
// refused with a word and no file made, or run into outputs that are finite where the inputs are.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "model_call.h"
#include "weights.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

// -- What came out --------------------------------------------------------------------------------------------------

// True where every number is finite and no larger than most, of whatever type: a program converts what it is given.
// Integers are tame.
static bool is_tame(struct ga_weights *file, const struct ga_tensor *tensor, float most)
{
    const float *numbers = NULL;
    size_t elements = 0;
    if (!ga_weights_are_floats(tensor)) {
        return true;
    }
    fuzz_need(ga_weights_floats(file, tensor, &numbers, NULL) == GA_OK, "%s: no floats", tensor->name);
    bool tame = ga_shape_elements(tensor->rank, tensor->shape, &elements);
    for (size_t i = 0; tame && i < elements; i++) {
        tame = fabsf(numbers[i]) <= most;
    }
    return tame;
}

// Opens a file that is known to be one; false where all its floats are not tame.
static bool all_tame(const char *path, float most)
{
    struct ga_weights *file;
    struct ga_error error;
    bool tame = true;
    fuzz_need(ga_weights_open(path, &file, &error) == GA_OK, "%s", error.text);
    for (size_t i = 0; i < ga_weights_count(file); i++) {
        tame = tame && is_tame(file, ga_weights_at(file, i), most);
    }
    ga_weights_close(file);
    return tame;
}

// Sums of a few products of a few numbers below 1000 with weights below 1, none of which a norm or a softmax enlarges
// beyond its own size.
static void check_outputs(const struct ga_model *model, const char *in, const char *out)
{
    const float tame_in = 1e3F, tame_out = 1e9F;
    fuzz_need(!all_tame(in, tame_in) || all_tame(out, tame_out), "%s: an output is not finite", model->name);
}

// -- Runs -----------------------------------------------------------------------------------------------------------

// The words of each way to run; IN, OUT and PICTURE stand for paths.
#define IN "<in>"
#define OUT "<out>"
#define PICTURE "<picture>"
#define RANDOM "--allow-random", "1", "--input", IN

static const char *const ways[][12] = {
    {"run", RANDOM, "--output", OUT, NULL},
    {"run", RANDOM, "--output", OUT, "--step", "2", NULL},
    {"run", RANDOM, "--output", OUT, "--outputs", "output,hidden_all,logits", NULL},
    {"run", RANDOM, "--output", OUT, "--threads", "3", NULL},
    {"check", RANDOM, "--expected", IN, NULL},
    {"draw", RANDOM, "--output", PICTURE, NULL},
    {"generate", RANDOM, "--output", OUT, "--new", "3", NULL},
    {"generate", RANDOM, "--output", OUT, "--new", "2", "--recompute", NULL},
    {"embed", "--allow-random", "1", "--tokens", IN, "--output", OUT, "--rows", "3", NULL},
    {"inspect", IN, NULL},
};
enum { WAYS = sizeof ways / sizeof *ways, MOST_WORDS = 12 };

static void run(const struct ga_model *model, const char *const *way, const char *in, bool html)
{
    const char *out = fuzz_path("out.safetensors"), *picture = fuzz_path(html ? "out.html" : "out.svg");
    const char *words[MOST_WORDS];
    for (size_t i = 0; i < MOST_WORDS; i++) {
        words[i] = way[i] == NULL                 ? NULL
                   : strcmp(way[i], IN) == 0      ? in
                   : strcmp(way[i], OUT) == 0     ? out
                   : strcmp(way[i], PICTURE) == 0 ? picture
                                                  : way[i];
    }
    (void)unlink(out);
    const int code = fuzz_program(model, words);
    fuzz_need(code == 0 || !fuzz_exists(out), "%s %s: a failed run left a file", model->name, way[0]);
    if (code == 0 && fuzz_exists(out)) {
        check_outputs(model, in, out);
    }
}

// True where a tensor of the file has a name by which the model takes one; NULL stands for what is no such file.
static bool concerns(const struct ga_model *model, const struct ga_weights *file)
{
    const char *names[GA_INPUTS];
    const size_t count = ga_input_names(model, names);
    bool any = false;
    for (size_t i = 0; file && !any && i < count; i++) {
        any = ga_weights_find(file, names[i]) != NULL;
    }
    return any;
}

// Models that take none of the tensors all say the same, so that one of them is asked; and every second file, as well
// chosen as any, is simply run.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t hash = fuzz_hash(data, size);
    const char *const *const way = ways[hash % 2 ? 0 : hash / 2 % WAYS];
    const char *in = fuzz_write("in.safetensors", data, size);
    struct ga_weights *file;
    const bool is_file = ga_weights_open(in, &file, NULL) == GA_OK;
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (concerns(ga_test_models[m], is_file ? file : NULL) || hash / 64 % n_ga_test_models == m) {
            run(ga_test_models[m], way, in, hash / 4096 % 2 == 0);
        }
    }
    ga_weights_close(is_file ? file : NULL);
    return 0;
}
