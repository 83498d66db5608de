// core.c: the C library of a model for Lua 5.4, as bindings/luajit/ffi.lua gives it to LuaJIT: memory, weights, caches,
// threads and calls by the names of struct ga_io. Checks no shape; that is done in bindings/lua/package. Compiled for one
// model: GA_LUA_MODEL is its name.
#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "declared.h"
#include "load.h"
#include "model.h"
#include "pack_file.h"
#include "threads.h"
#include "weights.h"

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define QUOTED(a) #a
#define QUOTE(a) QUOTED(a)

extern const struct ga_model JOIN(GA_LUA_MODEL, _model);
static const struct ga_model *const model = &JOIN(GA_LUA_MODEL, _model);

// Classes of userdata. Buffers of all models are of one class: their tensors may be given to each other's calls.
#define BUFFER "genattn.buffer"
#define PACKED QUOTE(GA_LUA_MODEL) ".packed"
#define POOL QUOTE(GA_LUA_MODEL) ".pool"
#define CACHE QUOTE(GA_LUA_MODEL) ".cache"
#define FRAME QUOTE(GA_LUA_MODEL) ".frame"

// -- Fields by name -------------------------------------------------------------------------------------------------

enum kind { IS_NUMBER, IS_DOUBLE, IS_BOOLEAN, IS_STRING, IS_POINTER };

struct field {
    const char *name;
    size_t offset, size; // bytes, of all elements
    enum kind kind;
    size_t count; // elements
};

#define FIELD(s, f, k, n) {#f, offsetof(struct s, f), sizeof(((struct s *)0)->f), IS_##k, n},
static const struct field model_fields[] = {GA_MODEL_FIELDS{NULL, 0, 0, IS_NUMBER, 0}};
static const struct field stack_fields[] = {GA_STACK_FIELDS{NULL, 0, 0, IS_NUMBER, 0}};
static const struct field io_fields[] = {GA_IO_FIELDS{NULL, 0, 0, IS_NUMBER, 0}};

struct value {
    const char *name;
    int value;
};

#define VALUE(v) {#v, (int)v},
static const struct value values[] = {GA_VALUES{NULL, 0}};

