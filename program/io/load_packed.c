// load_packed.c: weights from a file that `pack` made: which of its instruction sets, then used where they lie. Packs
// nothing.
#include "arena.h"
#include "load_model.h"
#include "placement.h"

// Says where this CPU would run a better variant than those the file has weights for.
static void note_fallback(const struct ga_context *context, const char *path, const struct ga_variant *variant)
{
    const struct ga_variant *best;
    if (ga_model_variant(context->model, NULL, &best, NULL) == GA_OK && best != variant) {
        ga_note(context, "%s: no weights packed for %s, so %s runs, which is slower: pack --isa %s or --isa all", path,
                best->isa, variant->isa, best->isa);
    }
}

static enum ga_status load(const struct ga_context *context, enum ga_pack_trust trust, const struct ga_pack *pack,
                           struct ga_model_instance *instance, struct ga_error *error)
{
    const size_t size = ga_model_packed_size(instance->variant);
    instance->block = ga_block_room(size);
    if (!instance->block) {
        return ga_fail(error, GA_MEMORY, "%s: no memory for %zu bytes of packed weights", pack->label, size);
    }
    return ga_pack_load(pack, context->model, instance->variant, trust, instance->block, size, &instance->loaded,
                        error);
}

static enum ga_status use(const struct ga_context *context, const struct ga_weight_choice *choice,
                          const struct ga_pack *pack, struct ga_model_instance *instance, struct ga_error *error)
{
    enum ga_status status = ga_pack_variant(pack, context->model, choice->isa, &instance->variant, error);
    if (status != GA_OK) {
        return status;
    }
    if (!choice->isa) {
        note_fallback(context, choice->weights, instance->variant);
    }
    const enum ga_pack_trust trust = choice->trust ? GA_PACK_TRUST : GA_PACK_VERIFY;
    if (choice->copies) {
        return load(context, trust, pack, instance, error);
    }
    status = ga_pack_map(pack, context->model, instance->variant, trust, &instance->map, error);
    if (status == GA_IO) { // some file systems map no files; where the file is what is wrong, reading says so too
        return load(context, trust, pack, instance, error);
    }
    instance->loaded = &instance->map.weights;
    return status;
}

enum ga_exit ga_load_packed_model(const struct ga_context *context, const struct ga_weight_choice *choice,
                                  struct ga_model_instance *instance)
{
    struct ga_pack pack;
    struct ga_error error;
    if (choice->layout) {
        return ga_misused(context, "--weights-layout says how a file names its tensors; %s is packed and names none",
                          choice->weights);
    }
    if (choice->prefix) {
        return ga_misused(context, "--weights-prefix is the prefix of a file's tensor names; %s is packed and has none",
                          choice->weights);
    }
    if (choice->checks) {
        return ga_misused(context, "--weights-check says what a file of tensors must be; %s is packed: give it to pack",
                          choice->weights);
    }
    enum ga_status status = ga_pack_open(choice->weights, &pack, &error);
    if (status == GA_OK) {
        status = use(context, choice, &pack, instance, &error);
        instance->weights = pack.weights;
        ga_pack_close(&pack);
    }
    return status == GA_OK ? GA_EXIT_OK : ga_failed(context, "%s", error.text);
}

void ga_model_instance_settle(const struct ga_model_instance *instance)
{
    if (instance->ranks && instance->map.address && ga_placement_library.move) {
        ga_placement_library.move(instance->map.address, instance->map.size);
    }
}
