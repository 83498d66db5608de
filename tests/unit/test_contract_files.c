// test_contract_files.c: every public call of weight files and of files of packed weights with pointers that are NULL,
// misaligned, out of range, overlapping or another object's. A row a mistake.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "contract.h"
#include "folder.h"
#include "load.h"
#include "pack_file.h"
#include "pack_image.h"

static const struct ga_model bare = {.abi = GA_ABI, .name = "tiny"}; // without maps
static const struct ga_variant stranger = {.isa = "plain"};

// -- Weights --------------------------------------------------------------------------------------------------------

static const char header[] = "{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]},\"b\":"
                             "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}} ";

static struct ga_weights *parse(void)
{
    unsigned char bytes[8 + sizeof header - 1 + 12] = {sizeof header - 1};
    struct ga_weights *parsed = NULL;
    memcpy(bytes + 8, header, sizeof header - 1);
    cr_assert_eq(ga_weights_parse(bytes, sizeof bytes, "w", &parsed, &error), GA_OK, "%s", error.text);
    return parsed;
}

Test(contract_files, weights_of_a_file)
{
    struct ga_weights *w = parse(), *twin = parse();
    const struct ga_tensor *a = ga_weights_at(w, 0), copy = *a;
    const float *floats = NULL;
    uint64_t offset = 77;
    GIVES(0, ga_weights_count(NULL));
    GIVES(NULL, ga_weights_at(NULL, 0));
    GIVES(NULL, ga_weights_at(w, 2));
    GIVES(NULL, ga_weights_at(w, 99));
    GIVES(NULL, ga_weights_at(w, SIZE_MAX));
    GIVES(NULL, ga_weights_find(NULL, "a"));
    GIVES(NULL, ga_weights_find(w, NULL));
    GIVES(NULL, ga_weights_place(NULL, a, &offset));
    GIVES(NULL, ga_weights_place(w, NULL, &offset));
    GIVES(NULL, ga_weights_place(w, &copy, &offset));
    GIVES(NULL, ga_weights_place(twin, a, &offset));
    GIVES(NULL, ga_weights_place(w, OFF(a, 8), &offset));
    GIVES(NULL, ga_weights_place(w, a, NULL));
    GIVES(false, ga_weights_are_floats(NULL));
    cr_expect_eq(offset, 77);
    cr_expect_str_eq(ga_weights_label(NULL), "?");
    REFUSED(ARGUMENT, "weights is NULL", ga_weights_floats(NULL, a, &floats, &error));
    REFUSED(ARGUMENT, "tensor is NULL", ga_weights_floats(w, NULL, &floats, &error));
    REFUSED(ARGUMENT, "floats_out is NULL", ga_weights_floats(w, a, NULL, &error));
    REFUSED(ARGUMENT, "none of these weights", ga_weights_floats(w, &copy, &floats, &error));
    REFUSED(ARGUMENT, "none of these weights", ga_weights_floats(twin, a, &floats, &error));
    REFUSED(ARGUMENT, "none of these weights", ga_weights_floats(w, OFF(a, 8), &floats, &error));
    cr_expect_null(floats);
    ga_weights_close(w);
    ga_weights_close(twin);
}

