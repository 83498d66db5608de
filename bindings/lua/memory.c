// memory.c: errors and memory of the C module for Lua 5.4: the buffers that tensors have. Knows no model.
#include "core.h"

// -- Errors and memory ----------------------------------------------------------------------------------------------

// An error of Lua with the library's message, where a status is none of GA_OK.
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

// An object of a class, zeroed, with one user value.
void *ga_lua_new(lua_State *L, size_t size, const char *class)
{
    void *object = lua_newuserdatauv(L, size, 1);
    memset(object, 0, size);
    luaL_setmetatable(L, class);
    return object;
}

void *ga_lua_block(lua_State *L, size_t size)
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
    size_t n = ga_lua_size(L, 2);
    if (n > (SIZE_MAX / 2 - sizeof(union buffer)) / element_size[element]) {
        return luaL_error(L, "a size does not fit in memory");
    }
    union buffer *buffer = ga_lua_new(L, sizeof *buffer + n * element_size[element], BUFFER);
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

void *ga_lua_elements(lua_State *L, int at)
{
    return elements(luaL_checkudata(L, at, BUFFER));
}

const luaL_Reg ga_lua_buffer_methods[] = {{"__index", buffer_get}, {"__newindex", buffer_set}, {NULL, NULL}};
const luaL_Reg ga_lua_buffer_functions[] = {{"buffer", buffer_new}, {NULL, NULL}};
