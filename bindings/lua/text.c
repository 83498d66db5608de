// text.c: libga_text for Lua 5.4, as bindings/luajit/text_ffi.lua gives it to LuaJIT: tokenizers, texts to ids and
// back. One module for all models, which is loaded when a text is first asked for. Makes no batches and no vectors.
#define _POSIX_C_SOURCE 200809L // PATH_MAX
#include "ga_text.h"

#include <limits.h>

#include "memory.h"

#define TOKENIZER "genattn.tokenizer"

// A tokenizer in Lua's memory, and its one context: what that gives is copied before Lua goes on.
struct tokenizer {
    struct ga_text_tokenizer *handle;
    struct ga_text_context *context;
};

// text.open(spec, path, bytes): the tokenizer of a file, or of bytes that path stands for, for the model of a spec.
static int tokenizer_open(lua_State *L)
{
    size_t length = 0;
    const char *path = luaL_checkstring(L, 2), *bytes = luaL_optlstring(L, 3, NULL, &length);
    struct tokenizer *tokenizer = ga_lua_new(L, sizeof *tokenizer, TOKENIZER);
    struct ga_error error;
    ga_lua_check(L, ga_text_tokenizer_open_for(luaL_checkstring(L, 1), path, bytes, length, &tokenizer->handle, &error),
                 &error);
    if (ga_text_context_open(tokenizer->handle, &tokenizer->context) != GA_OK) {
        return luaL_error(L, "%s: no memory for the tokenizer", path);
    }
    return 1;
}

// text.prompt(spec): what a spec has before texts, "" where it has nothing.
static int prompt(lua_State *L)
{
    char bytes[GA_TEXT_PROMPT];
    lua_pushlstring(L, bytes, ga_text_recorded_prompt(luaL_checkstring(L, 1), bytes, sizeof bytes));
    return 1;
}

static int tokenizer_free(lua_State *L)
{
    struct tokenizer *tokenizer = luaL_checkudata(L, 1, TOKENIZER);
    ga_text_context_close(tokenizer->context);
    ga_text_tokenizer_close(tokenizer->handle);
    return 0;
}

// text.n_ids(tokenizer): the largest id that it knows, and 1.
static int n_ids(lua_State *L)
{
    const struct tokenizer *tokenizer = luaL_checkudata(L, 1, TOKENIZER);
    lua_pushinteger(L, (lua_Integer)ga_text_tokenizer_ids(tokenizer->handle));
    return 1;
}

// text.is_other(tokenizer, spec): whether the text of a model's spec records another tokenizer.
static int is_other(lua_State *L)
{
    const struct tokenizer *tokenizer = luaL_checkudata(L, 1, TOKENIZER);
    uint64_t recorded;
    lua_pushboolean(L, ga_text_recorded_hash(luaL_checkstring(L, 2), &recorded) &&
                           recorded != ga_text_tokenizer_hash(tokenizer->handle));
    return 1;
}

// text.beside(weights): the path of the tokenizer.json in the folder of weights, whether or not there is one; nil where
// it does not fit.
static int beside(lua_State *L)
{
    char path[PATH_MAX];
    if (!ga_text_tokenizer_beside(luaL_checkstring(L, 1), path, sizeof path)) {
        return 0;
    }
    lua_pushstring(L, path);
    return 1;
}

// -- Texts ----------------------------------------------------------------------------------------------------------

static void push_copy(lua_State *L, enum ga_lua_element element, const void *from, size_t count, size_t size)
{
    void *to = ga_lua_push_buffer(L, element, count);
    if (count > 0) {
        memcpy(to, from, count * size);
    }
}

// Pushes the places of each token in the text, [count][2], and an array of the tokens.
static void push_tokens(lua_State *L, const struct ga_text_encoding *encoding)
{
    int32_t *places = ga_lua_push_buffer(L, GA_LUA_I32, 2 * encoding->count);
    lua_createtable(L, (int)encoding->count, 0);
    for (size_t i = 0; i < encoding->count; i++) {
        places[2 * i] = (int32_t)encoding->offsets[i].begin;
        places[2 * i + 1] = (int32_t)encoding->offsets[i].end;
        lua_pushlstring(L, encoding->tokens[i].bytes, encoding->tokens[i].length);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

// text.encode(tokenizer, text, pair, limit, is_plain, is_whole), as text_ffi.lua says.
static int encode(lua_State *L)
{
    const struct tokenizer *tokenizer = luaL_checkudata(L, 1, TOKENIZER);
    size_t length, pair_length = 0;
    const char *text = luaL_checklstring(L, 2, &length), *pair = luaL_optlstring(L, 3, NULL, &pair_length);
    const size_t limit = lua_isnoneornil(L, 4) ? SIZE_MAX : ga_lua_size(L, 4);
    const bool is_whole = lua_toboolean(L, 6);
    const unsigned flags = (lua_toboolean(L, 5) ? GA_TEXT_NO_SPECIAL_TOKENS : 0u) | (is_whole ? GA_TEXT_OFFSETS : 0u);
    struct ga_text_encoding encoding;
    struct ga_error error;
    ga_text_context_set_limit(tokenizer->context, limit);
    ga_lua_check(L, ga_text_encode(tokenizer->context, text, length, pair, pair_length, flags, &encoding, &error),
                 &error);
    lua_pushinteger(L, (lua_Integer)encoding.count);
    push_copy(L, GA_LUA_I32, encoding.ids, encoding.count, sizeof *encoding.ids);
    push_copy(L, GA_LUA_I32, encoding.type_ids, encoding.count, sizeof *encoding.type_ids);
    if (!is_whole) {
        return 3;
    }
    push_copy(L, GA_LUA_U8, encoding.special, encoding.count, sizeof *encoding.special);
    push_tokens(L, &encoding);
    return 6;
}

// text.decode(tokenizer, ids, count, skips_special)
static int decode(lua_State *L)
{
    const struct tokenizer *tokenizer = luaL_checkudata(L, 1, TOKENIZER);
    const int32_t *ids = ga_lua_elements(L, 2);
    struct ga_text_view text;
    struct ga_error error;
    ga_lua_check(L, ga_text_decode(tokenizer->context, ids, ga_lua_size(L, 3), lua_toboolean(L, 4), &text, &error),
                 &error);
    lua_pushlstring(L, text.bytes ? text.bytes : "", text.length);
    return 1;
}

static const luaL_Reg methods[] = {{"__gc", tokenizer_free}, {NULL, NULL}};
static const luaL_Reg functions[] = {{"beside", beside},     {"decode", decode}, {"encode", encode},
                                     {"is_other", is_other}, {"n_ids", n_ids},   {"open", tokenizer_open},
                                     {"prompt", prompt},     {NULL, NULL}};

int luaopen_genattn_text_core(lua_State *L);

int luaopen_genattn_text_core(lua_State *L)
{
    ga_lua_class(L, BUFFER, ga_lua_buffer_methods);
    ga_lua_class(L, TOKENIZER, methods);
    luaL_newlib(L, functions);
    return 1;
}
