// criterion.h: what the tests in C use of Criterion, for machines without it, where an emulator runs them: Criterion
// starts each test by executing the binary again, which only the machine itself can. Here a test is a child by fork().
// Has no more of Criterion than the tests use.
#ifndef TESTS_CRITERION_H
#define TESTS_CRITERION_H

#pragma GCC system_header // as Criterion's is: what its macros expand to is warned of where they are used alone

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Options after the names of a test or a suite. A test's own init and fini replace those of its suite.
struct standin_options {
    int none; // before what is given, which may be nothing
    void (*init)(void), (*fini)(void);
    int signal;     // by which it must end
    double timeout; // seconds
};

struct standin_test {
    const char *suite, *name; // name NULL: of a suite
    void (*run)(void);
    struct standin_options options;
    struct standin_test *next;
};

void standin_add(struct standin_test *test);

// Says where and why a check failed; `ends`: the test with it. words: of printf, or "".
void standin_fail(bool ends, const char *file, int line, const char *check, const char *words, ...)
    __attribute__((format(printf, 5, 6)));

// Ends the test as one that was left out.
_Noreturn void standin_skip(const char *words, ...) __attribute__((format(printf, 1, 2)));

#define STANDIN_ADD(symbol, ...)                                \
    __attribute__((constructor)) static void symbol##_add(void) \
    {                                                           \
        static struct standin_test test = __VA_ARGS__;          \
        standin_add(&test);                                     \
    }
#define Test(suite_, name_, ...)                                                                             \
    static void suite_##_##name_##_run(void);                                                                \
    STANDIN_ADD(suite_##_##name_, {#suite_, #name_, suite_##_##name_##_run, {.none = 0, __VA_ARGS__}, NULL}) \
    static void suite_##_##name_##_run(void)
#define TestSuite(suite_, ...)                                                         \
    STANDIN_ADD(suite_##_suite, {#suite_, NULL, NULL, {.none = 0, __VA_ARGS__}, NULL}) \
    struct standin_test

#define STANDIN_CHECK(ends, held, text, ...) \
    ((held) ? (void)0 : standin_fail(ends, __FILE__, __LINE__, text, "" __VA_ARGS__))

#define cr_skip_test(...) standin_skip("" __VA_ARGS__)
#define cr_assert(a, ...) STANDIN_CHECK(true, a, #a, __VA_ARGS__)
#define cr_expect(a, ...) STANDIN_CHECK(false, a, #a, __VA_ARGS__)
#define cr_expect_not(a, ...) STANDIN_CHECK(false, !(a), "not " #a, __VA_ARGS__)
#define cr_assert_null(a, ...) STANDIN_CHECK(true, (a) == NULL, #a " is NULL", __VA_ARGS__)
#define cr_expect_null(a, ...) STANDIN_CHECK(false, (a) == NULL, #a " is NULL", __VA_ARGS__)
#define cr_assert_not_null(a, ...) STANDIN_CHECK(true, (a) != NULL, #a " is not NULL", __VA_ARGS__)
#define cr_expect_not_null(a, ...) STANDIN_CHECK(false, (a) != NULL, #a " is not NULL", __VA_ARGS__)
#define cr_assert_eq(a, b, ...) STANDIN_CHECK(true, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) STANDIN_CHECK(false, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) STANDIN_CHECK(true, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) STANDIN_CHECK(false, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) STANDIN_CHECK(true, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) STANDIN_CHECK(false, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) STANDIN_CHECK(true, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) STANDIN_CHECK(false, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) STANDIN_CHECK(true, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) STANDIN_CHECK(false, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) STANDIN_CHECK(false, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) STANDIN_CHECK(true, strcmp(a, b) == 0, #a " is " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) STANDIN_CHECK(false, strcmp(a, b) == 0, #a " is " #b, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, size, ...) STANDIN_CHECK(false, memcmp(a, b, size) == 0, #a " has " #b, __VA_ARGS__)
#define STANDIN_NEAR(a, b, most) (fabs((double)(a) - (double)(b)) <= (double)(most))
#define cr_assert_float_eq(a, b, most, ...) \
    STANDIN_CHECK(true, STANDIN_NEAR(a, b, most), #a " is near " #b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, most, ...) \
    STANDIN_CHECK(false, STANDIN_NEAR(a, b, most), #a " is near " #b, __VA_ARGS__)

#endif
