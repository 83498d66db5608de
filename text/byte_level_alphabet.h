// byte_level_alphabet.h: the 256 characters that spell bytes in byte-level vocabularies: a byte that is a visible
// character of Latin-1 is that character, and the others are U+0100, U+0101, ... in their order. Internal to
// libga_text.
#ifndef GA_TEXT_BYTE_LEVEL_ALPHABET_H
#define GA_TEXT_BYTE_LEVEL_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Writes the character of a byte as UTF-8 and gives its length, 1 or 2; both bytes of `character` are written.
static inline size_t ga_text_byte_character(unsigned char byte, char character[2])
{
    const bool is_ascii = byte > 0x20 && byte < 0x7F;
    const unsigned code_point = is_ascii || (byte > 0xA0 && byte != 0xAD) ? byte
                                : byte <= 0x20                            ? 0x100u + byte
                                : byte == 0xAD                            ? 0x143u
                                                                          : 0x121u + (byte - 0x7Fu);
    character[0] = (char)(is_ascii ? byte : 0xC0 | code_point >> 6);
    character[1] = (char)(0x80 | (code_point & 0x3F));
    return is_ascii ? 1 : 2;
}

// The byte that a code point spells, or -1.
static inline int ga_text_character_byte(uint32_t code_point)
{
    if ((code_point > 0x20 && code_point < 0x7F) || (code_point > 0xA0 && code_point < 0x100 && code_point != 0xAD)) {
        return (int)code_point;
    }
    if (code_point >= 0x100 && code_point <= 0x120) {
        return (int)code_point - 0x100;
    }
    if (code_point > 0x120 && code_point < 0x143) {
        return (int)code_point - 0x121 + 0x7F;
    }
    return code_point == 0x143 ? 0xAD : -1;
}

#endif
