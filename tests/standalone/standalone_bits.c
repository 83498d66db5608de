// standalone_bits.c: a number for the bits of every result: calls that seeds choose, one line each, so that two
// revisions can be compared (tests/tools/compare_bits.sh). Holds nothing against anything itself.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { LAST_SEED = 12, MAX_OTHERS = GA_INTERMEDIATES + 3 };

static const double MOST_FLOPS = 4e6; // of one call: long enough for several tiles of queries and of keys

// -- Hashes ---------------------------------------------------------------------------------------------------------

// FNV-1a (Fowler, Noll, Vo), 64 bits.
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

// -- What a call gives beside its output ----------------------------------------------------------------------------

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
    return !stack || (add_other(others, &call->io.embedding, stack->pool ? batch * call->model->d_model : 0) &&
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
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
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
    subject_drop(&subject);
}

int main(void)
{
    static struct checks checks;
    size_t failed = 0;
    for (size_t m = 0; m < n_ga_test_models; m++) {
        checks = checks_new("bits", 1);
        checks_subject(&checks, ga_test_models[m]->name, "(no variant yet)");
        print_calls(&checks, ga_test_models[m]);
        if (checks.failed > 0) {
            fprintf(stderr, "%s\n", checks.messages);
        }
        failed += checks.failed;
    }
    return failed == 0 ? 0 : 1;
}
