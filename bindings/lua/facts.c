// facts.c: what a model is, as tables of Lua, and structs of the library by the names of their fields. Changes nothing.
#include "core.h"
#include "fields.h"

static const struct field model_fields[] = {GA_MODEL_FIELDS{NULL, 0, 0, IS_NUMBER, 0}};
static const struct field stack_fields[] = {GA_STACK_FIELDS{NULL, 0, 0, IS_NUMBER, 0}};

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

static void push_range(lua_State *L, const struct ga_range *range)
{
    lua_newtable(L);
    lua_pushinteger(L, (lua_Integer)range->min);
    lua_setfield(L, -2, "min");
    lua_pushinteger(L, (lua_Integer)range->max);
    lua_setfield(L, -2, "max");
}

void ga_lua_push_model(lua_State *L)
{
    push_facts(L, model, model_fields);
    push_range(L, &model->q_len);
    lua_setfield(L, -2, "q_len");
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

const luaL_Reg ga_lua_fact_functions[] = {{"value", value_of}, {NULL, NULL}};
