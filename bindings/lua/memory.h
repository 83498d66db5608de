// memory.h: what the C modules for Lua 5.4 share, those of models and that of text: errors, objects, buffers. Knows no
// model. Not for users.
#ifndef GA_LUA_MEMORY_H
#define GA_LUA_MEMORY_H

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "status.h"

// The class of buffers, one for all modules: tensors of one model may be given to another's calls.
#define BUFFER "genattn.buffer"

enum ga_lua_element { GA_LUA_F32, GA_LUA_I32, GA_LUA_U8 };

// Methods of buffers and core.buffer, as luaL_setfuncs takes them.
extern const luaL_Reg ga_lua_buffer_methods[], ga_lua_buffer_functions[];

// Makes a class of userdata, whose methods are found by name where there is no __index among them.
void ga_lua_class(lua_State *L, const char *name, const luaL_Reg *methods);

// An error of Lua with the library's message, where a status is not GA_OK.
void ga_lua_check(lua_State *L, enum ga_status status, const struct ga_error *error);

// A whole number from 0 on among the arguments.
size_t ga_lua_size(lua_State *L, int at);

// Pushes an object of a class, zeroed, with one user value.
void *ga_lua_new(lua_State *L, size_t size, const char *class);

// Pushes a buffer of n zeros; returns its numbers. An error of Lua where they do not fit in memory.
void *ga_lua_push_buffer(lua_State *L, enum ga_lua_element element, size_t n);

// The numbers of the buffer among the arguments, or an error of Lua.
void *ga_lua_elements(lua_State *L, int at);

#endif
