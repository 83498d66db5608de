// standalone_bits.c: a number for the bits of every result: calls that seeds choose, one line each, and the tokens that
// a model with a cache and logits chooses one after the other; for tests/bits/bits.lua, and so that two revisions can
// be compared (tests/tools/compare_bits.sh). Weights and inputs are whole-number arithmetic, and a few exact steps, on
// every machine. Holds nothing against anything itself.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cpu.h"
#include "kernels.h"

enum { LAST_SEED = 12, MAX_OTHERS = GA_INTERMEDIATES + 3 };
enum { PROMPT = 5, GREEDY_TOKENS = 64, MEMORY_ROWS = 7 };

static const double MOST_FLOPS = 4e6; // of one call: long enough for several tiles of queries and of keys

// -- Hashes ---------------------------------------------------------------------------------------------------------

// FNV-1a (Fowler, Noll, Vo), 64 bits; the hash of no bytes.
static const uint64_t NO_BYTES = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_of_guard(uint64_t hash, const struct guard *guard)
{
    return guard->data ? hash_of(hash, guard->data, guard->bytes) : hash;
}

// -- What a call gives besides its output ---------------------------------------------------------------------------

struct others {
    struct guard given[MAX_OTHERS];
    size_t count;
};

static bool add_other(struct others *others, float **field, size_t elements)
{
    struct guard *guard = &others->given[others->count++];
    if (elements == 0 || !guard_make(guard, elements * sizeof(float), sizeof(float), GUARD_AT_END)) {
        return elements == 0;
    }
    guard_blank(guard);
    *field = guard->data;
    return true;
}

static bool add_intermediates(struct others *others, struct call *call)
{
    bool ok = true;
    for (size_t i = 0; ok && i < GA_INTERMEDIATES; i++) {
        if (call->model->intermediates[i]) {
            size_t shape[4], elements = 1;
            const size_t kv_len = call->io.kv_len ? call->io.kv_len : call->io.q_len;
            const size_t rank = ga_intermediate_shape(call->model, (enum ga_intermediate)i, call->shape.batch,
                                                      call->shape.q_len, kv_len, shape);
            for (size_t axis = 0; axis < rank; axis++) {
                elements *= shape[axis];
            }
            ok = add_other(others, &call->io.intermediates[i], elements);
        }
    }
    return ok;
}

static bool add_stack_outputs(struct others *others, struct call *call)
{
    const struct ga_stack *stack = call->model->stack;
    const size_t batch = call->shape.batch, rows = batch * call->shape.q_len;
    return !stack || (add_other(others, &call->io.embedding, batch * stack->d_embedding) &&
                      add_other(others, &call->io.logits, rows * stack->n_logits) &&
                      add_other(others, &call->io.last_logits, batch * stack->n_logits));
}

static void drop_others(struct others *others)
{
    for (size_t i = 0; i < others->count; i++) {
        guard_drop(&others->given[i]);
    }
}

// -- One call -------------------------------------------------------------------------------------------------------

static void print_bits(struct checks *checks, const struct subject *subject, struct call *call, uint64_t seed)
{
    static const enum call_buffer outputs[] = {CALL_OUTPUT, CALL_ATTENTION, CALL_ATTENTION_MEAN};
    struct others others = {.count = 0};
    const bool ok = add_intermediates(&others, call) && add_stack_outputs(&others, call);
    for (size_t v = 0; checks_need(checks, ok, "no memory") && v < subject->n_loaded; v++) {
        uint64_t hash = NO_BYTES;
        if (call_run(call, checks, subject, v)) {
            for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
                hash = hash_of_guard(hash, &call->buffers[outputs[i]]);
            }
            for (size_t i = 0; i < others.count; i++) {
                hash = hash_of_guard(hash, &others.given[i]);
            }
            printf("%s %s %" PRIu64 " %016" PRIx64 "\n", call->model->name, ga_loaded_variant(subject->loaded[v])->isa,
                   seed, hash);
        }
    }
    drop_others(&others);
}

// -- Tokens one after the other -------------------------------------------------------------------------------------

static bool chooses_tokens(const struct ga_model *model)
{
    return model->kind != GA_TRANSFORMER && model->stack && model->cache > PROMPT && model->vocab_size > 0 &&
           model->stack->n_logits == model->vocab_size && model->q_len.min == 1 && model->q_len.max >= PROMPT;
}

// What a run of tokens needs: its memory, and the call.
struct greedy {
    struct checks *checks;
    const struct ga_loaded *loaded;
    struct guard cache, scratch, logits, memory;
    int32_t tokens[PROMPT];
    struct ga_io io;
};

// A decoder's memory comes with the first call alone.
static bool make_memory(struct greedy *greedy, const struct ga_model *model)
{
    if (!shapes_has_memory(model)) {
        return true;
    }
    struct rng rng = rng_seeded(model->d_model + 2000);
    greedy->io.kv_len = shapes_clamp(&model->kv_len, MEMORY_ROWS);
    const size_t elements = greedy->io.kv_len * model->k_dim;
    if (!guard_make(&greedy->memory, elements * sizeof(float), sizeof(float), GUARD_AT_END)) {
        return false;
    }
    rng_fill_normal(&rng, greedy->memory.data, elements, 1);
    greedy->io.key = greedy->memory.data;
    return true;
}

