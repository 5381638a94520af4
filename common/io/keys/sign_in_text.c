/* SPDX-License-Identifier: Apache-2.0 */
/* sign_in_text.c - writes and reads the payload of a MUNGE credential */
#include "common/io/keys/sign_in_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/io/keys/z85.h"

#define PREFIX "creel-sign-in 1 "
#define KEY_SIZE (KEY_TEXT - 1)
#define KEY_AT (sizeof(PREFIX) - 1)
#define RM_KEY_AT (KEY_AT + KEY_SIZE + 1)

_Static_assert(RM_KEY_AT + KEY_SIZE + 1 == SIGN_IN_TEXT, "the text has this length");

void sign_in_text_write(const struct sign_in_text *content, char text[SIGN_IN_TEXT])
{
    snprintf(text, SIGN_IN_TEXT, PREFIX "%s %s", content->key, content->rm_key);
}

/* Copies the key at AT to KEY. Returns false if it is no Z85 of 32 bytes. */
static bool parse_key(const char *at, char key[KEY_TEXT])
{
    uint8_t bytes[32];

    memcpy(key, at, KEY_SIZE);
    key[KEY_SIZE] = '\0';
    return z85_decode(key, bytes, sizeof(bytes));
}

bool sign_in_text_read(const void *bytes, size_t size, struct sign_in_text *ret)
{
    const char *text = bytes;
    struct sign_in_text found;

    if (size != SIGN_IN_TEXT - 1 || memcmp(text, PREFIX, KEY_AT) != 0 || text[RM_KEY_AT - 1] != ' ' ||
        !parse_key(text + KEY_AT, found.key) || !parse_key(text + RM_KEY_AT, found.rm_key))
        return false;
    *ret = found;
    return true;
}
