// criterion.c: runs the tests of a binary one after the other, each in a child of its own, and counts them as Criterion
// does. Arguments: none, or --filter SUITE/TEST with the wildcards of sh. Judges by the child's end alone.
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum { PASSED, FAILED, SKIPPED }; // how a child ends

enum { MOST_SECONDS = 600 }; // of a test that says nothing: an emulator may be slow

static struct standin_test *first, **last = &first;
static bool has_failed; // in the child

void standin_add(struct standin_test *test)
{
    *last = test;
    last = &test->next;
}

void standin_fail(bool ends, const char *file, int line, const char *check, const char *words, ...)
{
    va_list values;
    va_start(values, words);
    fprintf(stderr, "%s:%d: does not hold: %s: ", file, line, check);
    vfprintf(stderr, words, values);
    fputc('\n', stderr);
    va_end(values);
    has_failed = true;
    if (ends) {
        exit(FAILED);
    }
}

void standin_skip(const char *words, ...)
{
    va_list values;
    va_start(values, words);
    fputs("SKIP ", stdout);
    vprintf(words, values);
    putchar('\n');
    va_end(values);
    exit(SKIPPED);
}

// The options of a test's suite, or none.
static struct standin_options suite_options(const struct standin_test *test)
{
    for (const struct standin_test *suite = first; suite; suite = suite->next) {
        if (!suite->name && strcmp(suite->suite, test->suite) == 0) {
            return suite->options;
        }
    }
    return (struct standin_options){0};
}

static _Noreturn void run_child(const struct standin_test *test)
{
    const struct standin_options own = test->options, of_suite = suite_options(test);
    void (*const init)(void) = own.init ? own.init : of_suite.init;
    void (*const fini)(void) = own.fini ? own.fini : of_suite.fini;
    const double seconds = own.timeout > 0 ? own.timeout : of_suite.timeout > 0 ? of_suite.timeout : MOST_SECONDS;
    alarm((unsigned)ceil(seconds));
    if (init) {
        init();
    }
    test->run();
    if (fini) {
        fini();
    }
    exit(has_failed ? FAILED : PASSED);
}

// Whether the test's child ended as it must; a test that was left out counts as one that passed.
static bool passes(const struct standin_test *test)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        run_child(test);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        return false;
    }
    if (test->options.signal != 0) {
        return WIFSIGNALED(status) && WTERMSIG(status) == test->options.signal;
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "%s/%s: ended by signal %d\n", test->suite, test->name, WTERMSIG(status));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) != FAILED;
}

int main(int argc, char **argv)
{
    const char *filter = argc == 3 && strcmp(argv[1], "--filter") == 0 ? argv[2] : "*";
    size_t passed = 0, failed = 0;
    if (argc != 1 && argc != 3) {
        fprintf(stderr, "usage: %s [--filter SUITE/TEST]\n", argv[0]);
        return 2;
    }
    for (const struct standin_test *test = first; test; test = test->next) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", test->suite, test->name ? test->name : "");
        if (test->name && fnmatch(filter, name, 0) == 0) {
            const bool held = passes(test);
            passed += held;
            failed += !held;
            if (!held) {
                printf("FAIL %s\n", name);
            }
        }
    }
    printf("Tested: %zu | Passing: %zu | Failing: %zu | Crashing: 0\n", passed + failed, passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
