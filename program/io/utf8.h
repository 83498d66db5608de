// utf8.h: UTF-8 read a code point at a time, and text written where XML or JSON gives some characters a meaning.
// Changes no text but what its new place demands.
#ifndef GA_UTF8_H
#define GA_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { GA_NOT_UTF8 = -1 };

// The code point at *text, which moves after it; GA_NOT_UTF8 for a byte that starts none (a stray or missing
// continuation, an overlong form, a surrogate, beyond U+10FFFF), which is then passed alone. **text is not NUL.
int32_t ga_utf8_next(const char **text);

// Room the text takes, in letters: wide scripts count two, combining marks none.
size_t ga_utf8_width(const char *text);

// Writes text as XML content or as an attribute's value in either quotes. What XML cannot hold (control characters,
// bytes that are no UTF-8) becomes U+FFFD. Beyond `most` letters an ellipsis stands for the rest; 0: no limit.
void ga_put_xml(FILE *out, const char *text, size_t most);

// Writes text as a JSON string with its quotes, which is also safe inside a <script> element.
void ga_put_json(FILE *out, const char *text);

// Writes bytes[length], which NUL follows, as a JSON string that reads back to the same text: control characters are
// escaped, bytes that are no UTF-8 become U+FFFD.
void ga_put_json_text(FILE *out, const char *bytes, size_t length);

#endif
