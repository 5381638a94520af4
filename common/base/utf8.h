/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - checks whether text is well-formed UTF-8, and cuts it between characters */
#ifndef CREEL_BASE_UTF8_H
#define CREEL_BASE_UTF8_H

#include <stddef.h>

/* Returns the number of bytes of the character at TEXT (terminated); 0 if the character is not well-formed:
 * cut, overlong, a surrogate, or beyond U+10FFFF. */
size_t utf8_length(const unsigned char *text);
/* The same for a character at TEXT that must end within SIZE bytes. SIZE is at least 1. */
size_t utf8_length_within(const unsigned char *text, size_t size);

/* Returns the largest length, at most SIZE, at which TEXT, which has more than SIZE bytes, can be cut without
 * a part of a character. */
static inline size_t utf8_cut(const char *text, size_t size)
{
    size_t length = size;

    while (length > 0 && size - length < 3 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

#endif
