/* SPDX-License-Identifier: Apache-2.0 */
/* escaped_text.c - text of any bytes but NUL as UTF-8 */
#include "common/base/escaped_text.h"

#include <string.h>

#include "common/base/utf8.h"

/* U+10FE00 to U+10FEFF in UTF-8: f4 8f b8..bb 80..bf */
#define ESCAPE_BYTES 4
#define CHARACTER_BYTES 4 /* of the longest character */

/* Returns the byte whose escape is at TEXT; -1: there is none. */
static int escape_at(const unsigned char *text)
{
    if (text[0] != 0xf4 || text[1] != 0x8f || (text[2] & 0xfc) != 0xb8 || (text[3] & 0xc0) != 0x80)
        return -1;
    return (text[2] & 0x03) << 6 | (text[3] & 0x3f);
}

/* Returns the bytes of the character at TEXT that stays as it is; 0: its first byte is escaped. */
static size_t plain_length(const unsigned char *text)
{
    return escape_at(text) >= 0 ? 0 : utf8_length(text);
}

bool escaped_text_is_needed(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t length = *at < 0x80 ? 1 : plain_length(at);

        if (length == 0)
            return true;
        at += length;
    }
    return false;
}

char *escaped_text_make(struct arena *arena, const char *text)
{
    unsigned char *escaped = arena_array0(arena, strlen(text) * ESCAPE_BYTES + 1, 1), *to = escaped;

    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t length = plain_length(at);

        for (size_t i = 0; i < length; i++)
            *to++ = *at++;
        if (length > 0)
            continue;
        *to++ = 0xf4;
        *to++ = 0x8f;
        *to++ = (unsigned char)(0xb8 | *at >> 6);
        *to++ = (unsigned char)(0x80 | (*at++ & 0x3f));
    }
    return (char *)escaped;
}

/* Returns whether the bytes of the escapes from AT on begin with a character that escaped_text_make does not
 * escape. Bytes of escapes alone can: no character that is cut continues with a plain one. */
static bool hides_character(const unsigned char *at)
{
    unsigned char bytes[CHARACTER_BYTES + 1] = { 0 };
    size_t count = 0;

    for (int byte = escape_at(at); byte >= 0 && count < CHARACTER_BYTES; byte = escape_at(at)) {
        bytes[count++] = (unsigned char)byte;
        at += ESCAPE_BYTES;
    }
    return count > 0 && plain_length(bytes) > 0;
}

bool escaped_text_is_valid(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (hides_character(at))
            return false;
    return true;
}

/* Replaces each escape in TEXT by its byte, or by SHOWN unless that is 0. */
static void replace(char *text, unsigned char shown)
{
    unsigned char *to = (unsigned char *)text;

    for (const unsigned char *at = to; *at != '\0';) {
        int byte = escape_at(at);

        if (byte < 0) {
            *to++ = *at++;
            continue;
        }
        *to++ = shown ? shown : (unsigned char)byte;
        at += ESCAPE_BYTES;
    }
    *to = '\0';
}

void escaped_text_restore(char *text)
{
    replace(text, 0);
}

void escaped_text_show(char *text)
{
    replace(text, '?');
}
