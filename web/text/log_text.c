/* SPDX-License-Identifier: Apache-2.0 */
/* log_text.c - makes text for a page of the bytes of a log */
#include "web/text/log_text.h"

#include <string.h>

#include "common/base/utf8.h"

/* Returns the length of the terminal escape sequence at AT ("ESC [ 1 ; 31 m" sets a colour); 0: none. */
static size_t escape_sequence(const unsigned char *at, size_t left)
{
    size_t i = 2;

    if (left < 3 || at[0] != 0x1b || at[1] != '[')
        return 0;
    while (i < left && at[i] >= 0x20 && at[i] < 0x40)
        i++;
    return i < left ? i + 1 : 0;
}

const char *log_text_clean(struct arena *arena, const unsigned char *bytes, size_t size)
{
    char *text = arena_alloc0(arena, size + 1), *out = text;

    for (size_t i = 0; i < size;) {
        size_t skipped = bytes[i] == '\r' ? 1 : escape_sequence(&bytes[i], size - i);
        size_t length = utf8_length_within(&bytes[i], size - i);

        if (skipped > 0) {
            i += skipped;
            continue;
        }
        if (length == 0 || bytes[i] == '\0')
            *out++ = '?';
        else
            memcpy(out, &bytes[i], length);
        out += length > 0 && bytes[i] != '\0' ? length : 0;
        i += length > 0 ? length : 1;
    }
    return text;
}