static bool make_greedy(struct greedy *greedy, const struct subject *subject, size_t v)
{
    const struct ga_model *model = subject->model;
    const struct ga_variant *variant = ga_loaded_variant(subject->loaded[v]);
    *greedy = (struct greedy){.checks = greedy->checks, .loaded = subject->loaded[v]};
    greedy->io = (struct ga_io){.batch = 1, .q_len = PROMPT, .tokens = greedy->tokens};
    for (int32_t i = 0; i < PROMPT; i++) {
        greedy->tokens[i] = (7 * i + 1) % (int32_t)model->vocab_size;
    }
    const size_t bytes = ga_model_scratch_size(model, variant, 1, PROMPT, shapes_clamp(&model->kv_len, MEMORY_ROWS), 1);
    const bool ok = guard_make(&greedy->logits, model->vocab_size * sizeof(float), sizeof(float), GUARD_AT_END) &&
                    guard_make(&greedy->scratch, bytes, GA_ALIGN, GUARD_AT_END) && make_memory(greedy, model) &&
                    call_new_cache(&greedy->cache, greedy->checks, subject, v, 1, model->cache);
    greedy->io.last_logits = greedy->logits.data;
    greedy->io.cache = greedy->cache.data;
    return ok;
}

static void drop_greedy(struct greedy *greedy)
{
    guard_drop(&greedy->logits);
    guard_drop(&greedy->scratch);
    guard_drop(&greedy->memory);
    guard_drop(&greedy->cache);
}

// The first of the largest logits.
static int32_t largest(const float *logits, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = logits[i] > logits[best] ? i : best;
    }
    return (int32_t)best;
}

// The hash of `count` tokens and their logits; each call after the first takes the token before.
static uint64_t choose_tokens(struct greedy *greedy, size_t count)
{
    uint64_t hash = NO_BYTES;
    struct ga_error error = {.text = ""};
    for (size_t t = 0; t < count; t++) {
        const enum ga_status status =
            ga_model_run(greedy->loaded, &greedy->io, greedy->scratch.data, greedy->scratch.bytes, &error);
        if (!checks_need(greedy->checks, status == GA_OK, "token %zu: %s", t, error.text)) {
            return hash;
        }
        greedy->tokens[0] = largest(greedy->logits.data, greedy->logits.bytes / sizeof(float));
        hash = hash_of_guard(hash_of(hash, greedy->tokens, sizeof greedy->tokens[0]), &greedy->logits);
        greedy->io.q_len = 1;
        greedy->io.key = NULL;
        greedy->io.kv_len = 0;
    }
    return hash;
}

// As many tokens as the cache has room for, at most 64.
static void print_tokens(struct checks *checks, const struct subject *subject)
{
    const struct ga_model *model = subject->model;
    const size_t room = model->cache - PROMPT + 1, count = room < GREEDY_TOKENS ? room : GREEDY_TOKENS;
    for (size_t v = 0; chooses_tokens(model) && v < subject->n_loaded; v++) {
        struct greedy greedy = {.checks = checks};
        const char *isa = ga_loaded_variant(subject->loaded[v])->isa;
        checks_subject(checks, model->name, isa);
        if (checks_need(checks, make_greedy(&greedy, subject, v), "no memory for tokens")) {
            printf("%s.greedy %s %zu %016" PRIx64 "\n", model->name, isa, count, choose_tokens(&greedy, count));
        }
        drop_greedy(&greedy);
    }
}

// -- A model ---------------------------------------------------------------------------------------------------------

static void print_calls(struct checks *checks, const struct ga_model *model)
{
    struct subject subject;
    const bool ok = subject_make(&subject, checks, model, weights_random, false);
    for (uint64_t seed = 1; ok && seed <= LAST_SEED; seed++) {
        const struct shapes shapes = shapes_random(model, seed, MOST_FLOPS);
        struct call call;
        if (checks_need(checks, call_make(&call, model, &shapes.list[0], GUARD_AT_END), "no memory for the call")) {
            call_fill(&call);
            print_bits(checks, &subject, &call, seed);
            call_drop(&call);
        }
    }
    if (ok) {
        print_tokens(checks, &subject);
    }
    subject_drop(&subject);
}

// Sets that are in the build and not in this CPU.
static void print_lacking(const struct ga_model *model)
{
    for (size_t v = 0; v < model->n_variants; v++) {
        if (!ga_cpu_has(model->variants[v].cpu)) {
            printf("- %s: this CPU lacks it\n", model->variants[v].isa);
        }
    }
}

int main(void)
{
    static struct checks checks;
    size_t failed = 0;
    (void)ga_cpu_allow_amx();
    for (size_t m = 0; m < n_ga_test_models; m++) {
        checks = checks_new("bits", 1);
        checks_subject(&checks, ga_test_models[m]->name, "(no variant yet)");
        print_calls(&checks, ga_test_models[m]);
        print_lacking(ga_test_models[m]);
        if (checks.failed > 0) {
            fprintf(stderr, "%s\n", checks.messages);
        }
        failed += checks.failed;
    }
    return failed == 0 ? 0 : 1;
}
