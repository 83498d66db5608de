// checks.h: counts checks and keeps the first failures with what was being looked at, for any test framework or none.
// Never ends a test: the caller decides what a failure means.
#ifndef TESTS_CHECKS_H
#define TESTS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHECKS_SUBJECT = 64, CHECKS_SITUATION = 256, CHECKS_MESSAGES = 2048 };

struct checks {
    const char *fact;                 // what is checked, in words
    double effort;                    // how much of the usual work to do; 1 is all of it
    uint64_t seed;                    // of random calls in place of the usual ones; 0: the usual ones
    bool one_set;                     // of instruction sets, the best; else each that this CPU runs
    double worst;                     // largest error that was compared, in parts of what was allowed
    size_t done, failed;              //
    char subject[CHECKS_SUBJECT];     // "mha_512_8 avx2"
    char situation[CHECKS_SITUATION]; // "batch 3, q_len 7, ..."
    char messages[CHECKS_MESSAGES];   // the first failures, one a line
};

// Checks that have not begun; fact must outlive them.
struct checks checks_new(const char *fact, double effort);

// The subject of the next checks; each message has both.
void checks_subject(struct checks *checks, const char *model, const char *part);
void checks_situation(struct checks *checks, const char *situation);

// Counts one check; where it does not hold, keeps "subject: situation: " and the printf-formatted message. Returns ok.
bool checks_that(struct checks *checks, bool ok, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// The same for what a test needs before it can check anything: counted only where it does not hold.
bool checks_need(struct checks *checks, bool ok, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// From now on a fault (a touched guard page, an illegal instruction) writes what checks was about to stderr before the
// process ends as it would have; checks must outlive the tests.
void checks_name_faults(const struct checks *checks);

// Ends this process by SIGALRM in so many seconds, should it hang: a child, whose parent waits for it. Whatever whoever
// started the tests had blocked or ignored.
void checks_end_in(unsigned int seconds);

#endif
