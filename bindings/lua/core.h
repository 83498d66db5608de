// core.h: what the files of the C module for Lua 5.4 share: bindings/lua/core.c says what it is. Not for users.
#ifndef GA_LUA_CORE_H
#define GA_LUA_CORE_H

#include "arena.h"
#include "batches.h"
#include "cpu.h"
#include "gather.h"
#include "memory.h"
#include "model.h"
#include "threads.h"

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define QUOTED(a) #a
#define QUOTE(a) QUOTED(a)

// The model; each module has one.
extern const struct ga_model JOIN(GA_LUA_MODEL, _model);
static const struct ga_model *const model = &JOIN(GA_LUA_MODEL, _model);

// Classes of userdata, in addition to that of buffers.
#define PACKED QUOTE(GA_LUA_MODEL) ".packed"
#define POOL QUOTE(GA_LUA_MODEL) ".pool"
#define CACHE QUOTE(GA_LUA_MODEL) ".cache"
#define FRAME QUOTE(GA_LUA_MODEL) ".frame"

// What packed weights, a cache and a pool are in Lua's memory. The library's memory goes with them.
struct packed {
    void *memory;
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
};

struct cache {
    void *memory;
    struct ga_cache *handle;
};

struct pool {
    struct ga_threads *threads;
};

// Methods of each class and the functions of the module, as luaL_setfuncs takes them.
extern const luaL_Reg ga_lua_packed_methods[], ga_lua_pool_methods[], ga_lua_cache_methods[], ga_lua_frame_methods[];
extern const luaL_Reg ga_lua_fact_functions[], ga_lua_object_functions[], ga_lua_frame_functions[];

// Memory of the library's alignment, or an error of Lua. Freed by ga_block_free.
void *ga_lua_block(lua_State *L, size_t size);

// Pushes the facts of the model.
void ga_lua_push_model(lua_State *L);

#endif
