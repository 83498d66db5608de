// pack_model.c: whether a file of packed weights is of this model, and for which of its variants. Reads nothing of the
// file beyond its header.
#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "cpu.h"
#include "pack_parts.h"

uint64_t ga_pack_spec(const struct ga_model *model)
{
    return ga_checksum(model->spec, strlen(model->spec));
}

static enum ga_status check_model(const struct ga_pack *pack, const struct ga_model *model, struct ga_error *error)
{
    if (strcmp(pack->model, model->name) != 0) {
        return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_MODEL, GA_PACK_AT_NAME,
                          "%s: packed weights of model %s; expected those of %s: " GA_PACK_AGAIN, pack->label,
                          pack->model, model->name);
    }
    if (pack->abi != GA_ABI) {
        return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_BUILD, GA_PACK_AT_ABI,
                          "%s: packed by a build of interface %u; this one has %d: " GA_PACK_AGAIN, pack->label,
                          (unsigned)pack->abi, GA_ABI);
    }
    if (pack->bits_revision != model->bits_revision) {
        return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_BUILD, GA_PACK_AT_BITS,
                          "%s: packed by a build of bits revision %u; this one has %u, whose packed weights and "
                          "results differ: " GA_PACK_AGAIN,
                          pack->label, (unsigned)pack->bits_revision, (unsigned)model->bits_revision);
    }
    if (!pack->is_native) {
        return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_BYTE_ORDER, GA_PACK_AT_ORDER,
                          "%s: packed by a machine of the other byte order: " GA_PACK_AGAIN, pack->label);
    }
    const uint64_t spec = ga_pack_spec(model);
    return pack->spec == spec
               ? GA_OK
               : ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_SPEC, GA_PACK_AT_SPEC,
                            "%s: packed from another spec of %s (its hash is %016llx; this build's is "
                            "%016llx): " GA_PACK_AGAIN,
                            pack->label, pack->model, (unsigned long long)pack->spec, (unsigned long long)spec);
}

static enum ga_status check_packing(const struct ga_pack *pack, const struct ga_pack_section *section,
                                    const struct ga_variant *variant, struct ga_error *error)
{
    if (section->packing == variant->packing && section->bytes == variant->packed_bytes) {
        return GA_OK;
    }
    return ga_fail_at(
        error, GA_UNSUPPORTED, GA_FAULT_PACK_BUILD, section->offset,
        "%s: its weights for %s were laid out by another build (%zu bytes by layout %016llx; this build's are "
        "%zu bytes by %016llx): " GA_PACK_AGAIN,
        pack->label, section->isa, section->bytes, (unsigned long long)section->packing, variant->packed_bytes,
        (unsigned long long)variant->packing);
}

// The instruction sets the file has weights for, joined by commas.
enum { LIST_TEXT = GA_PACK_SECTIONS * (GA_PACK_ISA + 2) };

static const char *section_names(const struct ga_pack *pack, char text[LIST_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < pack->n_sections; i++) {
        if (!ga_pack_is_attachment(&pack->sections[i])) {
            (void)snprintf(text + used, LIST_TEXT - used, "%s%s", used == 0 ? "" : ", ", pack->sections[i].isa);
            used = strlen(text);
        }
    }
    return used == 0 ? "nothing" : text;
}

enum ga_status ga_pack_section_of(const struct ga_pack *pack, const struct ga_model *model,
                                  const struct ga_variant *variant, const struct ga_pack_section **section_out,
                                  struct ga_error *error)
{
    const enum ga_status status = check_model(pack, model, error);
    if (status != GA_OK) {
        return status;
    }
    char names[LIST_TEXT];
    *section_out = ga_pack_find(pack, variant->isa);
    return *section_out == NULL ? ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_ISA, GA_PACK_AT_SECTIONS,
                                             "%s: holds weights for %s, none for %s: pack them for that too",
                                             pack->label, section_names(pack, names), variant->isa)
                                : check_packing(pack, *section_out, variant, error);
}

// The first variant that the file has weights for and this CPU runs; is_fast: and runs fast. NULL where none is.
// section_out: its weights.
static const struct ga_variant *first_variant(const struct ga_pack *pack, const struct ga_model *model, bool is_fast,
                                              const struct ga_pack_section **section_out)
{
    for (size_t i = 0; i < model->n_variants; i++) {
        const struct ga_variant *variant = &model->variants[i];
        *section_out = ga_pack_find(pack, variant->isa);
        if (*section_out && ga_cpu_has(variant->cpu | (is_fast ? variant->prefers : 0))) {
            return variant;
        }
    }
    return NULL;
}

// The best of the model's variants that the file has weights for and this CPU runs.
static enum ga_status best_variant(const struct ga_pack *pack, const struct ga_model *model,
                                   const struct ga_variant **variant_out, struct ga_error *error)
{
    bool is_in_build = false;
    char names[LIST_TEXT];
    const struct ga_pack_section *section;
    *variant_out = first_variant(pack, model, true, &section);
    if (*variant_out == NULL) {
        *variant_out = first_variant(pack, model, false, &section);
    }
    if (*variant_out != NULL) {
        return check_packing(pack, section, *variant_out, error);
    }
    for (size_t i = 0; i < model->n_variants; i++) {
        is_in_build = is_in_build || ga_pack_find(pack, model->variants[i].isa) != NULL;
    }
    return is_in_build ? ga_fail_at(error, GA_CPU, GA_FAULT_PACK_ISA, GA_PACK_AT_SECTIONS,
                                    "%s: holds weights for %s, which this CPU does not run: " GA_PACK_AGAIN,
                                    pack->label, section_names(pack, names))
                       : ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_ISA, GA_PACK_AT_SECTIONS,
                                    "%s: holds weights for %s, which this build has not: " GA_PACK_AGAIN, pack->label,
                                    section_names(pack, names));
}

enum ga_status ga_pack_variant(const struct ga_pack *pack, const struct ga_model *model, const char *isa,
                               const struct ga_variant **variant_out, struct ga_error *error)
{
    if (pack == NULL || model == NULL || variant_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_variant: %s is NULL",
                       pack == NULL    ? "pack"
                       : model == NULL ? "model"
                                       : "variant_out");
    }
    *variant_out = NULL;
    if (pack->label == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_variant: pack was not opened");
    }
    enum ga_status status = check_model(pack, model, error);
    const struct ga_variant *variant = NULL;
    const struct ga_pack_section *section;
    if (status == GA_OK && isa == NULL) {
        status = best_variant(pack, model, &variant, error);
    } else if (status == GA_OK) {
        status = ga_model_variant(model, isa, &variant, error);
        status = status == GA_OK ? ga_pack_section_of(pack, model, variant, &section, error) : status;
    }
    *variant_out = status == GA_OK ? variant : NULL;
    return status;
}
