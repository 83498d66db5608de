// failing_weights.c: what happens to weights when memory or the disk refuses: each allocation in turn, each write,
// flush, link and rename. A program of its own, as it stands in front of the C library's allocator.
#define _GNU_SOURCE // RTLD_NEXT
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "failing_memory.h"
#include "kernels.h"
#include "load.h"
#include "pack_file.h"

// -- The allocator and the disk, which fail when told to ------------------------------------------------------------

enum point { CALL_ALLOCATE, CALL_WRITE, CALL_FLUSH, CALL_LINK, CALL_RENAME, CALLS };

static size_t countdown[CALLS]; // the call that fails, counted from now: 1 is the next; 0: none
static size_t made[CALLS];      // calls since the last start

static bool is_refused(enum point call, int error)
{
    made[call]++;
    if (countdown[call] == 0 || --countdown[call] > 0) {
        return false;
    }
    errno = error;
    return true;
}

static bool refused_jansson; // whether the allocation that failed was its

static bool refuses_memory(size_t size)
{
    (void)size;
    const bool is_its_turn = is_refused(CALL_ALLOCATE, ENOMEM);
    refused_jansson = refused_jansson || (is_its_turn && asker_is_of("libjansson"));
    return is_its_turn;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    static ssize_t (*next)(int, const void *, size_t);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "write");
    }
    return is_refused(CALL_WRITE, ENOSPC) ? -1 : next(fd, bytes, size);
}

int fsync(int fd)
{
    struct stat st;
    (void)fd;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_refused(CALL_FLUSH, EIO) ? -1 : 0;
}

// A file system without files that have no name.
static bool has_unnamed;

int open64(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    va_list more;
    va_start(more, flags);
    const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "open64");
    }
    if ((flags & O_TMPFILE) == O_TMPFILE && !has_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return next(path, flags, mode);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    static int (*next)(int, const char *, int, const char *, int);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "linkat");
    }
    return is_refused(CALL_LINK, EIO) ? -1 : next(from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "rename");
    }
    return is_refused(CALL_RENAME, EIO) ? -1 : next(from, to);
}

// -- What is done to weights ----------------------------------------------------------------------------------------

static const struct ga_model *model;
static const struct ga_variant *variant;
static const struct ga_loaded *loaded; // packed at the start
static struct ga_tensor *tensors;      // of the file of weights
static size_t n_tensors;
static struct ga_weights *weights; // that file
static struct ga_weight_view views[MAX_ROLES];

// Of a file that is open: opening it is tests/failing/failing_loader.c's.
static enum ga_status find_and_pack(struct ga_error *error)
{
    const struct ga_loaded *result;
    const size_t size = ga_model_packed_size(variant);
    enum ga_status status = ga_load_views(model, weights, NULL, views, error);
    if (status == GA_OK) {
        void *block = ga_block_room(size);
        status = block == NULL ? ga_fail(error, GA_MEMORY, "no block")
                               : ga_model_pack(model, variant, views, block, size, &result, error);
        ga_block_free(block);
    }
    return status;
}

static enum ga_status write_tensors(struct ga_error *error)
{
    return ga_weights_write("out", tensors, n_tensors, error);
}

static enum ga_status write_packed(struct ga_error *error)
{
    return ga_pack_write("out", &loaded, 1, error);
}

static enum ga_status load_packed(struct ga_error *error)
{
    struct ga_pack pack;
    struct ga_pack_map map = {.size = 0};
    const struct ga_loaded *result;
    const size_t size = ga_model_packed_size(variant);
    enum ga_status status = ga_pack_open("w.gap", &pack, error);
    if (status != GA_OK) {
        return status;
    }
    void *block = ga_block_room(size);
    status = block == NULL ? ga_fail(error, GA_MEMORY, "no block")
                           : ga_pack_load(&pack, model, variant, GA_PACK_VERIFY, block, size, &result, error);
    if (status == GA_OK) {
        status = ga_pack_map(&pack, model, variant, GA_PACK_VERIFY, &map, error);
    }
    ga_pack_unmap(&map);
    ga_block_free(block);
    ga_pack_close(&pack);
    return status;
}

typedef enum ga_status action(struct ga_error *error);

// -- Checks ---------------------------------------------------------------------------------------------------------

static size_t count_entries(void)
{
    size_t count = 0;
    DIR *entries = opendir(".");
    for (const struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) {
        count += entry->d_name[0] != '.';
    }
    if (entries) {
        closedir(entries);
    }
    return count;
}

