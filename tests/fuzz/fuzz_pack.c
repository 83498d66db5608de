// fuzz_pack.c: any bytes as a file of packed weights: refused with a word, or read as sections that lie within it, of
// which weights whose bytes are whole are taken and run. Bytes change where the header is, and its checksum follows.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "checksum.h"
#include "fuzz.h"
#include "pack_file.h"
#include "support/rng.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static const char label[] = "fuzz.gap";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

// -- Changes --------------------------------------------------------------------------------------------------------

// Sums of the header, and of the first section where it is in the file.
static void seal(struct rng *rng, uint8_t *data, size_t size)
{
    enum { FIRST = 256, SUM = 40, BYTES = 32 };
    if (size >= GA_PACK_HEADER) {
        const uint64_t bytes = ga_read_u64(data + FIRST + BYTES);
        if (rng_below(rng, 2) == 0 && bytes <= size - GA_PACK_HEADER) {
            ga_write_u64(data + FIRST + SUM, ga_checksum_of_parts(data + GA_PACK_HEADER, (size_t)bytes));
        }
        if (rng_below(rng, 2) == 0) {
            ga_write_u64(data + 16, size);
        }
        ga_write_u64(data + GA_PACK_HEADER - 8, ga_checksum(data, GA_PACK_HEADER - 8));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    enum { TABLE = 512 };
    struct rng rng = rng_seeded(seed);
    if (size <= GA_PACK_HEADER || rng_below(&rng, 4) == 0) {
        size = LLVMFuzzerMutate(data, size, max_size);
    } else {
        const size_t first = rng_below(&rng, 2) == 0 ? rng_below(&rng, TABLE) : 0;
        LLVMFuzzerMutate(data + first, TABLE - first, TABLE - first); // where it is shorter then, old bytes follow
    }
    if (rng_below(&rng, 8) > 0) {
        seal(&rng, data, size);
    }
    return size;
}

// -- What must hold -------------------------------------------------------------------------------------------------

static void check_error(enum ga_status status, const struct ga_error *error, const char *what)
{
    fuzz_need(status != GA_OK && status == error->status, "%s: status %d, in the error %d", what, (int)status,
              (int)error->status);
    fuzz_need(strncmp(error->text, label, strlen(label)) == 0, "%s: says \"%s\"", what, error->text);
    for (const char *at = error->text; *at; at++) {
        fuzz_need(*at >= 0x20 && *at < 0x7f, "%s: the error holds byte 0x%02x", what, (unsigned char)*at);
    }
}

static void check_sections(const struct ga_pack *pack, size_t size)
{
    size_t end = GA_PACK_HEADER;
    fuzz_need(pack->n_sections >= 1 && pack->n_sections <= GA_PACK_SECTIONS, "%zu sections", pack->n_sections);
    for (size_t i = 0; i < pack->n_sections; i++) {
        const struct ga_pack_section *section = &pack->sections[i];
        fuzz_need(section->offset >= end && section->offset % GA_PACK_HEADER == 0 && section->offset <= size &&
                      section->bytes <= size - section->offset,
                  "section %zu lies at %zu of %zu bytes", i, section->offset, size);
        end = section->offset + section->bytes;
    }
    fuzz_need(end == size, "the sections end at %zu of %zu", end, size);
}

// Two rows through weights that may hold any numbers.
static void run(const struct ga_model *model, const struct ga_loaded *loaded)
{
    enum { ROWS = 2, ROOM = 64 };
    static const float rows[ROOM];
    static const int32_t tokens[ROOM];
    float output[ROOM];
    const struct ga_variant *variant = ga_loaded_variant(loaded);
    const size_t size = ga_model_scratch_size(model, variant, 1, ROWS, ROWS, 1);
    void *scratch = aligned_alloc(GA_ALIGN, (size + GA_ALIGN - 1) / GA_ALIGN * GA_ALIGN);
    const bool both = model->kind == GA_TRANSFORMER, apart = model->kind == GA_SDPA;
    const struct ga_io io = {
        .batch = 1,
        .q_len = ROWS,
        .kv_len = both || apart ? ROWS : 0,
        .query = rows,
        .key = apart ? rows : NULL,
        .value = apart ? rows : NULL,
        .output = output,
        .key_tokens = both ? tokens : NULL,
    };
    struct ga_error error;
    if (model->cache == 0 && scratch) {
        fuzz_need(ga_model_run(loaded, &io, scratch, size, &error) == GA_OK, "%s: %s", model->name, error.text);
    }
    free(scratch);
}

static void load(const struct ga_pack *pack, const struct ga_model *model, enum ga_pack_trust trust)
{
    struct ga_error error = {.status = GA_OK};
    const struct ga_variant *variant = NULL;
    const struct ga_loaded *loaded = NULL;
    enum ga_status status = ga_pack_variant(pack, model, NULL, &variant, &error);
    if (status != GA_OK) {
        check_error(status, &error, model->name);
        return;
    }
    const size_t size = ga_model_packed_size(variant);
    void *block = aligned_alloc(GA_ALIGN, (size + GA_ALIGN - 1) / GA_ALIGN * GA_ALIGN);
    status = ga_pack_load(pack, model, variant, trust, block, size, &loaded, &error);
    if (status == GA_OK) {
        run(model, loaded);
    } else {
        check_error(status, &error, model->name);
    }
    free(block);
}

// An attachment is given whole or refused, whatever model the weights are of.
static void read_attachments(const struct ga_pack *pack)
{
    for (size_t i = 0; i < pack->n_sections; i++) {
        const struct ga_pack_section *section = &pack->sections[i];
        if (ga_pack_is_attachment(section)) {
            struct ga_error error = {.status = GA_OK};
            void *bytes = malloc(section->bytes + 1);
            const enum ga_status status = ga_pack_read_attachment(pack, section, bytes, &error);
            fuzz_need(section == ga_pack_attachment(pack, section->isa), "section %zu is not found by its name", i);
            if (status != GA_OK) {
                check_error(status, &error, "attachment");
            }
            free(bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ga_pack pack;
    struct ga_error error = {.status = GA_OK};
    const enum ga_status status = ga_pack_parse(data, size, label, &pack, &error);
    if (status != GA_OK) {
        check_error(status, &error, "parse");
        return 0;
    }
    check_sections(&pack, size);
    for (size_t m = 0; m < n_ga_test_models; m++) {
        load(&pack, ga_test_models[m], GA_PACK_VERIFY);
        load(&pack, ga_test_models[m], GA_PACK_TRUST);
    }
    for (size_t i = 0; i < pack.n_sections; i++) {
        (void)ga_pack_verify(&pack, i, NULL);
    }
    read_attachments(&pack);
    ga_pack_close(&pack);
    return 0;
}
