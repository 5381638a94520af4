/* SPDX-License-Identifier: Apache-2.0 */
/* z85.c - encodes and decodes binary keys as text, as ZeroMQ RFC 32 defines */
#include "common/io/keys/z85.h"

#include <assert.h>
#include <string.h>

#define BASE 85

static const char digits[BASE + 1] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

static void encode_group(const uint8_t bytes[4], char text[5])
{
    uint32_t value = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];

    for (int i = 4; i >= 0; i--) {
        text[i] = digits[value % BASE];
        value /= BASE;
    }
}

void z85_encode(const uint8_t *bytes, size_t size, char *text)
{
    assert(size % 4 == 0);
    for (size_t i = 0; i < size / 4; i++)
        encode_group(bytes + 4 * i, text + 5 * i);
    text[size / 4 * 5] = '\0';
}

static bool decode_group(const char text[5], uint8_t bytes[4])
{
    uint64_t value = 0;

    for (int i = 0; i < 5; i++) {
        const char *digit = strchr(digits, text[i]);

        if (digit == NULL)
            return false;
        value = value * BASE + (uint64_t)(digit - digits);
    }
    if (value > UINT32_MAX)
        return false;
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    return true;
}

bool z85_decode(const char *text, uint8_t *bytes, size_t size)
{
    if (size % 4 != 0 || strlen(text) != size / 4 * 5)
        return false;
    for (size_t i = 0; i < size / 4; i++)
        if (!decode_group(text + 5 * i, bytes + 4 * i))
            return false;
    return true;
}
