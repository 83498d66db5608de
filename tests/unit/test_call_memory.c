// test_call_memory.c: what a call writes lies apart from everything else of it, to the byte: every output against every
// input and output, the scratch, the cache, the weights, struct ga_io itself and what it points to. On hand-written
// models whose kernels do nothing.
#include "call_fixture.h"

// -- Tensors against tensors ----------------------------------------------------------------------------------------

// Two fields, the second from `offset` bytes after the first one's start on.
static void place(const struct field *first, const struct field *second, size_t offset)
{
    put(first, pair);
    put(second, pair + offset);
}

static void check_pair(size_t m, const struct field *a, const struct field *b)
{
    place(a, b, 0);
    expect_refused(a->name, b->name);
    place(a, b, bytes_of(a) - b->width);
    expect_refused(a->name, b->name);
    place(a, b, bytes_of(a));
    expect_taken(a->name, b->name);
    place(b, a, bytes_of(b) - a->width);
    expect_refused(a->name, b->name);
    place(b, a, bytes_of(b));
    expect_taken(a->name, b->name);
    point(m);
}

Test(call_memory, outputs_are_apart_from_every_other_tensor)
{
    for (size_t m = 0; m < N_MODELS; m++) {
        make(m);
        expect_taken(models[m].model.name, "itself");
        for (size_t a = 0; a < N_FIELDS; a++) {
            for (size_t b = 0; b < N_FIELDS && fields[a].is_written && has(m, &fields[a]); b++) {
                if (a != b && has(m, &fields[b])) {
                    check_pair(m, &fields[a], &fields[b]);
                }
            }
        }
    }
}

Test(call_memory, inputs_may_share_memory)
{
    make(0);
    io->q_lengths = io->kv_lengths = io->position = io->kv_position = (const int32_t *)(const void *)pair;
    io->query = io->key = io->value = (const float *)(const void *)pair;
    io->mask = pair;
    expect_taken("all inputs", "each other");
}

// -- Tensors against what is none -----------------------------------------------------------------------------------

static void check_object(size_t m, const struct field *field, const struct object *object)
{
    const size_t bytes = bytes_of(field);
    const struct {
        const unsigned char *at;
        bool is_apart;
    } places[] = {
        {object->start, false},
        {object->start + object->bytes - field->width, false},
        {object->start + object->bytes, true},
        {object->start - bytes + field->width, false},
        {object->start - bytes, true},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        put(field, places[i].at);
        if (places[i].is_apart) {
            memset((void *)(uintptr_t)places[i].at, 0, bytes);
            expect_taken(field->name, object->name);
        } else {
            expect_refused(field->name, object->name);
        }
    }
    point(m);
}

Test(call_memory, outputs_are_apart_from_scratch_cache_weights_and_structs)
{
    size_t checked = 0;
    for (size_t m = 0; m < N_MODELS; m++) {
        make(m);
        for (size_t f = 0; f < N_FIELDS; f++) {
            for (size_t o = 0; o < N_OBJECTS && has(m, &fields[f]); o++) {
                if (objects[o].bytes > 0 && (fields[f].is_written || objects[o].is_written)) {
                    check_object(m, &fields[f], &objects[o]);
                    checked++;
                }
            }
        }
    }
    cr_expect_eq(checked, 12 * 6 + 8 * 2 + 2 * (6 * 10 + 9 * 2), "%zu", checked);
}

// Where scratch would lie in each of the others; the cache where weights would lie.
Test(call_memory, scratch_and_cache_are_apart_from_weights_and_structs)
{
    make(1);
    unsigned char *const own = objects[SCRATCH_OBJECT].start;
    for (size_t o = SCRATCH_OBJECT + 1; o < N_OBJECTS; o++) {
        objects[SCRATCH_OBJECT].start = objects[o].start;
        expect_refused("scratch", objects[o].name);
        objects[SCRATCH_OBJECT].start = objects[o].start - objects[SCRATCH_OBJECT].bytes;
        expect_taken("scratch", objects[o].name);
    }
    objects[SCRATCH_OBJECT].start = own;
    loaded->packed = objects[CACHE_OBJECT].start + objects[CACHE_OBJECT].bytes - GA_ALIGN;
    expect_refused("cache", "the packed weights");
    loaded->packed = objects[CACHE_OBJECT].start + objects[CACHE_OBJECT].bytes;
    expect_taken("cache", "the packed weights");
}

// -- Alignment ------------------------------------------------------------------------------------------------------

// Every pointer of a call but those of masks of bytes, two bytes off.
Test(call_memory, every_pointer_is_aligned)
{
    struct ga_error error;
    for (size_t m = 0; m < N_MODELS; m++) {
        make(m);
        for (size_t f = 0; f < N_FIELDS; f++) {
            if (has(m, &fields[f])) {
                put(&fields[f], pair + 2);
                cr_expect_eq(run(&error), fields[f].width == 1 ? GA_OK : GA_ALIGNMENT, "%s: %s", fields[f].name,
                             error.text);
                cr_expect(fields[f].width == 1 || strstr(error.text, fields[f].name), "%s", error.text);
                point(m);
            }
        }
    }
    loaded->packed = packed_room + LANE + 4;
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    loaded->packed = packed_room + LANE;
}
