// objects.c: packed weights, pools of threads and caches of the C module for Lua 5.4. Runs no call.
#include "core.h"
#include "load.h"
#include "pack_file.h"
#include "weights.h"

void *ga_lua_block(lua_State *L, size_t size)
{
    void *block = size == SIZE_MAX ? NULL : ga_block_room(size);
    if (!block) {
        lua_pushliteral(L, "no memory, or a size does not fit in it");
        lua_error(L);
    }
    return block;
}

// -- Weights --------------------------------------------------------------------------------------------------------

static enum ga_status pack(struct packed *packed, const char *isa, const struct ga_weight_view *views,
                           struct ga_error *error)
{
    enum ga_status status = ga_model_variant(model, isa, &packed->variant, error);
    if (status != GA_OK) {
        return status;
    }
    size_t size = ga_model_packed_size(packed->variant);
    packed->memory = ga_block_room(size);
    if (!packed->memory) {
        return ga_fail(error, GA_MEMORY, "no memory for %zu bytes of packed weights", size);
    }
    return ga_model_pack(model, packed->variant, views, packed->memory, size, &packed->loaded, error);
}

static enum ga_status from_weights(struct packed *packed, const char *path, const char *isa,
                                   const struct ga_load_options *options, struct ga_weight_view *views,
                                   struct ga_error *error)
{
    struct ga_weights *weights;
    enum ga_status status = ga_weights_open_model(path, NULL, &weights, error);
    if (status != GA_OK) {
        return status;
    }
    status = ga_load_views_with(model, weights, options, views, error);
    if (status == GA_OK) {
        status = pack(packed, isa, views, error);
    }
    ga_weights_close(weights);
    return status;
}

static enum ga_status from_packed(struct packed *packed, const char *path, const char *isa, struct ga_error *error)
{
    struct ga_pack file;
    enum ga_status status = ga_pack_open(path, &file, error);
    if (status != GA_OK) {
        return status;
    }
    status = ga_pack_variant(&file, model, isa, &packed->variant, error);
    if (status == GA_OK) {
        size_t size = ga_model_packed_size(packed->variant);
        packed->memory = ga_block_room(size);
        status = packed->memory ? ga_pack_load(&file, model, packed->variant, GA_PACK_VERIFY, packed->memory, size,
                                               &packed->loaded, error)
                                : ga_fail(error, GA_MEMORY, "no memory for %zu bytes of packed weights", size);
    }
    ga_pack_close(&file);
    return status;
}

// core:load(path, isa, layout, prefix, strict), as ffi.lua says.
static int packed_load(lua_State *L)
{
    const char *path = luaL_optstring(L, 2, NULL), *isa = luaL_optstring(L, 3, NULL);
    struct ga_load_options options = {
        .layout = luaL_optstring(L, 4, NULL), .prefix = luaL_optstring(L, 5, NULL), .strict = lua_toboolean(L, 6)};
    struct ga_weight_view *views = lua_newuserdatauv(L, (model->n_roles + 1) * sizeof *views, 0);
    struct packed *packed = ga_lua_new(L, sizeof *packed, PACKED);
    struct ga_error error;
    if (!path) {
        ga_lua_check(L, pack(packed, isa, NULL, &error), &error);
    } else if (ga_pack_is_file(path)) {
        ga_lua_check(L, from_packed(packed, path, isa, &error), &error);
    } else {
        ga_lua_check(L, from_weights(packed, path, isa, &options, views, &error), &error);
    }
    return 1;
}

static int packed_free(lua_State *L)
{
    ga_block_free(((struct packed *)luaL_checkudata(L, 1, PACKED))->memory);
    return 0;
}

static int packed_isa(lua_State *L)
{
    lua_pushstring(L, ((const struct packed *)luaL_checkudata(L, 2, PACKED))->variant->isa);
    return 1;
}

// Reads an attachment of a file of packed weights into to[*size]. Where to is NULL it only tells the size, 0
// where there is none.
static enum ga_status read_attachment(const char *path, const char *name, void *to, size_t *size,
                                      struct ga_error *error)
{
    struct ga_pack file;
    enum ga_status status = ga_pack_open(path, &file, error);
    if (status != GA_OK) {
        return status;
    }
    const struct ga_pack_section *section = ga_pack_attachment(&file, name);
    const size_t found = section ? section->bytes : 0;
    if (to && found != *size) {
        status = ga_fail(error, GA_IO, "%s: changed while it was read", path);
    } else if (to) {
        status = ga_pack_read_attachment(&file, section, to, error);
    }
    *size = found;
    ga_pack_close(&file);
    return status;
}