static void put_old(void)
{
    FILE *file = fopen("out", "w");
    if (file) {
        fputs("old", file);
        fclose(file);
    }
}

static bool is_old(void)
{
    char text[8] = "";
    FILE *file = fopen("out", "r");
    if (file) {
        (void)!fgets(text, sizeof text, file);
        fclose(file);
    }
    return strcmp(text, "old") == 0;
}

// A sum of the bytes of "out", FNV-1a's.
static uint64_t sum_of_out(void)
{
    uint64_t sum = 0xcbf29ce484222325U;
    FILE *file = fopen("out", "r");
    for (int c = file ? fgetc(file) : EOF; c != EOF; c = fgetc(file)) {
        sum = (sum ^ (uint64_t)c) * 0x100000001b3U;
    }
    if (file) {
        fclose(file);
    }
    return sum;
}

// Does it with the n-th call failing for n = 1, 2, ... until no call is left to fail; each failure has the status, says
// something of the file, and leaves memory and folder as they were. An allocation of jansson's may be made up for, as a
// text is read again, if the file is what it is without the failure.
static void fail_each(struct checks *checks, const char *what, action *act, enum point call, enum ga_status expected)
{
    enum { MOST = 100000 };
    size_t n = 0;
    put_old();
    checks_that(checks, act(NULL) == GA_OK, "%s: refused though no call failed", what);
    const uint64_t sum = sum_of_out();
    const size_t entries = count_entries();
    for (bool done = false; !done && n < MOST;) {
        struct ga_error error = {.text = ""};
        put_old();
        const size_t before = live;
        made[call] = 0;
        countdown[call] = ++n;
        refused_jansson = false;
        const enum ga_status status = act(&error);
        countdown[call] = 0;
        done = made[call] < n;
        checks_that(checks, live == before, "%s: call %zu failed and %zd blocks are left", what, n, live - before);
        const bool made_up = refused_jansson && status == GA_OK && sum_of_out() == sum;
        checks_that(checks, made_up || status == (done ? GA_OK : expected), "%s: call %zu failed: %s: %s", what, n,
                    ga_status_text(status), error.text);
        checks_that(checks, status == GA_OK || (error.status == status && error.text[0] != '\0'),
                    "%s: call %zu failed without a word", what, n);
        checks_that(checks, count_entries() == entries, "%s: call %zu left a file", what, n);
        checks_that(checks, status == GA_OK || is_old(), "%s: call %zu took the old file", what, n);
    }
    checks_that(checks, n > 1 && n < MOST, "%s: no call was made to fail", what);
    printf("%s: %s: %zu points of failure\n", model->name, what, n - 1);
}

// A disk that is full in the middle of the file, as the kernel says it.
static void fill_disk(struct checks *checks, const char *what, action *act, size_t size)
{
    struct rlimit old, limit;
    struct ga_error error = {.text = ""};
    put_old();
    const size_t entries = count_entries();
    (void)getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){.rlim_cur = size / 2, .rlim_max = old.rlim_max};
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    const enum ga_status status = act(&error);
    (void)setrlimit(RLIMIT_FSIZE, &old);
    checks_that(checks, status == GA_IO && strstr(error.text, "out: cannot write: File too large"), "%s: %s: %s", what,
                ga_status_text(status), error.text);
    checks_that(checks, count_entries() == entries && is_old(), "%s: a full disk left or took a file", what);
}

static enum ga_status write_nowhere(struct ga_error *error)
{
    return ga_pack_write("absent/out", &loaded, 1, error);
}

static enum ga_status write_to_folder(struct ga_error *error)
{
    return ga_pack_write("folder", &loaded, 1, error);
}

static void expect_io(struct checks *checks, action *act, const char *expected)
{
    struct ga_error error = {.text = ""};
    const size_t entries = count_entries(), before = live;
    const enum ga_status status = act(&error);
    checks_that(checks, status == GA_IO && strstr(error.text, expected), "%s; expected '%s'", error.text, expected);
    checks_that(checks, count_entries() == entries && live == before, "%s: something is left", expected);
}

// -- A model and its files ------------------------------------------------------------------------------------------