Test(contract_files, opening_and_writing, .init = folder_enter, .fini = folder_leave)
{
    struct ga_weights *w = NULL;
    const struct ga_tensor nameless = {.dtype = GA_U8, .data = header}, empty = {.name = "a", .dtype = GA_U8},
                           deep = {.name = "a", .dtype = GA_U8, .rank = 9, .data = header};
    REFUSED(ARGUMENT, "path is NULL", ga_weights_open(NULL, &w, &error));
    REFUSED(ARGUMENT, "weights_out is NULL", ga_weights_open("w", NULL, &error));
    REFUSED(ARGUMENT, "path is NULL", ga_weights_open_model(NULL, NULL, &w, &error));
    REFUSED(ARGUMENT, "weights_out is NULL", ga_weights_open_model("w", NULL, NULL, &error));
    REFUSED(ARGUMENT, "bytes is NULL", ga_weights_parse(NULL, 8, "w", &w, &error));
    REFUSED(ARGUMENT, "label is NULL", ga_weights_parse(header, 8, NULL, &w, &error));
    REFUSED(ARGUMENT, "weights_out is NULL", ga_weights_parse(header, 8, "w", NULL, &error));
    REFUSED(ARGUMENT, "path is NULL", ga_weights_write(NULL, &nameless, 1, &error));
    REFUSED(ARGUMENT, "tensors is NULL", ga_weights_write("w", NULL, 1, &error));
    REFUSED(ARGUMENT, "has no name", ga_weights_write("w", &nameless, 1, &error));
    REFUSED(ARGUMENT, "data is NULL", ga_weights_write("w", &empty, 1, &error));
    REFUSED(ARGUMENT, "rank 9", ga_weights_write("w", &deep, 1, &error));
    REFUSED(ARGUMENT, "at most 65536", ga_weights_write("w", &empty, SIZE_MAX, &error));
}

Test(contract_files, loading)
{
    struct ga_weights *w = parse();
    struct ga_weight_view view[1];
    REFUSED(ARGUMENT, "model is NULL", ga_load_views(NULL, w, NULL, view, &error));
    REFUSED(ARGUMENT, "weights is NULL", ga_load_views(&bare, NULL, NULL, view, &error));
    REFUSED(ARGUMENT, "views_out is NULL", ga_load_views(&bare, w, NULL, NULL, &error));
    REFUSED(ARGUMENT, "no weight map", ga_load_views(&bare, w, NULL, view, &error));
    REFUSED(ARGUMENT, "no weight map", ga_load_views(&bare, w, "w_o", view, &error));
    REFUSED(ARGUMENT, "model is NULL", ga_load_check(NULL, w, NULL, &error));
    REFUSED(ARGUMENT, "weights is NULL", ga_load_check(&bare, NULL, NULL, &error));
    GIVES(NULL, ga_load_map(NULL, w, NULL, &error));
    GIVES(NULL, ga_load_map(&bare, NULL, NULL, &error));
    ga_weights_close(w);
}

// -- Packed weights in a file ---------------------------------------------------------------------------------------

static void enter_packed(void)
{
    cr_assert(pack_image_enter(0) && pack_image_make(2) == BOTH_END);
}

static void leave_packed(void)
{
    cr_assert(pack_image_leave());
}