// core:attachment(path, name), as ffi.lua says. No file is open when Lua may raise an error.
static int attachment(lua_State *L)
{
    const char *path = luaL_checkstring(L, 2), *name = luaL_checkstring(L, 3);
    struct ga_error error;
    size_t size = 0;
    ga_lua_check(L, read_attachment(path, name, NULL, &size, &error), &error);
    if (size == 0) {
        return 0;
    }
    void *bytes = lua_newuserdatauv(L, size, 0);
    ga_lua_check(L, read_attachment(path, name, bytes, &size, &error), &error);
    lua_pushlstring(L, bytes, size);
    return 1;
}

// core:is_packed(path)
static int is_packed(lua_State *L)
{
    lua_pushboolean(L, ga_pack_is_file(luaL_checkstring(L, 2)));
    return 1;
}

// -- Threads and caches ---------------------------------------------------------------------------------------------

// core:pool(threads)
static int pool_new(lua_State *L)
{
    size_t threads = ga_lua_size(L, 2);
    struct pool *pool = ga_lua_new(L, sizeof *pool, POOL);
    struct ga_error error;
    ga_lua_check(L, ga_threads_new(threads, &pool->threads, &error), &error);
    return 1;
}

static int pool_free(lua_State *L)
{
    ga_threads_free(((struct pool *)luaL_checkudata(L, 1, POOL))->threads);
    return 0;
}

static int available_threads(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)ga_threads_available());
    return 1;
}

// core:cache(packed, batch, capacity)
static int cache_new(lua_State *L)
{
    const struct packed *packed = luaL_checkudata(L, 2, PACKED);
    size_t batch = ga_lua_size(L, 3), capacity = ga_lua_size(L, 4);
    size_t size = ga_cache_size(model, packed->variant, batch, capacity);
    struct cache *cache = ga_lua_new(L, sizeof *cache, CACHE);
    struct ga_error error;
    cache->memory = ga_lua_block(L, size);
    ga_lua_check(L, ga_cache_init(packed->loaded, batch, capacity, cache->memory, size, &cache->handle, &error),
                 &error);
    return 1;
}

static int cache_free(lua_State *L)
{
    ga_block_free(((struct cache *)luaL_checkudata(L, 1, CACHE))->memory);
    return 0;
}

// core:cache_length(cache, i), of a sequence from 0 on that the cache has.
static int cache_length(lua_State *L)
{
    const struct cache *cache = luaL_checkudata(L, 2, CACHE);
    lua_pushinteger(L, ga_cache_lengths(cache->handle)[ga_lua_size(L, 3)]);
    return 1;
}

// core:cache_cut(cache, i, length)
static int cache_cut(lua_State *L)
{
    const struct cache *cache = luaL_checkudata(L, 2, CACHE);
    struct ga_error error;
    ga_lua_check(L, ga_cache_cut(cache->handle, ga_lua_size(L, 3), ga_lua_size(L, 4), &error), &error);
    return 0;
}

// core:cache_get(cache, i, keys, values, rows)
static int cache_get(lua_State *L)
{
    const struct cache *cache = luaL_checkudata(L, 2, CACHE);
    float *keys = ga_lua_elements(L, 4), *values = ga_lua_elements(L, 5);
    struct ga_error error;
    ga_lua_check(L, ga_cache_get(cache->handle, ga_lua_size(L, 3), keys, values, ga_lua_size(L, 6), &error), &error);
    return 0;
}

// core:cache_put(cache, i, keys, values, rows)
static int cache_put(lua_State *L)
{
    const struct cache *cache = luaL_checkudata(L, 2, CACHE);
    const float *keys = ga_lua_elements(L, 4), *values = ga_lua_elements(L, 5);
    const size_t rows = ga_lua_size(L, 6);
    struct ga_error error;
    ga_lua_check(L, ga_cache_put(cache->handle, ga_lua_size(L, 3), keys, values, rows, rows, &error), &error);
    return 0;
}

// core:allow_amx()
static int allow_amx(lua_State *L)
{
    lua_pushboolean(L, ga_cpu_allow_amx());
    return 1;
}

const luaL_Reg ga_lua_packed_methods[] = {{"__gc", packed_free}, {NULL, NULL}};
const luaL_Reg ga_lua_pool_methods[] = {{"__gc", pool_free}, {NULL, NULL}};
const luaL_Reg ga_lua_cache_methods[] = {{"__gc", cache_free}, {NULL, NULL}};
const luaL_Reg ga_lua_object_functions[] = {{"allow_amx", allow_amx},
                                            {"attachment", attachment},
                                            {"available_threads", available_threads},
                                            {"cache", cache_new},
                                            {"cache_cut", cache_cut},
                                            {"cache_get", cache_get},
                                            {"cache_length", cache_length},
                                            {"cache_put", cache_put},
                                            {"is_packed", is_packed},
                                            {"isa", packed_isa},
                                            {"load", packed_load},
                                            {"pool", pool_new},
                                            {NULL, NULL}};
