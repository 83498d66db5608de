// failing_loader.c: what opening weights asks of the machine, and what happens when it refuses: each allocation in
// turn, each read; how much memory a file can make it ask for. A program of its own, as it stands in front of the C
// library's calls: failing_loader [PART], a row of `parts` or of `costliest`.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_memory.h"
#include "folder.h"
#include "malformed.h"
#include "malformed_gguf.h"

// -- The machine, which fails when told to --------------------------------------------------------------------------

enum { ALLOCATE, READ, MAP, N_CALLS };
enum way { FAILS, ENDS_EARLY, IS_INTERRUPTED, GIVES_LITTLE }; // what a read does in its turn

static size_t made[N_CALLS]; // since the last start
static size_t turn[N_CALLS]; // the call that fails; 0: none
static enum way read_way;
static size_t asked; // bytes asked for since the last start, given back or not

static bool is_its_turn(int call)
{
    return ++made[call] == turn[call];
}

static bool refused_jansson; // whether the allocation that failed was its

static bool refuses_memory(size_t size)
{
    asked += size;
    if (!is_its_turn(ALLOCATE)) {
        return false;
    }
    refused_jansson = asker_is_of("libjansson");
    return true;
}

ssize_t read(int fd, void *to, size_t size)
{
    static ssize_t (*next)(int, void *, size_t);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "read");
    }
    if (!is_its_turn(READ)) {
        return next(fd, to, size);
    }
    errno = read_way == IS_INTERRUPTED ? EINTR : EIO;
    return read_way == ENDS_EARLY ? 0 : read_way == GIVES_LITTLE ? next(fd, to, 1) : -1;
}

// As files of any size are mapped by.
void *mmap64(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    }
    return fd >= 0 && is_its_turn(MAP) ? MAP_FAILED : next(at, size, access, flags, fd, offset);
}

static void start(int call, size_t when)
{
    memset(made, 0, sizeof made);
    memset(turn, 0, sizeof turn);
    turn[call] = when;
    refused_jansson = false;
    asked = 0;
}

// -- Checks ---------------------------------------------------------------------------------------------------------

static size_t checks, failures;

static void expect(bool truth, const char *what, size_t when, const char *said)
{
    checks++;
    if (!truth) {
        failures++;
        printf("FAIL %s, %zu: %s\n", what, when, said);
    }
}

// A way to open weights and take all of them, from the files in the folder.
struct way_in {
    const char *name;
    const char *path; // NULL: from memory
    struct ga_weights_options options;
};

static unsigned char *whole; // w.safetensors in memory
static size_t whole_size;

static size_t letters; // of the names that the last file had

static enum ga_status take(const struct way_in *way, struct ga_error *error)
{
    letters = 0;
    struct ga_weights *weights = NULL;
    enum ga_status status = way->path == NULL
                                ? ga_weights_parse_with(whole, whole_size, "memory", &way->options, &weights, error)
                                : ga_weights_open_model(way->path, &way->options, &weights, error);
    for (size_t i = 0; status == GA_OK && i < ga_weights_count(weights); i++) {
        const float *floats = NULL;
        letters += strlen(ga_weights_at(weights, i)->name);
        status = ga_weights_floats(weights, ga_weights_at(weights, i), &floats, error);
        status = status == GA_OK && (floats[0] != 1.0f || floats[1] != -2.0f) ? GA_FORMAT : status;
    }
    ga_weights_close(weights);
    return status;
}

// Fails call after call until none is left to fail. What each failure must be called; false: it must go unnoticed. An
// allocation of jansson's may be made up for, as a text is read again, if nothing of the file is lost.
static void fail_each(const struct way_in *way, int call, bool noticed, enum ga_status status, enum ga_fault fault)
{
    bool done = false;
    expect(take(way, NULL) == GA_OK, way->name, 0, "undisturbed");
    const size_t all_letters = letters;
    for (size_t when = 1; !done; when++) {
        struct ga_error error = {.text = ""};
        const size_t before = live;
        start(call, when);
        const enum ga_status got = take(way, &error);
        const bool made_up = refused_jansson && got == GA_OK;
        done = made[call] < when;
        start(call, 0);
        if (done || !noticed || made_up) {
            expect(got == GA_OK && letters == all_letters, way->name, when, error.text);
        } else {
            expect(got == status && error.fault == fault, way->name, when, error.text);
        }
        expect(live == before, way->name, when, "blocks were left");
        expect(!done || when > 1, way->name, when, "nothing was there to fail");
    }
}

