// dlopen_library.c: opens a model's shared object, packs weights and runs calls through the functions found in it.
// Judges nothing but that this works.
#define _GNU_SOURCE // RTLD_LOCAL and its like, strnlen
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "dlopen.h"
#include "sharing.h"

// -- Opening --------------------------------------------------------------------------------------------------------

// The name in ".../lib<name>.so".
static void name_of(const char *path, char name[HOST_PATH])
{
    const char *file = strrchr(path, '/');
    snprintf(name, HOST_PATH, "%s", (file ? file + 1 : path) + strlen("lib"));
    name[strcspn(name, ".")] = '\0';
}

// Writes an address to a pointer, to a function or an object.
static bool find(void *handle, const char *prefix, const char *name, void *pointer)
{
    char symbol[2 * HOST_PATH];
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    void *address = dlsym(handle, symbol);
    memcpy(pointer, &address, sizeof address);
    return address != NULL;
}

static bool find_all(struct host_library *library, const char *name)
{
    bool found = find(library->handle, name, "_model", &library->model);
    found = find(library->handle, name, "_run", &library->run) && found;
#define HOST_FIND(function) found = find(library->handle, "", #function, &library->function) && found;
    HOST_FUNCTIONS(HOST_FIND)
#undef HOST_FIND
    return found;
}

bool host_open(struct host *host, struct checks *checks, int flags)
{
    char name[HOST_PATH];
    name_of(host->path, name);
    host->library = (struct host_library){.handle = dlopen(host->path, flags)};
    return checks_need(checks, host->library.handle != NULL, "%s", dlerror()) &&
           checks_need(checks, find_all(&host->library, name), "not all names were found in %s", host->path);
}

void host_close(struct host *host)
{
    if (host->library.handle) {
        dlclose(host->library.handle);
    }
    host->library = (struct host_library){.handle = NULL};
    host->loaded = NULL;
    host->subject.model = NULL; // which was the library's own
    host->call.model = NULL;
}

// -- Loading --------------------------------------------------------------------------------------------------------

static bool load_cache(struct host *host)
{
    const struct host_library *library = &host->library;
    struct ga_cache *cache = NULL;
    const size_t batch = host->call.shape.batch, capacity = host->call.shape.q_len;
    if (library->model->cache > 0 && library->ga_cache_init(host->loaded, batch, capacity, host->cache.data,
                                                            host->cache.bytes, &cache, NULL) != GA_OK) {
        return false;
    }
    host->call.io.cache = cache;
    return true;
}

bool host_load(struct host *host, struct checks *checks)
{
    const struct host_library *library = &host->library;
    const struct ga_variant *variant = NULL;
    struct ga_error error = {.text = ""};
    const bool ok = library->ga_model_variant(library->model, NULL, &variant, &error) == GA_OK &&
                    library->ga_model_pack(library->model, variant, host->subject.roles, host->packed.data,
                                           host->packed.bytes, &host->loaded, &error) == GA_OK;
    return checks_need(checks, ok, "%s", error.text);
}

static bool make_blocks(struct host *host)
{
    const struct host_library *library = &host->library;
    const struct shape *shape = &host->call.shape;
    const struct ga_variant *variant = NULL;
    if (library->ga_model_variant(library->model, NULL, &variant, NULL) != GA_OK) {
        return false;
    }
    const size_t cache =
        library->model->cache > 0 ? library->ga_cache_size(library->model, variant, shape->batch, shape->q_len) : 0;
    const size_t scratch = library->ga_model_scratch_size(library->model, variant, shape->batch, shape->q_len,
                                                          shape->kv_len, HOST_THREADS);
    return guard_make(&host->packed, library->ga_model_packed_size(variant), GA_ALIGN, GUARD_AT_END) &&
           guard_make(&host->cache, cache, GA_ALIGN, GUARD_AT_END) &&
           guard_make(&host->scratch, scratch, GA_ALIGN, GUARD_AT_END);
}

bool host_make(struct host *host, struct checks *checks, const char *path)
{
    *host = (struct host){.path = path};
    checks_subject(checks, path, "");
    if (!host_open(host, checks, RTLD_NOW | RTLD_LOCAL) ||
        !subject_make(&host->subject, checks, host->library.model, weights_random, false)) {
        return false;
    }
    const struct sharing at = sharing_at(&(struct sharing){.subject = &host->subject}, 3, 33);
    bool ok = call_make(&host->call, host->library.model, &at.shape, GUARD_AT_END) && make_blocks(host);
    if (checks_need(checks, ok, "no memory for the call")) {
        call_fill(&host->call);
    }
    host_close(host);
    return ok;
}

void host_drop(struct host *host)
{
    host_close(host);
    guard_drop(&host->packed);
    guard_drop(&host->scratch);
    guard_drop(&host->cache);
    call_drop(&host->call);
    subject_drop(&host->subject);
}

// -- Running --------------------------------------------------------------------------------------------------------

bool host_run(struct host *host, const struct ga_parallel *parallel)
{
    guard_blank(&host->call.buffers[CALL_OUTPUT]);
    host->call.io.parallel = parallel;
    return load_cache(host) &&
           host->library.run(host->loaded, &host->call.io, host->scratch.data, host->scratch.bytes) == GA_OK;
}

size_t host_output_bytes(const struct host *host)
{
    return host->call.buffers[CALL_OUTPUT].bytes;
}

const float *host_output(const struct host *host)
{
    return host->call.buffers[CALL_OUTPUT].data;
}
