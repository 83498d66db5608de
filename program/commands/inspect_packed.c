// inspect_packed.c: what a file that `pack` made holds, and whether this program takes it. Every byte is looked at.
#include <stdio.h>

#include "inspect.h"
#include "json_file.h"

enum { HEX = 17 };

static const char *hex(uint64_t number, char text[HEX])
{
    (void)snprintf(text, HEX, "%016llx", (unsigned long long)number);
    return text;
}

static enum ga_exit print_text(const struct ga_context *context, const struct ga_pack *pack, const char *why_not,
                               const struct ga_variant *variant)
{
    char spec[HEX], weights[HEX], packing[HEX], checksum[HEX];
    for (size_t i = 0; i < pack->n_sections; i++) {
        const struct ga_pack_section *section = &pack->sections[i];
        const bool is_attachment = ga_pack_is_attachment(section);
        printf("%-8s %zu bytes at %zu, %s %s, checksum %s: sound\n", section->isa + is_attachment, section->bytes,
               section->offset, is_attachment ? "hash" : "layout", hex(section->packing, packing),
               hex(section->checksum, checksum));
    }
    printf("packed weights of %s, spec %s, checksum before packing %s, format version %u, interface %u, bits revision "
           "%u, %zu bytes\n",
           pack->model, hex(pack->spec, spec), hex(pack->weights, weights), (unsigned)pack->version,
           (unsigned)pack->abi, (unsigned)pack->bits_revision, pack->size);
    if (why_not) {
        ga_print_line("not for this program: %s", why_not);
    } else {
        printf("%s runs them by %s\n", context->program, variant->isa);
    }
    return GA_EXIT_OK;
}

// The sections that hold weights, or the others.
static json_t *sections_json(const struct ga_pack *pack, bool attachments)
{
    char number[HEX], checksum[HEX];
    json_t *array = json_array();
    for (size_t i = 0; i < pack->n_sections; i++) {
        const struct ga_pack_section *section = &pack->sections[i];
        if (ga_pack_is_attachment(section) == attachments) {
            json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:s, s:s}", attachments ? "name" : "isa",
                                                   section->isa + attachments, "offset", ga_json_size(section->offset),
                                                   "bytes", ga_json_size(section->bytes),
                                                   attachments ? "hash" : "layout", hex(section->packing, number),
                                                   "checksum", hex(section->checksum, checksum)));
        }
    }
    return array;
}

static enum ga_exit print_json(const struct ga_context *context, const struct ga_pack *pack, const char *why_not,
                               const struct ga_variant *variant)
{
    char number[HEX], weights[HEX];
    return ga_json_print(context, json_pack("{s:o, s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:s?, s:s?}", "file",
                                            ga_json_label(pack->label), "model", pack->model, "spec",
                                            hex(pack->spec, number), "weights", hex(pack->weights, weights), "version",
                                            (int)pack->version, "interface", (int)pack->abi, "bits_revision",
                                            (int)pack->bits_revision, "bytes", ga_json_size(pack->size), "sections",
                                            sections_json(pack, false), "attachments", sections_json(pack, true), "isa",
                                            variant ? variant->isa : NULL, "refused", why_not));
}

static enum ga_exit inspect(const struct ga_context *context, const struct ga_pack *pack, bool json)
{
    struct ga_error error;
    for (size_t i = 0; i < pack->n_sections; i++) {
        if (ga_pack_verify(pack, i, &error) != GA_OK) {
            return ga_failed(context, "%s", error.text);
        }
    }
    const struct ga_variant *variant;
    const bool is_ours = ga_pack_variant(pack, context->model, NULL, &variant, &error) == GA_OK;
    return (json ? print_json : print_text)(context, pack, is_ours ? NULL : error.text, is_ours ? variant : NULL);
}

enum ga_exit ga_inspect_packed(const struct ga_context *context, const char *path, bool json)
{
    struct ga_pack pack;
    struct ga_error error;
    if (ga_pack_open(path, &pack, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    const enum ga_exit code = inspect(context, &pack, json);
    ga_pack_close(&pack);
    return code;
}
