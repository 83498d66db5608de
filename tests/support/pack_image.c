// pack_image.c: the model, the folder and the bytes of pack_image.h.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "pack_image.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"

static const struct ga_packed_copy copy = {
    .is_vector = true, .rows = 1, .columns = PACKED / 4 - 1, .stride = PACKED / 4 - 1, .factor = 1.0F};
const struct ga_packed_parts pack_image_parts[1] = {{.count = 1, .copies = &copy, .n_copies = 1}};

void pack_image_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed;
    (void)io;
    (void)scratch;
}

size_t pack_image_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    return batch + q_len + kv_len + threads;
}

const struct ga_weight_role pack_image_roles[1] = {{"q_weight", 1, {PACKED / 4 - 1}}};
const struct ga_variant pack_image_variants[3] = {PACK_FUTURE, PACK_VARIANT("quick", 0, 5, PACKED),
                                                  PACK_VARIANT("plain", 0, 6, PACKED)};
const struct ga_model pack_image_model = PACK_MODEL("tiny", "return {}\n", pack_image_variants);

const struct ga_loaded *pack_image_loaded[2];
unsigned char pack_image[ATTACHED_END + 1];

const struct ga_pack_attachment pack_image_attachment = {
    .name = "_notes", .hash = 77, .bytes = "nineteen\0bytes long", .size = ATTACHED};

static _Alignas(GA_ALIGN) unsigned char blocks[2][3 * GA_ALIGN];
static char folder[64];

bool pack_image_enter(unsigned char before)
{
    bool ok = true;
    memset(blocks, before, sizeof blocks);
    for (size_t v = 0; v < 2; v++) {
        float weights[PACKED / 4];
        for (size_t i = 0; i < PACKED / 4; i++) {
            weights[i] = (float)i + (float)v * 0.5f;
        }
        const struct ga_weight_view view = {.data = weights};
        ok = ok && ga_model_pack(&pack_image_model, &pack_image_variants[1 + v], &view, blocks[v], sizeof blocks[v],
                                 &pack_image_loaded[v], NULL) == GA_OK;
    }
    strcpy(folder, "/tmp/ga_pack_XXXXXX");
    return ok && mkdtemp(folder) != NULL && chdir(folder) == 0;
}

bool pack_image_leave(void)
{
    (void)remove("w.gap");
    return chdir("/") == 0 && rmdir(folder) == 0;
}

static size_t make(size_t count, const struct ga_pack_attachment *attachment)
{
    const bool written = ga_pack_write_with("w.gap", pack_image_loaded, count, 0, attachment, NULL) == GA_OK;
    FILE *file = written ? fopen("w.gap", "rb") : NULL;
    const size_t size = file != NULL ? fread(pack_image, 1, sizeof pack_image, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return size;
}

size_t pack_image_make(size_t count)
{
    return make(count, NULL);
}

size_t pack_image_make_attached(size_t count)
{
    return make(count, &pack_image_attachment);
}

bool pack_image_write(size_t size)
{
    FILE *file = fopen("w.gap", "wb");
    const bool written = file != NULL && fwrite(pack_image, 1, size, file) == size;
    return file != NULL && fclose(file) == 0 && written;
}

void pack_image_seal(void)
{
    ga_write_u64(pack_image + GA_PACK_HEADER - 8, ga_checksum(pack_image, GA_PACK_HEADER - 8));
}

enum ga_status pack_image_try(size_t size, const struct ga_model *model, enum ga_pack_trust trust,
                              struct ga_error *error)
{
    static _Alignas(GA_ALIGN) unsigned char block[GA_ALIGN + PACKED];
    struct ga_pack pack;
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
    enum ga_status status = ga_pack_parse(pack_image, size, "w.gap", &pack, error);
    if (status == GA_OK) {
        status = ga_pack_variant(&pack, model, NULL, &variant, error);
    }
    return status == GA_OK ? ga_pack_load(&pack, model, variant, trust, block, sizeof block, &loaded, error) : status;
}
