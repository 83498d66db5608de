// core.c: the C library of a model for Lua 5.4, as bindings/luajit/ffi.lua gives it to LuaJIT: memory, weights, caches,
// threads and calls by the names of struct ga_io. Checks no shape; that is done in bindings/lua/package. It and the
// the other files are compiled for one model: GA_LUA_MODEL is its name.
#include "core.h"

int JOIN(JOIN(luaopen_, GA_LUA_MODEL), _core)(lua_State *L);

int JOIN(JOIN(luaopen_, GA_LUA_MODEL), _core)(lua_State *L)
{
    ga_lua_class(L, BUFFER, ga_lua_buffer_methods);
    ga_lua_class(L, PACKED, ga_lua_packed_methods);
    ga_lua_class(L, POOL, ga_lua_pool_methods);
    ga_lua_class(L, CACHE, ga_lua_cache_methods);
    ga_lua_class(L, FRAME, ga_lua_frame_methods);
    lua_newtable(L);
    luaL_setfuncs(L, ga_lua_fact_functions, 0);
    luaL_setfuncs(L, ga_lua_buffer_functions, 0);
    luaL_setfuncs(L, ga_lua_object_functions, 0);
    luaL_setfuncs(L, ga_lua_frame_functions, 0);
    ga_lua_push_model(L);
    lua_setfield(L, -2, "facts");
    return 1;
}