static bool is_listed(const char *name)
{
    for (size_t i = 0; i < n_tensors; i++) {
        if (strcmp(tensors[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The tensors of a file by the model's first map.
static bool make_tensors(void)
{
    tensors = calloc(model->n_roles, sizeof *tensors);
    for (size_t i = 0; tensors && i < model->n_roles; i++) {
        const struct ga_weight_source *source = &model->maps[0].sources[i];
        struct ga_tensor *tensor = &tensors[n_tensors];
        size_t elements = 0;
        if (is_listed(source->tensor)) {
            continue;
        }
        *tensor = (struct ga_tensor){.name = source->tensor, .dtype = GA_F32, .rank = source->rank};
        memcpy(tensor->shape, source->shape, source->rank * sizeof *source->shape);
        float *data =
            ga_shape_elements(source->rank, source->shape, &elements) ? malloc(elements * sizeof *data) : NULL;
        for (size_t e = 0; data && e < elements; e++) {
            data[e] = (float)(e % 17) / 16.0f - 0.5f;
        }
        tensor->data = data;
        n_tensors += data != NULL;
    }
    return n_tensors > 0;
}

static void free_tensors(void)
{
    for (size_t i = 0; i < n_tensors; i++) {
        free((void *)(uintptr_t)tensors[i].data);
    }
    free(tensors);
    tensors = NULL;
    n_tensors = 0;
}

static void fail_writing(struct checks *checks)
{
    static const char *const names[][CALLS] = {
        {"", "writes of tensors", "flushes of tensors", "links of tensors", "renames of tensors"},
        {"", "writes of packed weights", "flushes of packed weights", "links of packed weights",
         "renames of packed weights"}};
    for (enum point call = CALL_WRITE; call < CALLS; call++) {
        if (call != CALL_LINK || has_unnamed) {
            fail_each(checks, names[0][call], write_tensors, call, GA_IO);
            fail_each(checks, names[1][call], write_packed, call, GA_IO);
        }
    }
    fill_disk(checks, "tensors", write_tensors, 4 * (size_t)n_tensors);
    fill_disk(checks, "packed weights", write_packed, GA_PACK_HEADER + variant->packed_bytes);
}

static void check_model(struct checks *checks)
{
    struct ga_error error = {.text = ""};
    void *block =
        ga_model_variant(model, NULL, &variant, &error) == GA_OK ? ga_block_room(ga_model_packed_size(variant)) : NULL;
    checks_subject(checks, model->name, "");
    bool ok = make_tensors() && block && ga_weights_write("w.safetensors", tensors, n_tensors, &error) == GA_OK &&
              ga_weights_open("w.safetensors", &weights, &error) == GA_OK &&
              ga_load_views(model, weights, NULL, views, &error) == GA_OK &&
              ga_model_pack(model, variant, views, block, ga_model_packed_size(variant), &loaded, &error) == GA_OK &&
              ga_pack_write("w.gap", &loaded, 1, &error) == GA_OK;
    if (checks_need(checks, ok, "no files to begin with: %s", error.text)) {
        fail_each(checks, "finding and packing", find_and_pack, CALL_ALLOCATE, GA_MEMORY);
        fail_each(checks, "writing tensors", write_tensors, CALL_ALLOCATE, GA_MEMORY);
        fail_each(checks, "writing packed weights", write_packed, CALL_ALLOCATE, GA_MEMORY);
        fail_each(checks, "loading packed weights", load_packed, CALL_ALLOCATE, GA_MEMORY);
        for (int unnamed = 0; unnamed <= 1; unnamed++) {
            has_unnamed = unnamed == 1;
            fail_writing(checks);
        }
        expect_io(checks, write_nowhere, "absent/out: cannot make a temporary file in its folder: No such file");
        expect_io(checks, write_to_folder, "folder: is not a regular file, and only such a one is replaced");
    }
    ga_weights_close(weights);
    weights = NULL;
    ga_block_free(block);
    free_tensors();
}

int main(void)
{
    static const char *const names[] = {"small_24_3", "bert_48_4", "gpt2_48_4"}; // a layer, a stack, one with a cache
    static struct checks checks;
    char folder[] = "/tmp/ga_failures_XXXXXX";
    (void)signal(SIGXFSZ, SIG_IGN);
    checks = checks_new("a failure is told and leaves nothing", 1);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("folder", 0777) != 0) {
        perror(folder);
        return 1;
    }
    for (size_t m = 0; m < n_ga_test_models; m++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            model = ga_test_models[m];
            if (strcmp(model->name, names[i]) == 0) {
                check_model(&checks);
            }
        }
    }
    const char *const left[] = {"out", "w.safetensors", "w.gap", "folder"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        (void)remove(left[i]);
    }
    checks_that(&checks, chdir("/") == 0 && rmdir(folder) == 0, "%s is not empty", folder);
    printf("%s%zu checks, %zu failed\n", checks.messages, checks.done, checks.failed);
    return checks.failed == 0 && checks.done > 0 ? 0 : 1;
}
