// core.h: what the files of the C module for Lua 5.4 share: bindings/lua/core.c says what it is. Not for users.
#ifndef GA_LUA_CORE_H
#define GA_LUA_CORE_H

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "model.h"
#include "threads.h"

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define QUOTED(a) #a
#define QUOTE(a) QUOTED(a)

// The model; each module has one.
extern const struct ga_model JOIN(GA_LUA_MODEL, _model);
static const struct ga_model *const model = &JOIN(GA_LUA_MODEL, _model);

// Classes of userdata. Buffers of all models are of one class: their tensors may be given to each other's calls.
#define BUFFER "genattn.buffer"
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
extern const luaL_Reg ga_lua_buffer_methods[], ga_lua_packed_methods[], ga_lua_pool_methods[], ga_lua_cache_methods[];
extern const luaL_Reg ga_lua_frame_methods[];
extern const luaL_Reg ga_lua_fact_functions[], ga_lua_buffer_functions[], ga_lua_object_functions[];
extern const luaL_Reg ga_lua_frame_functions[];

// An error of Lua with the library's message, where a status is not GA_OK.
void ga_lua_check(lua_State *L, enum ga_status status, const struct ga_error *error);

// A whole number from 0 on among the arguments.
size_t ga_lua_size(lua_State *L, int at);

// Pushes an object of a class, zeroed, with one user value.
void *ga_lua_new(lua_State *L, size_t size, const char *class);

// Memory of the library's alignment, or an error of Lua. Freed by ga_block_free.
void *ga_lua_block(lua_State *L, size_t size);

// The numbers of the buffer among the arguments, or an error of Lua.
void *ga_lua_elements(lua_State *L, int at);

// Pushes the facts of the model.
void ga_lua_push_model(lua_State *L);

#endif
