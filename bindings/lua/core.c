// core.c: the C library of a model for Lua 5.4, as bindings/luajit/ffi.lua gives it to LuaJIT: memory, weights, caches,
// threads and calls by the names of struct ga_io. Checks no shape; that is done in bindings/lua/package. It and the
// files beside it are compiled for one model: GA_LUA_MODEL is its name.
#include "core.h"

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
    new_class(L, BUFFER, ga_lua_buffer_methods);
    new_class(L, PACKED, ga_lua_packed_methods);
    new_class(L, POOL, ga_lua_pool_methods);
    new_class(L, CACHE, ga_lua_cache_methods);
    new_class(L, FRAME, ga_lua_frame_methods);
    lua_newtable(L);
    luaL_setfuncs(L, ga_lua_fact_functions, 0);
    luaL_setfuncs(L, ga_lua_buffer_functions, 0);
    luaL_setfuncs(L, ga_lua_object_functions, 0);
    luaL_setfuncs(L, ga_lua_frame_functions, 0);
    ga_lua_push_model(L);
    lua_setfield(L, -2, "facts");
    return 1;
}