Test(contract_files, a_file_of_packed_weights, .init = enter_packed, .fini = leave_packed)
{
    static _Alignas(GA_ALIGN) unsigned char room[GA_ALIGN + PACKED];
    const struct ga_model *of = &pack_image_model;
    const struct ga_variant *plain = &pack_image_variants[2], *variant = NULL;
    struct ga_pack pack, closed = {0};
    const struct ga_loaded *loaded = NULL;
    cr_assert_eq(ga_pack_parse(pack_image, BOTH_END, "w", &pack, NULL), GA_OK);
    GIVES(false, ga_pack_is(NULL, 8));
    GIVES(false, ga_pack_is_file(NULL));
    REFUSED(ARGUMENT, "path is NULL", ga_pack_open(NULL, &closed, &error));
    REFUSED(ARGUMENT, "pack_out is NULL", ga_pack_open("w", NULL, &error));
    REFUSED(ARGUMENT, "bytes is NULL", ga_pack_parse(NULL, 8, "w", &closed, &error));
    REFUSED(ARGUMENT, "label is NULL", ga_pack_parse(pack_image, 8, NULL, &closed, &error));
    REFUSED(ARGUMENT, "pack_out is NULL", ga_pack_parse(pack_image, 8, "w", NULL, &error));
    REFUSED(ARGUMENT, "pack is NULL", ga_pack_variant(NULL, of, NULL, &variant, &error));
    REFUSED(ARGUMENT, "model is NULL", ga_pack_variant(&pack, NULL, NULL, &variant, &error));
    REFUSED(ARGUMENT, "variant_out is NULL", ga_pack_variant(&pack, of, NULL, NULL, &error));
    REFUSED(ARGUMENT, "was not opened", ga_pack_variant(&closed, of, NULL, &variant, &error));
    REFUSED(ARGUMENT, "pack is NULL", ga_pack_load(NULL, of, plain, 0, room, sizeof room, &loaded, &error));
    REFUSED(ARGUMENT, "model is NULL", ga_pack_load(&pack, NULL, plain, 0, room, sizeof room, &loaded, &error));
    REFUSED(ARGUMENT, "variant is NULL", ga_pack_load(&pack, of, NULL, 0, room, sizeof room, &loaded, &error));
    REFUSED(ARGUMENT, "is NULL", ga_pack_load(&pack, of, plain, 0, NULL, sizeof room, &loaded, &error));
    REFUSED(ARGUMENT, "is NULL", ga_pack_load(&pack, of, plain, 0, room, sizeof room, NULL, &error));
    REFUSED(ARGUMENT, "was not opened", ga_pack_load(&closed, of, plain, 0, room, sizeof room, &loaded, &error));
    REFUSED(ARGUMENT, "another model's", ga_pack_load(&pack, of, &stranger, 0, room, sizeof room, &loaded, &error));
    REFUSED(ALIGNMENT, "64 bytes", ga_pack_load(&pack, of, plain, 0, room + 4, sizeof room, &loaded, &error));
    REFUSED(SIZE, "at least", ga_pack_load(&pack, of, plain, 0, room, sizeof room - 1, &loaded, &error));
    cr_assert_eq(ga_pack_parse(room, sizeof room, "w", &closed, &error), GA_FORMAT);
    struct ga_pack within = pack;
    within.bytes = room + sizeof room - 1;
    REFUSED(ARGUMENT, "overlaps the file's", ga_pack_load(&within, of, plain, 0, room, sizeof room, &loaded, &error));
    cr_expect_null(loaded);
}

Test(contract_files, packed_weights_in_place_and_written, .init = enter_packed, .fini = leave_packed)
{
    const struct ga_model *of = &pack_image_model;
    const struct ga_variant *plain = &pack_image_variants[2];
    const struct ga_loaded nothing = {0}, *const none[] = {NULL}, *const empty[] = {&nothing};
    const struct ga_loaded *const twice[] = {pack_image_loaded[0], pack_image_loaded[0]};
    struct ga_pack pack;
    struct ga_pack_map map;
    cr_assert_eq(ga_pack_parse(pack_image, BOTH_END, "w", &pack, NULL), GA_OK);
    REFUSED(ARGUMENT, "pack is NULL", ga_pack_map(NULL, of, plain, 0, &map, &error));
    REFUSED(ARGUMENT, "is NULL", ga_pack_map(&pack, of, plain, 0, NULL, &error));
    REFUSED(ARGUMENT, "another model's", ga_pack_map(&pack, of, &stranger, 0, &map, &error));
    REFUSED(ARGUMENT, "pack is NULL", ga_pack_verify(NULL, 0, &error));
    REFUSED(ARGUMENT, "no such section", ga_pack_verify(&pack, 2, &error));
    REFUSED(ARGUMENT, "path is NULL", ga_pack_write(NULL, none, 1, &error));
    REFUSED(ARGUMENT, "loaded is NULL", ga_pack_write("w", NULL, 1, &error));
    REFUSED(ARGUMENT, "weights 0 of 1 are NULL", ga_pack_write("w", none, 1, &error));
    REFUSED(ARGUMENT, "holds no weights", ga_pack_write("w", empty, 1, &error));
    REFUSED(ARGUMENT, "expected 1..16", ga_pack_write("w", twice, 0, &error));
    REFUSED(ARGUMENT, "expected 1..16", ga_pack_write("w", twice, 17, &error));
    REFUSED(ARGUMENT, "two of the weights", ga_pack_write("w", twice, 2, &error));
}
