// memory.c: errors, classes and memory of the C modules for Lua 5.4: the buffers that tensors have. Knows no model.
#include "memory.h"

// -- Errors and objects ---------------------------------------------------------------------------------------------

// Pushes a table of the methods that scripts call by name.
static void push_named(lua_State *L, const luaL_Reg *methods)
{
    lua_newtable(L);
    for (; methods->name; methods++) {
        if (strncmp(methods->name, "__", 2) != 0) {
            lua_pushcfunction(L, methods->func);
            lua_setfield(L, -2, methods->name);
        }
    }
}

void ga_lua_class(lua_State *L, const char *name, const luaL_Reg *methods)
{
    if (luaL_newmetatable(L, name)) {
        luaL_setfuncs(L, methods, 0);
        lua_getfield(L, -1, "__index");
        if (lua_isnil(L, -1)) {
            push_named(L, methods);
            lua_setfield(L, -3, "__index");
        }
        lua_pop(L, 1);
        lua_pushboolean(L, 0); // what getmetatable gives: a script that calls __gc would free twice
        lua_setfield(L, -2, "__metatable");
    }
    lua_pop(L, 1);
}

void ga_lua_check(lua_State *L, enum ga_status status, const struct ga_error *error)
{
    if (status != GA_OK) {
        lua_pushstring(L, error->status == status ? error->text : ga_status_text(status));
        lua_error(L);
    }
}

size_t ga_lua_size(lua_State *L, int at)
{
    lua_Integer number = luaL_checkinteger(L, at);
    luaL_argcheck(L, number >= 0, at, "below 0");
    return (size_t)number;
}

void *ga_lua_new(lua_State *L, size_t size, const char *class)
{
    void *object = lua_newuserdatauv(L, size, 1);
    memset(object, 0, size);
    luaL_setmetatable(L, class);
    return object;
}

// -- Buffers --------------------------------------------------------------------------------------------------------

static const char *const element_names[] = {"f32", "i32", "u8", NULL};
static const size_t element_size[] = {sizeof(float), sizeof(int32_t), sizeof(uint8_t)};

union buffer {
    struct {
        size_t n;
        enum ga_lua_element element;
    } head;
    max_align_t align;
};

static void *elements(union buffer *buffer)
{
    return buffer + 1;
}

void *ga_lua_push_buffer(lua_State *L, enum ga_lua_element element, size_t n)
{
    if (n > (SIZE_MAX / 2 - sizeof(union buffer)) / element_size[element]) {
        luaL_error(L, "a size does not fit in memory");
    }
    union buffer *buffer = ga_lua_new(L, sizeof *buffer + n * element_size[element], BUFFER);
    buffer->head.n = n;
    buffer->head.element = element;
    return elements(buffer);
}

// core.buffer(kind, n): zeros.
static int buffer_new(lua_State *L)
{
    ga_lua_push_buffer(L, (enum ga_lua_element)luaL_checkoption(L, 1, NULL, element_names), ga_lua_size(L, 2));
    return 1;
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
    case GA_LUA_F32:
        lua_pushnumber(L, (lua_Number)((const float *)elements(buffer))[i]);
        break;
    case GA_LUA_I32:
        lua_pushinteger(L, ((const int32_t *)elements(buffer))[i]);
        break;
    default:
        lua_pushinteger(L, ((const uint8_t *)elements(buffer))[i]);
    }
    return 1;
}

// The whole number among the arguments of buffer_set, of least..most.
static lua_Integer whole(lua_State *L, lua_Integer least, lua_Integer most)
{
    const lua_Integer number = luaL_checkinteger(L, 3);
    luaL_argcheck(L, number >= least && number <= most, 3, "number outside the buffer's type");
    return number;
}

static int buffer_set(lua_State *L)
{
    union buffer *buffer = luaL_checkudata(L, 1, BUFFER);
    size_t i = place(L, buffer);
    switch (buffer->head.element) {
    case GA_LUA_F32:
        ((float *)elements(buffer))[i] = (float)luaL_checknumber(L, 3);
        break;
    case GA_LUA_I32:
        ((int32_t *)elements(buffer))[i] = (int32_t)whole(L, INT32_MIN, INT32_MAX);
        break;
    default:
        ((uint8_t *)elements(buffer))[i] = (uint8_t)whole(L, 0, UINT8_MAX);
    }
    return 0;
}

void *ga_lua_elements(lua_State *L, int at)
{
    return elements(luaL_checkudata(L, at, BUFFER));
}

const luaL_Reg ga_lua_buffer_methods[] = {{"__index", buffer_get}, {"__newindex", buffer_set}, {NULL, NULL}};
const luaL_Reg ga_lua_buffer_functions[] = {{"buffer", buffer_new}, {NULL, NULL}};
