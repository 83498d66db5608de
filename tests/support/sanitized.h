// sanitized.h: whether this is compiled for a sanitizer of memory or threads, said by gcc's names for them and clang's.
// For what cannot be under one; what merely takes longer asks elsewhere.
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#ifndef __has_feature // clang's
#define __has_feature(name) 0
#endif

#if __has_feature(memory_sanitizer)
#define SANITIZED_MEMORY 1
#else
#define SANITIZED_MEMORY 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer) || SANITIZED_MEMORY
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#endif
