// test_call_lists.c: what a stack writes layer by layer, by lists of pointers, lies apart from everything else of the
// call, to the byte, and is aligned; so are the lists. Other pointers of a call are test_call_memory.c's.
#include "call_fixture.h"

enum {
    HIDDEN = Q_ROWS * D_MODEL * 4,
    ATTENTION = Q_ROWS * HEADS * Q_LEN * 4,
    CROSS = Q_ROWS * HEADS * KV_LEN * 4,
    SOURCE = K_ROWS * HEADS * KV_LEN * 4,
};

// An entry of a list, of so many bytes, beside and over an object.
static void check_entry(float **entry, const char *what, size_t size, const struct object *object)
{
    *entry = (float *)(void *)(object->start + object->bytes - 4);
    expect_refused(what, object->name);
    *entry = (float *)(void *)(object->start - size + 4);
    expect_refused(what, object->name);
    *entry = (float *)(void *)(object->start + object->bytes);
    expect_taken(what, object->name);
    *entry = NULL;
}

static void check_entries(unsigned char *start, size_t bytes)
{
    const struct object object = {"another tensor", start, bytes, true};
    check_entry(&hidden[1], "hidden[1]", HIDDEN, &object);
    check_entry(&attention[1], "layer_attention[1]", ATTENTION, &object);
    check_entry(&cross[1], "layer_cross_attention[1]", CROSS, &object);
    check_entry(&source[1], "src_layer_attention[1]", SOURCE, &object);
}

Test(call_lists, what_layers_give_is_apart_from_all_and_each_other)
{
    make(1);
    for (size_t o = 0; o < N_OBJECTS; o++) {
        check_entries(objects[o].start, objects[o].bytes);
    }
    for (size_t f = 0; f < N_FIELDS; f++) {
        if (has(1, &fields[f])) {
            put(&fields[f], pair + LANE);
            check_entries(pair + LANE, bytes_of(&fields[f]));
            point(1);
        }
    }
    hidden[0] = (float *)(void *)(pair + LANE);
    check_entries(pair + LANE, HIDDEN);
    hidden[0] = NULL;
    attention[0] = (float *)(void *)(pair + LANE);
    const struct object object = {"another tensor", pair + LANE, ATTENTION, true};
    check_entry(&attention[1], "layer_attention[1]", ATTENTION, &object);
    check_entry(&cross[1], "layer_cross_attention[1]", CROSS, &object);
    check_entry(&source[1], "src_layer_attention[1]", SOURCE, &object);
}

Test(call_lists, lists_and_what_they_point_to_are_aligned)
{
    struct ga_error error;
    make(1);
    io->hidden = (float *const *)(void *)(list_room + LANE + 4);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    io->hidden = hidden;
    io->layer_attention = (float *const *)(void *)(attention_room + LANE + 4);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    io->layer_attention = attention;
    io->layer_cross_attention = (float *const *)(void *)(cross_room + LANE + 4);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    io->layer_cross_attention = cross;
    io->src_layer_attention = (float *const *)(void *)(source_room + LANE + 4);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    io->src_layer_attention = source;
    attention[1] = (float *)(void *)(pair + 1);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    cr_expect(strstr(error.text, "layer_attention[1]"), "%s", error.text);
    attention[1] = NULL;
    cross[1] = (float *)(void *)(pair + 1);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    cr_expect(strstr(error.text, "layer_cross_attention[1]"), "%s", error.text);
    cross[1] = NULL;
    source[1] = (float *)(void *)(pair + 1);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    cr_expect(strstr(error.text, "src_layer_attention[1]"), "%s", error.text);
    source[1] = NULL;
    hidden[2] = (float *)(void *)(pair + 1);
    cr_expect_eq(run(&error), GA_ALIGNMENT, "%s", error.text);
    cr_expect(strstr(error.text, "hidden[2]"), "%s", error.text);
}
