// frame.c: calls of the C module for Lua 5.4: struct ga_io by the names of its fields, scratch, ga_model_run; and
// ga_batches_run.
#include "core.h"
#include "fields.h"

static const struct field io_fields[] = {GA_IO_FIELDS{NULL, 0, 0, IS_NUMBER, 0}};

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
    const struct pool *pool = lua_isnil(L, 3) ? NULL : luaL_checkudata(L, 3, POOL);
    size_t threads = ga_lua_size(L, 4);
    struct frame *frame = ga_lua_new(L, sizeof *frame, FRAME);
    frame->packed = packed;
    frame->threads = threads;
    frame->parallel = pool ? ga_threads_parallel(pool->threads) : NULL;
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
    void *data = ga_lua_elements(L, 3);
    size_t index = lua_isnoneornil(L, 4) ? 0 : ga_lua_size(L, 4);
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
        list[i] = ga_lua_elements(L, -1);
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
        size_t number = ga_lua_size(L, -1);
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

static void make_scratch(lua_State *L, struct frame *frame, size_t size)
{
    if (!frame->scratch || size > frame->scratch_size) {
        ga_block_free(frame->scratch);
        frame->scratch = NULL;
        frame->scratch = ga_lua_block(L, size);
        frame->scratch_size = size;
    }
}

// frame:size(batch, q_len, kv_len)
static int frame_size(lua_State *L)
{
    struct frame *frame = frame_at(L);
    struct ga_io *io = &frame->io;
    io->batch = ga_lua_size(L, 2);
    io->q_len = ga_lua_size(L, 3);
    io->kv_len = ga_lua_size(L, 4);
    size_t size =
        ga_model_scratch_size(model, frame->packed->variant, io->batch, io->q_len, io->kv_len, frame->threads);
    if (size != SIZE_MAX) {
        make_scratch(L, frame, size);
    }
    return 0;
}

static int run(lua_State *L, struct frame *frame)
{
    struct ga_error error;
    ga_lua_check(L, ga_model_run(frame->packed->loaded, &frame->io, frame->scratch, frame->scratch_size, &error),
                 &error);
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
    frame->io.query = ga_lua_elements(L, 2);
    frame->io.output = ga_lua_elements(L, 3);
    return run(L, frame);
}

// Pushes memory for numbers of sequences that Lua's collector frees.
static size_t *push_sizes(lua_State *L, size_t count)
{
    return lua_newuserdatauv(L, (count + 1) * sizeof(size_t), 0);
}

// frame:batches(lengths, ids, types or nil, most, name, results): ga_batches_run. lengths: an array; name: of the
// results in struct ga_batches.
static int frame_batches(lua_State *L)
{
    struct frame *frame = frame_at(L);
    const size_t count = lua_rawlen(L, 2);
    size_t *starts = push_sizes(L, count), *order = push_sizes(L, count);
    float *results = ga_lua_elements(L, 7);
    const bool of_tokens = strcmp(luaL_checkstring(L, 6), "output") == 0;
    starts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        starts[i + 1] = starts[i] + ga_lua_size(L, -1);
        lua_pop(L, 1);
    }
    struct ga_batches batches = {.count = count,
                                 .starts = starts,
                                 .ids = ga_lua_elements(L, 3),
                                 .types = lua_isnil(L, 4) ? NULL : ga_lua_elements(L, 4),
                                 .first = 1,
                                 .most = ga_lua_size(L, 5),
                                 .embedding = of_tokens ? NULL : results,
                                 .output = of_tokens ? results : NULL,
                                 .parallel = frame->parallel};
    const struct ga_loaded *loaded = frame->packed->loaded;
    struct ga_batch_plan plan;
    struct ga_error error;
    ga_lua_check(L, ga_batches_plan(loaded, &batches, order, &plan, &error), &error);
    make_scratch(L, frame, plan.scratch_size);
    ga_lua_check(L, ga_batches_run(loaded, &batches, &plan, frame->scratch, frame->scratch_size, &error), &error);
    return 0;
}

// core:intermediate_shape(index, batch, q_len, kv_len)
static int intermediate_shape(lua_State *L)
{
    size_t shape[4];
    size_t rank = ga_intermediate_shape(model, (enum ga_intermediate)ga_lua_size(L, 2), ga_lua_size(L, 3),
                                        ga_lua_size(L, 4), ga_lua_size(L, 5), shape);
    lua_createtable(L, (int)rank, 0);
    for (size_t i = 0; i < rank; i++) {
        lua_pushinteger(L, (lua_Integer)shape[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

const luaL_Reg ga_lua_frame_methods[] = {{"__gc", frame_free},
                                         {"attend", frame_attend},
                                         {"batches", frame_batches},
                                         {"clear", frame_clear},
                                         {"give", frame_give},
                                         {"give_cache", frame_give_cache},
                                         {"give_list", frame_give_list},
                                         {"give_numbers", frame_give_numbers},
                                         {"run", frame_run},
                                         {"size", frame_size},
                                         {NULL, NULL}};
const luaL_Reg ga_lua_frame_functions[] = {
    {"frame", frame_new}, {"intermediate_shape", intermediate_shape}, {NULL, NULL}};
