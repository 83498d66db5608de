// unicode_classes.h: the table that tools/unicode_classes.py writes. Internal to unicode.c.
#ifndef GA_TEXT_UNICODE_CLASSES_H
#define GA_TEXT_UNICODE_CLASSES_H

#include <stdint.h>

enum { GA_TEXT_CLASS_BITS = 11, GA_TEXT_CLASS_INDEXED = 0x20000 };

extern const uint32_t ga_text_class_runs[];  // the first code point of each run << GA_TEXT_CLASS_BITS | its classes
extern const uint16_t ga_text_class_index[]; // of each block of 256 below GA_TEXT_CLASS_INDEXED, and of the one there
extern const uint32_t ga_text_n_class_runs;

#endif
