// split_scan.h: the regular expressions of byte-level models in wide use, as scanners written by hand. Internal to
// libga_text. Each gives the ranges that the expression gives; what has no scanner, PCRE2 runs.
#ifndef GA_TEXT_SPLIT_SCAN_H
#define GA_TEXT_SPLIT_SCAN_H

#include "bytes.h"

// The end of the match that begins at `at`, in valid UTF-8; matches touch and leave nothing out. at < end.
typedef size_t ga_text_scan(const char *text, size_t at, size_t end);

// GPT-2 and RoBERTa; ByteLevel has it built in.
size_t ga_text_scan_gpt2(const char *text, size_t at, size_t end);

// The scanner of a regular expression, or NULL: it is known by its text.
ga_text_scan *ga_text_scan_of(struct ga_text_bytes expression);

#endif