static const struct way_in ways[] = {
    {"file", "w.safetensors", {0}}, {"half floats", "half.safetensors", {0}},
    {"folder of shards", ".", {0}}, {"shards in place", "model.safetensors.index.json", {.in_place = true}},
    {"memory", NULL, {0}},          {"memory in place", NULL, {.in_place = true}},
    {"GGUF file", "w.gguf", {0}},   {"GGUF file in place", "w.gguf", {.in_place = true}},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static void test_failures(void)
{
    for (size_t i = 0; i < N_WAYS; i++) {
        fail_each(&ways[i], ALLOCATE, true, GA_MEMORY, GA_FAULT_NO_MEMORY);
        if (ways[i].path != NULL) {
            read_way = FAILS;
            fail_each(&ways[i], READ, true, GA_IO, GA_FAULT_READ);
            read_way = ENDS_EARLY;
            fail_each(&ways[i], READ, true, GA_IO, GA_FAULT_SHRUNK);
            read_way = IS_INTERRUPTED;
            fail_each(&ways[i], READ, false, GA_OK, GA_FAULT_NONE);
            read_way = GIVES_LITTLE;
            fail_each(&ways[i], READ, false, GA_OK, GA_FAULT_NONE);
        }
    }
    fail_each(&ways[3], MAP, false, GA_OK, GA_FAULT_NONE);
}

// -- Bad files ------------------------------------------------------------------------------------------------------

// What a file of `size` bytes can make the loader ask for in all, given back or not. A sound header takes some 20 bytes
// for each of its own, one of many short members 31; a list of empty objects would take 76, and is refused before the
// parser sees it. However long, a header holds no more values than FOR_ANY_VALUES is enough for, and 8 bytes for each
// of its own are enough for what it has of text.
static size_t may_ask(size_t size)
{
    enum { FOR_A_FILE = 8192, FOR_A_BYTE = 32, FOR_ANY_VALUES = 192 * 1048576, FOR_A_LETTER = 8 };
    const size_t by_size = FOR_A_FILE + FOR_A_BYTE * size, by_values = FOR_ANY_VALUES + FOR_A_LETTER * size;
    return by_size < by_values ? by_size : by_values;
}

// Returns how many allocations there were.
static size_t refuse(const struct malformed *row, size_t when)
{
    size_t size = 0;
    unsigned char *bytes = malformed_bytes(row, &size);
    const struct ga_weights_options options = {.header_max = row->header_max};
    struct ga_weights *weights = NULL;
    struct ga_error error = {.text = ""};
    const size_t before = live;
    start(ALLOCATE, when);
    const enum ga_status status = ga_weights_parse_with(bytes, size, "w", &options, &weights, &error);
    if (when == 0) {
        expect(asked <= may_ask(size), row->name, asked, "so many bytes were asked for");
    } else {
        expect(status == GA_MEMORY || (status == GA_FORMAT && error.fault != GA_FAULT_NO_MEMORY), row->name, when,
               error.text);
    }
    const size_t allocations = made[ALLOCATE];
    start(ALLOCATE, 0);
    ga_weights_close(weights);
    expect(live == before, row->name, when, "blocks were left");
    free(bytes);
    return allocations;
}

// Each of the bad files, with memory, and with its first allocations refused one by one.
static void test_bad_files(void)
{
    enum { TURNS = 60 };
    for (size_t i = 0; i < n_malformed_rows; i++) {
        const struct malformed *row = &malformed_rows[i];
        const size_t allocations = refuse(row, 0);
        for (size_t when = 1; when <= allocations && when <= TURNS && row->number <= 42; when++) {
            (void)refuse(row, when);
        }
    }
}

// The same of a bad GGUF file.
static size_t refuse_gguf(const struct malformed_gguf *row, size_t when)
{
    size_t size = 0;
    unsigned char *bytes = malformed_gguf_bytes(row, &size);
    struct ga_weights *weights = NULL;
    struct ga_error error = {.text = ""};
    const size_t before = live;
    start(ALLOCATE, when);
    const enum ga_status status = ga_weights_parse(bytes, size, "w", &weights, &error);
    expect(asked <= may_ask(size), row->name, asked, "so many bytes were asked for");
    expect(status == GA_FORMAT || (when > 0 && status == GA_MEMORY), row->name, when, error.text);
    const size_t allocations = made[ALLOCATE];
    start(ALLOCATE, 0);
    expect(live == before, row->name, when, "blocks were left");
    free(bytes);
    return allocations;
}

static void test_bad_gguf_files(void)
{
    for (size_t i = 0; i < n_malformed_ggufs; i++) {
        const size_t allocations = refuse_gguf(&malformed_ggufs[i], 0);
        for (size_t when = 1; when <= allocations; when++) {
            (void)refuse_gguf(&malformed_ggufs[i], when);
        }
    }
}

// Headers of one kind of value over and over, what the parser asks most for; %zx is a number, another each time.
static const struct {
    const char *name, *head, *item, *tail;
} costliest[] = {
    {"empty objects", "{\"a\":[", "{},", "0]}"},
    {"empty lists", "{\"a\":[", "[],", "0]}"},
    {"objects of one member", "{\"a\":[", "{\"\":{}},", "0]}"},
    {"empty strings", "{\"a\":[", "\"\",", "0]}"},
    {"numbers", "{\"a\":[", "0,", "0]}"},
    {"metadata", "{\"__metadata__\":{", "\"%zx\":\"\",", "\"k\":\"\"}}"},
    {"members", "{", "\"%zx\":0,", "\"k\":0}"},
    {"one name", "{\"", "0123456789abcdef", "\":0}"},
    {"sound tensors", "{", "\"%zx\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,0]},", "\"__metadata__\":{}}"},
};

static size_t put_item(char *to, const char *item, size_t i)
{
    const char *number = strstr(item, "%zx");
    const size_t before = number == NULL ? strlen(item) : (size_t)(number - item);
    return number == NULL ? (size_t)sprintf(to, "%s", item)
                          : (size_t)sprintf(to, "%.*s%zx%s", (int)before, item, i, number + 3);
}

// A header of about `size` bytes.
static void refuse_costliest(size_t kind, size_t size)
{
    char *header = malloc(size + 256);
    size_t used = (size_t)sprintf(header, "%s", costliest[kind].head);
    for (size_t i = 0; used < size - 128; i++) {
        used += put_item(header + used, costliest[kind].item, i);
    }
    used += (size_t)sprintf(header + used, "%s", costliest[kind].tail);
    const struct malformed row = {.name = costliest[kind].name, .header = header, .header_size = used};
    (void)refuse(&row, 0);
    free(header);
}

// From a few values to as many as a header may have bytes for.
static void test_costliest(size_t kind)
{
    static const size_t sizes[] = {1024, 65536, 10 * 1048576, GA_WEIGHTS_HEADER_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        refuse_costliest(kind, sizes[i]);
    }
}

// -- Files ----------------------------------------------------------------------------------------------------------

static const float numbers[] = {1.0f, -2.0f};
static const unsigned short halves[] = {0x3C00, 0xC000};
static const double doubles[] = {1.0, -2.0};

static const struct ga_tensor tensors[] = {
    {.name = "a", .dtype = GA_F32, .rank = 1, .shape = {2}, .data = numbers},
    {.name = "b", .dtype = GA_F16, .rank = 1, .shape = {2}, .data = halves},
    {.name = "c", .dtype = GA_F64, .rank = 1, .shape = {2}, .data = doubles},
};

static bool write_files(void)
{
    static const char index[] = "{\"metadata\":{\"total_size\":28},\"weight_map\":{\"a\":\"w.safetensors\","
                                "\"b\":\"half.safetensors\",\"c\":\"double.safetensors\"}}";
    size_t size = 0;
    unsigned char *gguf = malformed_gguf_bytes(&sound_gguf, &size);
    folder_write("w.gguf", gguf, size);
    free(gguf);
    folder_write("model.safetensors.index.json", index, sizeof index - 1);
    return ga_weights_write("w.safetensors", tensors, 1, NULL) == GA_OK &&
           ga_weights_write("half.safetensors", tensors + 1, 1, NULL) == GA_OK &&
           ga_weights_write("double.safetensors", tensors + 2, 1, NULL) == GA_OK;
}

static void read_whole(void)
{
    FILE *file = fopen("w.safetensors", "rb");
    whole = malloc(4096);
    whole_size = file == NULL || whole == NULL ? 0 : fread(whole, 1, 4096, file);
    expect(file != NULL && fclose(file) == 0, "w.safetensors", 0, "cannot be read");
}

// -- Parts ----------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*test)(void);
} parts[] = {{"failures", test_failures}, {"bad files", test_bad_files}, {"bad GGUF files", test_bad_gguf_files}};

// Those of this name; all for NULL.
static void test_parts(const char *name)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (name == NULL || strcmp(name, parts[i].name) == 0) {
            parts[i].test();
        }
    }
    for (size_t i = 0; i < sizeof costliest / sizeof *costliest; i++) {
        if (name == NULL || strcmp(name, costliest[i].name) == 0) {
            test_costliest(i);
        }
    }
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : NULL;
    folder_enter();
    expect(write_files(), "files", 0, "cannot be written");
    read_whole();
    const size_t before = checks;
    test_parts(part);
    expect(checks > before, "parts", 0, "none has this name");
    free(whole);
    folder_leave();
    printf("%zu checks, %zu failed\n", checks, failures);
    return failures == 0 ? 0 : 1;
}
