// unseen.c: stands before what the memory sanitizer does not see write: jansson, compiled without it, and stat and
// fstat, which that of clang 14 knows only by the names that glibc had for them up to 2.32. What they hold or give
// counts as written; what the runtime makes of it is still looked at. Linked into nothing else.
#include <jansson.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <sys/stat.h>

// Before each block of jansson's, so that all of them can be found.
struct block {
    _Alignas(16) struct block *next;
    struct block *before;
    size_t size;
};

static struct block blocks = {&blocks, &blocks, 0};

static void *allocate(size_t size)
{
    struct block *block = calloc(1, sizeof *block + size);
    if (!block) {
        return NULL;
    }
    *block = (struct block){blocks.next, &blocks, size};
    block->next->before = block;
    blocks.next = block;
    return block + 1;
}

static void release(void *memory)
{
    if (memory) {
        struct block *block = (struct block *)memory - 1;
        block->next->before = block->before;
        block->before->next = block->next;
        free(block);
    }
}

__attribute__((constructor)) static void stand_before(void)
{
    json_set_alloc_funcs(allocate, release);
}

json_t *__real_json_loadb(const char *buffer, size_t size, size_t flags, json_error_t *error);
json_t *__wrap_json_loadb(const char *buffer, size_t size, size_t flags, json_error_t *error);
json_t *__real_json_load_callback(json_load_callback_t feed, void *data, size_t flags, json_error_t *error);
json_t *__wrap_json_load_callback(json_load_callback_t feed, void *data, size_t flags, json_error_t *error);
size_t __real_json_dumpb(const json_t *json, char *buffer, size_t size, size_t flags);
size_t __wrap_json_dumpb(const json_t *json, char *buffer, size_t size, size_t flags);

static void count_as_written(json_error_t *error)
{
    for (struct block *block = blocks.next; block != &blocks; block = block->next) {
        __msan_unpoison(block + 1, block->size);
    }
    if (error) {
        __msan_unpoison(error, sizeof *error);
    }
}

json_t *__wrap_json_loadb(const char *buffer, size_t size, size_t flags, json_error_t *error)
{
    __msan_check_mem_is_initialized(buffer, size);
    json_t *root = __real_json_loadb(buffer, size, flags, error);
    count_as_written(error);
    return root;
}

json_t *__wrap_json_load_callback(json_load_callback_t feed, void *data, size_t flags, json_error_t *error)
{
    json_t *root = __real_json_load_callback(feed, data, flags, error);
    count_as_written(error);
    return root;
}

size_t __wrap_json_dumpb(const json_t *json, char *buffer, size_t size, size_t flags)
{
    const size_t length = __real_json_dumpb(json, buffer, size, flags);
    if (buffer) {
        __msan_unpoison(buffer, length < size ? length : size);
    }
    return length;
}

// Facts of a file, by every name that the C library has for asking.
// clang-format off
#define STAND_BEFORE(name, file)                                        \
    int __real_##name(file, struct stat *st);                        \
    int __wrap_##name(file, struct stat *st);                        \
    int __wrap_##name(file, struct stat *st)                         \
    {                                                                   \
        const int status = __real_##name(which, st);                 \
        if (status == 0) {                                              \
            __msan_unpoison(st, sizeof *st);                      \
        }                                                               \
        return status;                                                  \
    }
STAND_BEFORE(fstat, int which)
STAND_BEFORE(fstat64, int which)
STAND_BEFORE(stat, const char *which)
STAND_BEFORE(stat64, const char *which)
// clang-format on