// A whole number of 4 or 8 bytes.
static lua_Integer whole(const void *at, size_t size)
{
    uint32_t narrow;
    uint64_t wide;
    if (size == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return (lua_Integer)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return (lua_Integer)wide;
}

static void push_field(lua_State *L, const void *at, const struct field *field)
{
    double number;
    bool truth;
    const char *text;
    switch (field->kind) {
    case IS_BOOLEAN:
        memcpy(&truth, at, sizeof truth);
        lua_pushboolean(L, truth);
        break;
    case IS_STRING:
        memcpy(&text, at, sizeof text);
        lua_pushstring(L, text);
        break;
    case IS_DOUBLE:
        memcpy(&number, at, sizeof number);
        lua_pushnumber(L, number);
        break;
    default:
        lua_pushinteger(L, whole(at, field->size));
    }
}

// Pushes a table of the facts of a struct; nil where it is NULL.
static void push_facts(lua_State *L, const void *object, const struct field *fields)
{
    if (!object) {
        lua_pushnil(L);
        return;
    }
    lua_newtable(L);
    for (const struct field *field = fields; field->name; field++) {
        push_field(L, (const char *)object + field->offset, field);
        lua_setfield(L, -2, field->name);
    }
}

static void push_intermediates(lua_State *L)
{
    lua_Integer n = 0;
    lua_newtable(L);
    for (int i = 0; i < GA_INTERMEDIATES; i++) {
        if (model->intermediates[i]) {
            lua_newtable(L);
            lua_pushstring(L, ga_intermediate_name((enum ga_intermediate)i));
            lua_setfield(L, -2, "name");
            lua_pushinteger(L, i);
            lua_setfield(L, -2, "index");
            lua_rawseti(L, -2, ++n);
        }
    }
}

static void push_model(lua_State *L)
{
    push_facts(L, model, model_fields);
    push_facts(L, model->stack, stack_fields);
    lua_setfield(L, -2, "stack");
    push_facts(L, model->encoder, stack_fields);
    lua_setfield(L, -2, "encoder");
    lua_newtable(L);
    for (size_t i = 0; i < model->n_sentences; i++) {
        lua_pushstring(L, model->sentences[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "sentences");
    push_intermediates(L);
    lua_setfield(L, -2, "intermediates");
}

// core.value(NAME): the value of an enumeration.
static int value_of(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (const struct value *value = values; value->name; value++) {
        if (strcmp(value->name, name) == 0) {
            lua_pushinteger(L, value->value);
            return 1;
        }
    }
    return luaL_error(L, "no value %s", name);
}

// -- Errors and memory ----------------------------------------------------------------------------------------------

// An error of Lua with the library's message, where a status is none of GA_OK.
static void check(lua_State *L, enum ga_status status, const struct ga_error *error)
{
    if (status != GA_OK) {
        lua_pushstring(L, error->status == status ? error->text : ga_status_text(status));
        lua_error(L);
    }
}

static size_t size_argument(lua_State *L, int at)
{
    lua_Integer number = luaL_checkinteger(L, at);
    luaL_argcheck(L, number >= 0, at, "below 0");
    return (size_t)number;
}

// An object of a class, zeroed, with one user value.
static void *new_object(lua_State *L, size_t size, const char *class)
{
    void *object = lua_newuserdatauv(L, size, 1);
    memset(object, 0, size);
    luaL_setmetatable(L, class);
    return object;
}

static void *new_block(lua_State *L, size_t size)
{
    void *block = size == SIZE_MAX ? NULL : ga_block_room(size);
    if (!block) {
        lua_pushliteral(L, "no memory, or a size does not fit in it");
        lua_error(L);
    }
    return block;
}

// -- Buffers --------------------------------------------------------------------------------------------------------

enum element { F32, I32, U8 };
static const char *const element_names[] = {"f32", "i32", "u8", NULL};
static const size_t element_size[] = {sizeof(float), sizeof(int32_t), sizeof(uint8_t)};

union buffer {
    struct {
        size_t n;
        enum element element;
    } head;
    max_align_t align;
};

// core.buffer(kind, n): zeros.
static int buffer_new(lua_State *L)
{
    enum element element = (enum element)luaL_checkoption(L, 1, NULL, element_names);
    size_t n = size_argument(L, 2);
    if (n > (SIZE_MAX / 2 - sizeof(union buffer)) / element_size[element]) {
        return luaL_error(L, "a size does not fit in memory");
    }
    union buffer *buffer = new_object(L, sizeof *buffer + n * element_size[element], BUFFER);
    buffer->head.n = n;
    buffer->head.element = element;
    return 1;
}

static void *elements(union buffer *buffer)
{
    return buffer + 1;
}

// The place that a call of __index or __newindex means, from 0 on.
static size_t place(lua_State *L, const union buffer *buffer)
{
    lua_Integer i = luaL_checkinteger(L, 2);
    luaL_argcheck(L, i >= 0 && (size_t)i < buffer->head.n, 2, "index outside the buffer");
    return (size_t)i;
}

static int buffer_get(lua_State *L)
{
    union buffer *buffer = luaL_checkudata(L, 1, BUFFER);
    size_t i = place(L, buffer);
    switch (buffer->head.element) {
    case F32:
        lua_pushnumber(L, (lua_Number)((const float *)elements(buffer))[i]);
        break;
    case I32:
        lua_pushinteger(L, ((const int32_t *)elements(buffer))[i]);
        break;
    default:
        lua_pushinteger(L, ((const uint8_t *)elements(buffer))[i]);
    }
    return 1;
}

static int buffer_set(lua_State *L)
{
    union buffer *buffer = luaL_checkudata(L, 1, BUFFER);
    size_t i = place(L, buffer);
    switch (buffer->head.element) {
    case F32:
        ((float *)elements(buffer))[i] = (float)luaL_checknumber(L, 3);
        break;
    case I32:
        ((int32_t *)elements(buffer))[i] = (int32_t)luaL_checkinteger(L, 3);
        break;
    default:
        ((uint8_t *)elements(buffer))[i] = (uint8_t)luaL_checkinteger(L, 3);
    }
    return 0;
}

// -- Weights --------------------------------------------------------------------------------------------------------

struct packed {
    void *memory;
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
};

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
    struct ga_load_options options = {.layout = luaL_optstring(L, 4, NULL),
                                      .prefix = luaL_optstring(L, 5, NULL),
                                      .strict = lua_toboolean(L, 6)};
    struct ga_weight_view *views = lua_newuserdatauv(L, (model->n_roles + 1) * sizeof *views, 0);
    struct packed *packed = new_object(L, sizeof *packed, PACKED);
    struct ga_error error;
    if (!path) {
        check(L, pack(packed, isa, NULL, &error), &error);
    } else if (ga_pack_is_file(path)) {
        check(L, from_packed(packed, path, isa, &error), &error);
    } else {
        check(L, from_weights(packed, path, isa, &options, views, &error), &error);
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

// -- Threads and caches ---------------------------------------------------------------------------------------------

// core:pool(threads)
static int pool_new(lua_State *L)
{
    size_t threads = size_argument(L, 2);
    struct ga_threads **pool = new_object(L, sizeof(struct ga_threads *), POOL);
    struct ga_error error;
    check(L, ga_threads_new(threads, pool, &error), &error);
    return 1;
}

static int pool_free(lua_State *L)
{
    ga_threads_free(*(struct ga_threads **)luaL_checkudata(L, 1, POOL));
    return 0;
}

static int available_threads(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)ga_threads_available());
    return 1;
}

struct cache {
    void *memory;
    struct ga_cache *handle;
};

// core:cache(packed, batch, capacity)
static int cache_new(lua_State *L)
{
    const struct packed *packed = luaL_checkudata(L, 2, PACKED);
    size_t batch = size_argument(L, 3), capacity = size_argument(L, 4);
    size_t size = ga_cache_size(model, packed->variant, batch, capacity);
    struct cache *cache = new_object(L, sizeof *cache, CACHE);
    struct ga_error error;
    cache->memory = new_block(L, size);
    check(L, ga_cache_init(packed->loaded, batch, capacity, cache->memory, size, &cache->handle, &error), &error);
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
    lua_pushinteger(L, ga_cache_lengths(cache->handle)[size_argument(L, 3)]);
    return 1;
}

// core:cache_cut(cache, i, length)
static int cache_cut(lua_State *L)
{
    const struct cache *cache = luaL_checkudata(L, 2, CACHE);
    struct ga_error error;
    check(L, ga_cache_cut(cache->handle, size_argument(L, 3), size_argument(L, 4), &error), &error);
    return 0;
}

// core:intermediate_shape(index, batch, q_len, kv_len)
static int intermediate_shape(lua_State *L)
{
    size_t shape[4];
    size_t rank = ga_intermediate_shape(model, (enum ga_intermediate)size_argument(L, 2), size_argument(L, 3),
                                        size_argument(L, 4), size_argument(L, 5), shape);
    lua_createtable(L, (int)rank, 0);
    for (size_t i = 0; i < rank; i++) {
        lua_pushinteger(L, (lua_Integer)shape[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

// -- Calls ----------------------------------------------------------------------------------------------------------

// Packed weights, a pool and what the call points to are kept in the frame's user value.
struct frame {
    const struct packed *packed;
    const struct ga_parallel *parallel;
    size_t threads;
    void *scratch;
    size_t scratch_size;
    struct ga_io io;
};

static struct frame *frame_at(lua_State *L)
{
    return luaL_checkudata(L, 1, FRAME);
}

// Keeps the value on top of the stack, which is taken, as long as the call.
static void keep(lua_State *L)
{
    lua_getiuservalue(L, 1, 1);
    lua_insert(L, -2);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
}

// frame:clear()
static int frame_clear(lua_State *L)
{
    struct frame *frame = frame_at(L);
    frame->io = (struct ga_io){.parallel = frame->parallel};
    lua_getiuservalue(L, 1, 1);
    lua_createtable(L, 4, 0);
    for (int i = 1; i <= 2; i++) { // packed weights and the pool stay
        lua_rawgeti(L, -2, i);
        lua_rawseti(L, -2, i);
    }
    lua_setiuservalue(L, 1, 1);
    return 0;
}

// core:frame(packed, pool or nil, threads)
static int frame_new(lua_State *L)
{
    const struct packed *packed = luaL_checkudata(L, 2, PACKED);
    struct ga_threads **pool = lua_isnil(L, 3) ? NULL : luaL_checkudata(L, 3, POOL);
    size_t threads = size_argument(L, 4);
    struct frame *frame = new_object(L, sizeof *frame, FRAME);
    frame->packed = packed;
    frame->threads = threads;
    frame->parallel = pool ? ga_threads_parallel(*pool) : NULL;
    frame->io.parallel = frame->parallel;
    lua_createtable(L, 2, 0);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, 1);
    if (pool) {
        lua_pushvalue(L, 3);
    } else {
        lua_pushboolean(L, 0); // the table has no gaps
    }
    lua_rawseti(L, -2, 2);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

static int frame_free(lua_State *L)
{
    ga_block_free(frame_at(L)->scratch);
    return 0;
}

// Where a field of struct ga_io lies, of this kind and with more than `index` elements.
static void *io_place(lua_State *L, const char *name, enum kind kind, size_t index)
{
    for (const struct field *field = io_fields; field->name; field++) {
        if (field->kind == kind && index < field->count && strcmp(field->name, name) == 0) {
            return (char *)&frame_at(L)->io + field->offset + index * (field->size / field->count);
        }
    }
    luaL_error(L, "a call has no field %s", name);
    return NULL;
}

// frame:give(name, buffer, index or nil)
static int frame_give(lua_State *L)
{
    void *data = elements(luaL_checkudata(L, 3, BUFFER));
    size_t index = lua_isnoneornil(L, 4) ? 0 : size_argument(L, 4);
    memcpy(io_place(L, luaL_checkstring(L, 2), IS_POINTER, index), &data, sizeof data);
    lua_pushvalue(L, 3);
    keep(L);
    return 0;
}

// frame:give_list(name, buffers)
static int frame_give_list(lua_State *L)
{
    size_t n = lua_rawlen(L, 3);
    void **list = lua_newuserdatauv(L, (n + 1) * sizeof *list, 0);
    memcpy(io_place(L, luaL_checkstring(L, 2), IS_POINTER, 0), &list, sizeof list);
    keep(L);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        list[i] = elements(luaL_checkudata(L, -1, BUFFER));
        keep(L);
    }
    return 0;
}

// frame:give_numbers(name, numbers)
static int frame_give_numbers(lua_State *L)
{
    size_t n = lua_rawlen(L, 3);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        size_t number = size_argument(L, -1);
        memcpy(io_place(L, luaL_checkstring(L, 2), IS_NUMBER, i), &number, sizeof number);
        lua_pop(L, 1);
    }
    return 0;
}

// frame:give_cache(cache)
static int frame_give_cache(lua_State *L)
{
    frame_at(L)->io.cache = ((struct cache *)luaL_checkudata(L, 2, CACHE))->handle;
    lua_pushvalue(L, 2);
    keep(L);
    return 0;
}

// frame:size(batch, q_len, kv_len)
static int frame_size(lua_State *L)
{
    struct frame *frame = frame_at(L);
    struct ga_io *io = &frame->io;
    io->batch = size_argument(L, 2);
    io->q_len = size_argument(L, 3);
    io->kv_len = size_argument(L, 4);
    size_t size = ga_model_scratch_size(model, frame->packed->variant, io->batch, io->q_len, io->kv_len, frame->threads);
    if (size != SIZE_MAX && (!frame->scratch || size > frame->scratch_size)) {
        ga_block_free(frame->scratch);
        frame->scratch = NULL;
        frame->scratch = new_block(L, size);
        frame->scratch_size = size;
    }
    return 0;
}

static int run(lua_State *L, struct frame *frame)
{
    struct ga_error error;
    check(L, ga_model_run(frame->packed->loaded, &frame->io, frame->scratch, frame->scratch_size, &error), &error);
    return 0;
}

// frame:run()
static int frame_run(lua_State *L)
{
    return run(L, frame_at(L));
}

// frame:attend(query, output)
static int frame_attend(lua_State *L)
{
    struct frame *frame = frame_at(L);
    frame->io.query = elements(luaL_checkudata(L, 2, BUFFER));
    frame->io.output = elements(luaL_checkudata(L, 3, BUFFER));
    return run(L, frame);
}

// -- The module -----------------------------------------------------------------------------------------------------

static const luaL_Reg buffer_methods[] = {{"__index", buffer_get}, {"__newindex", buffer_set}, {NULL, NULL}};
static const luaL_Reg packed_methods[] = {{"__gc", packed_free}, {NULL, NULL}};
static const luaL_Reg pool_methods[] = {{"__gc", pool_free}, {NULL, NULL}};
static const luaL_Reg cache_methods[] = {{"__gc", cache_free}, {NULL, NULL}};
static const luaL_Reg frame_methods[] = {
    {"__gc", frame_free},        {"attend", frame_attend},       {"clear", frame_clear},
    {"give", frame_give},        {"give_cache", frame_give_cache}, {"give_list", frame_give_list},
    {"give_numbers", frame_give_numbers}, {"run", frame_run},    {"size", frame_size},
    {NULL, NULL},
};
static const luaL_Reg functions[] = {
    {"available_threads", available_threads}, {"buffer", buffer_new},     {"cache", cache_new},
    {"cache_cut", cache_cut},                 {"cache_length", cache_length}, {"frame", frame_new},
    {"intermediate_shape", intermediate_shape}, {"isa", packed_isa},      {"load", packed_load},
    {"pool", pool_new},                       {"value", value_of},        {NULL, NULL},
};

static void new_class(lua_State *L, const char *name, const luaL_Reg *methods)
{
    if (luaL_newmetatable(L, name)) {
        luaL_setfuncs(L, methods, 0);
        lua_getfield(L, -1, "__index");
        if (lua_isnil(L, -1)) {
            lua_pushvalue(L, -2);
            lua_setfield(L, -3, "__index");
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

int JOIN(JOIN(luaopen_, GA_LUA_MODEL), _core)(lua_State *L);

int JOIN(JOIN(luaopen_, GA_LUA_MODEL), _core)(lua_State *L)
{
    new_class(L, BUFFER, buffer_methods);
    new_class(L, PACKED, packed_methods);
    new_class(L, POOL, pool_methods);
    new_class(L, CACHE, cache_methods);
    new_class(L, FRAME, frame_methods);
    luaL_newlib(L, functions);
    push_model(L);
    lua_setfield(L, -2, "facts");
    return 1;
}
