// fuzz.c: the tools of fuzz.h, by libc and what the sanitizers' runtime tells of memory.
#define _GNU_SOURCE // glibc: stdout and stderr may be pointed elsewhere
#include "fuzz.h"

#include <fcntl.h>
#include <sanitizer/allocator_interface.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

const struct ga_model *fuzz_model(const char *name)
{
    const struct ga_model *model = NULL;
    for (size_t m = 0; m < n_ga_test_models; m++) {
        model = strcmp(ga_test_models[m]->name, name) == 0 ? ga_test_models[m] : model;
    }
    fuzz_need(model != NULL, "no model %s in this build", name);
    return model;
}

void fuzz_need(bool ok, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (!ok) {
        dprintf(STDERR_FILENO, "FOUND: ");
        vdprintf(STDERR_FILENO, format, values);
        dprintf(STDERR_FILENO, "\n");
        abort();
    }
    va_end(values);
}

uint64_t fuzz_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3U;
    }
    return hash ^ hash >> 32;
}

// -- Files ----------------------------------------------------------------------------------------------------------

enum { MOST_PATH = 128 };

static const char *const names[] = {"in.safetensors", "in.gguf", "other.safetensors", "out.safetensors",
                                    "in.txt",         "out.svg", "out.html",          "in.index.json"};
enum { FILES = sizeof names / sizeof *names };
static char folder[MOST_PATH], paths[FILES][2 * MOST_PATH];

static void remove_folder(void)
{
    for (size_t i = 0; i < FILES; i++) {
        (void)unlink(paths[i]);
    }
    (void)rmdir(folder);
}

// In memory where the system has a place for that, so that no disk is worn out.
void fuzz_start(void)
{
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof folder, "%s/genattn-fuzz-XXXXXX", parent);
    fuzz_need(mkdtemp(folder) != NULL, "no folder can be made in %s", parent);
    for (size_t i = 0; i < FILES; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    }
    (void)atexit(remove_folder);
}

const char *fuzz_path(const char *name)
{
    size_t i = 0;
    while (i < FILES && strcmp(names[i], name) != 0) {
        i++;
    }
    fuzz_need(i < FILES, "no file is called %s", name);
    return paths[i];
}

const char *fuzz_write(const char *name, const void *bytes, size_t size)
{
    const char *path = fuzz_path(name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_need(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0, "cannot write %s", path);
    return path;
}

bool fuzz_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// -- The program ----------------------------------------------------------------------------------------------------

// A control character, also one of two bytes (U+0080 to U+009F), but the end of a line and a tab.
static bool steers(const unsigned char *text, size_t size, size_t i)
{
    const bool is_c1 = text[i] == 0xc2 && i + 1 < size && text[i + 1] >= 0x80 && text[i + 1] < 0xa0;
    return is_c1 || text[i] == 0x7f || (text[i] < 0x20 && text[i] != '\n' && text[i] != '\t');
}

// A stream into memory, in place of one of the process's.
struct said {
    FILE *before;
    char *text;
    size_t size;
};
static struct said out, err;

static FILE *listen_to(FILE *stream, struct said *said)
{
    said->before = stream;
    FILE *const memory_stream = open_memstream(&said->text, &said->size);
    fuzz_need(memory_stream != NULL, "no memory for a stream");
    return memory_stream;
}

static FILE *stop_listening(FILE *stream, struct said *said)
{
    (void)fclose(stream);
    for (size_t i = 0; i < said->size; i++) {
        fuzz_need(!steers((const unsigned char *)said->text, said->size, i), "byte 0x%02x was said: %.400s",
                  (unsigned char)said->text[i], said->text);
    }
    free(said->text);
    return said->before;
}

void fuzz_listen_begin(void)
{
    stdout = listen_to(stdout, &out);
    stderr = listen_to(stderr, &err);
}

void fuzz_listen_end(int code)
{
    stdout = stop_listening(stdout, &out);
    stderr = stop_listening(stderr, &err);
    fuzz_need(code == 0 || err.size > 1, "exit code %d without a word", code);
}

int fuzz_program(const struct ga_model *model, const char *const *words)
{
    enum { MOST_WORDS = 24 };
    char *argv[MOST_WORDS + 1] = {(char *)model->name};
    int argc = 1;
    while (words[argc - 1] != NULL && argc < MOST_WORDS) {
        argv[argc] = (char *)words[argc - 1]; // the program does not write to them
        argc++;
    }
    fuzz_listen_begin();
    const int code = ga_program(model, argc, argv);
    fuzz_listen_end(code);
    fuzz_need(code >= 0 && code <= 2, "exit code %d", code);
    return code;
}

// -- Memory ---------------------------------------------------------------------------------------------------------

static struct {
    bool on;
    size_t now;
    struct fuzz_memory found;
} memory;

static void on_malloc(const volatile void *block, size_t size)
{
    (void)block;
    if (memory.on) {
        memory.now += size;
        memory.found.largest = size > memory.found.largest ? size : memory.found.largest;
        memory.found.most = memory.now > memory.found.most ? memory.now : memory.found.most;
    }
}

// What was allocated before may be freed within.
static void on_free(const volatile void *block)
{
    const size_t size = memory.on && block ? __sanitizer_get_allocated_size((const void *)block) : 0;
    memory.now -= size < memory.now ? size : memory.now;
}

void fuzz_memory_begin(void)
{
    static bool installed;
    if (!installed) {
        fuzz_need(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0, "allocations cannot be counted");
        installed = true;
    }
    memory.now = 0;
    memory.found = (struct fuzz_memory){0, 0};
    memory.on = true;
}

struct fuzz_memory fuzz_memory_end(void)
{
    memory.on = false;
    return memory.found;
}

// -- Files of weights -----------------------------------------------------------------------------------------------

void fuzz_check_error(enum ga_status status, const struct ga_error *error, const char *label, size_t size,
                      const char *what)
{
    fuzz_need(status != GA_OK && status == error->status, "%s: status %d, in the error %d", what, (int)status,
              (int)error->status);
    fuzz_need(strncmp(error->text, label, strlen(label)) == 0 && strlen(error->text) > strlen(label) + 2,
              "%s: says \"%s\"", what, error->text);
    for (const char *at = error->text; *at; at++) {
        fuzz_need(*at >= 0x20 && *at < 0x7f, "%s: the error holds byte 0x%02x", what, (unsigned char)*at);
    }
    fuzz_need(error->offset == GA_NO_OFFSET || error->offset <= size, "%s: byte %llu of %zu is wrong", what,
              (unsigned long long)error->offset, size);
    fuzz_need(status != GA_FORMAT || error->fault != GA_FAULT_NONE, "%s: no fault: %s", what, error->text);
}

void fuzz_check_memory(struct fuzz_memory memory, size_t size)
{
    enum { FIXED = 16384, LARGEST_TIMES = 24, MOST_TIMES = 34 };
    fuzz_need(memory.largest <= FIXED + LARGEST_TIMES * size, "a block of %zu bytes for a file of %zu", memory.largest,
              size);
    fuzz_need(memory.most <= FIXED + MOST_TIMES * size, "%zu bytes for a file of %zu", memory.most, size);
}
