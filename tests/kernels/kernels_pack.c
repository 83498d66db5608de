// kernels_pack.c: a model whose packed weights come from a file gives the bits of one whose weights were packed.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "kernels.h"
#include "pack_file.h"

// The subject once more, its weights read into blocks of their own, or used where they lie in the file.
struct from_file {
    struct subject subject;
    struct guard blocks[MAX_VARIANTS];
    struct ga_pack_map maps[MAX_VARIANTS];
};

// Loads variant v into a block between guard pages, sealed then, or maps it. False where a check failed.
static bool take(struct from_file *from, struct checks *checks, const struct ga_pack *pack, size_t v, bool is_mapped)
{
    struct ga_error error = {.text = ""};
    const struct ga_model *model = from->subject.model;
    const struct ga_variant *variant = ga_loaded_variant(from->subject.loaded[v]);
    const size_t bytes = ga_model_packed_size(variant);
    if (is_mapped) {
        enum ga_status status = ga_pack_map(pack, model, variant, GA_PACK_VERIFY, &from->maps[v], &error);
        from->subject.loaded[v] = &from->maps[v].weights;
        return checks_that(checks, status == GA_OK, "mapping: %s", error.text);
    }
    if (!checks_need(checks, guard_make(&from->blocks[v], bytes, GA_ALIGN, GUARD_AT_END), "no memory")) {
        return false;
    }
    enum ga_status status = ga_pack_load(pack, model, variant, GA_PACK_VERIFY, from->blocks[v].data, bytes,
                                         &from->subject.loaded[v], &error);
    checks_that(checks, guard_intact(&from->blocks[v]), "wrote outside the packed weights");
    guard_seal(&from->blocks[v]);
    return checks_that(checks, status == GA_OK, "loading: %s", error.text);
}

static void drop(struct from_file *from)
{
    for (size_t v = 0; v < MAX_VARIANTS; v++) {
        if (from->blocks[v].data) {
            guard_drop(&from->blocks[v]);
        }
        ga_pack_unmap(&from->maps[v]);
    }
}

// Runs a call of one shape with each variant's weights as packed and as they come from the file.
static void run_both(struct checks *checks, const struct subject *packed, const struct subject *from_file,
                     const struct shape *shape)
{
    struct call a, b;
    bool ok = call_make(&a, packed->model, shape, GUARD_AT_END);
    ok = ok && (call_fill(&a), call_copy(&b, &a, GUARD_AT_END));
    if (!checks_need(checks, ok, "no memory for the call")) {
        return;
    }
    for (size_t v = 0; v < packed->n_loaded; v++) {
        const struct ga_loaded *const pair[] = {packed->loaded[v], from_file->loaded[v]};
        checks_that(checks, memcmp(pair[0]->packed, pair[1]->packed, ga_loaded_variant(pair[0])->packed_bytes) == 0,
                    "the packed bytes differ");
        if (call_run(&a, checks, packed, v) && call_run(&b, checks, from_file, v)) {
            expect_same(checks, &a, &b);
        }
    }
    call_drop(&a);
    call_drop(&b);
}

static void check_file(struct checks *checks, const struct subject *subject, const char *path, bool is_mapped)
{
    static struct from_file from;
    struct ga_error error = {.text = ""};
    struct ga_pack pack;
    struct shapes shapes = shapes_of(subject->model, 0);
    from = (struct from_file){.subject = *subject};
    enum ga_status status = ga_pack_open(path, &pack, &error);
    if (!checks_that(checks, status == GA_OK, "opening: %s", error.text)) {
        return;
    }
    bool ok = true;
    for (size_t v = 0; v < subject->n_loaded && ok; v++) {
        ok = take(&from, checks, &pack, v, is_mapped);
    }
    ga_pack_close(&pack);
    if (ok) {
        run_both(checks, subject, &from.subject, &shapes.list[shapes.count - 1]);
    }
    drop(&from);
}

void packed_weights_of_a_file_give_the_same_bits(struct checks *checks, const struct ga_model *model)
{
    struct ga_error error = {.text = ""};
    struct subject subject;
    char memory[] = "/dev/shm/ga_pack_XXXXXX", disk[] = "/tmp/ga_pack_XXXXXX", path[sizeof memory + sizeof "/w.gap"];
    const char *folder = mkdtemp(memory); // where a flush costs nothing
    folder = folder ? folder : mkdtemp(disk);
    if (!checks_need(checks, folder != NULL, "no folder for a file")) {
        return;
    }
    (void)snprintf(path, sizeof path, "%s/w.gap", folder);
    if (subject_make(&subject, checks, model, weights_random, false)) {
        checks_situation(checks, "from a file");
        enum ga_status status = ga_pack_write(path, subject.loaded, subject.n_loaded, &error);
        if (checks_that(checks, status == GA_OK, "writing: %s", error.text)) {
            check_file(checks, &subject, path, false);
            check_file(checks, &subject, path, true);
        }
    }
    subject_drop(&subject);
    (void)remove(path);
    (void)rmdir(folder);
}
