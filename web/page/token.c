/* SPDX-License-Identifier: Apache-2.0 */
/* token.c - makes and checks form tokens, "MINUTE-MAC" in hexadecimal */
#include "web/page/token.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

_Static_assert(WEB_FORM_KEY_SIZE == crypto_auth_KEYBYTES, "the key is one of crypto_auth");

#define MAC_TEXT_SIZE (2 * crypto_auth_BYTES + 1)
#define MINUTE_MS 60000

static void compute(char ret[MAC_TEXT_SIZE], const unsigned char *key, const char *user, int64_t minute)
{
    unsigned char mac[crypto_auth_BYTES], user_mac[crypto_auth_BYTES + sizeof(minute)];

    crypto_auth(user_mac, (const unsigned char *)user, strlen(user), key);
    memcpy(user_mac + crypto_auth_BYTES, &minute, sizeof(minute));
    crypto_auth(mac, user_mac, sizeof(user_mac), key);
    sodium_bin2hex(ret, MAC_TEXT_SIZE, mac, sizeof(mac));
}

const char *token_make(struct arena *arena, const unsigned char key[WEB_FORM_KEY_SIZE], const char *user,
                       int64_t now_ms)
{
    int64_t minute = now_ms / MINUTE_MS;
    char text[MAC_TEXT_SIZE];

    compute(text, key, user, minute);
    return arena_printf(arena, "%" PRIx64 "-%s", (uint64_t)minute, text);
}

bool token_is_valid(const unsigned char key[WEB_FORM_KEY_SIZE], const char *user, int64_t now_ms,
                    const char *token)
{
    int64_t now = now_ms / MINUTE_MS;
    char text[MAC_TEXT_SIZE];
    uint64_t minute;
    int end = 0;

    if (token == NULL || sscanf(token, "%16" SCNx64 "-%n", &minute, &end) != 1 || end == 0 ||
        strlen(token + end) != MAC_TEXT_SIZE - 1 || minute > (uint64_t)now + 1 ||
        minute + TOKEN_VALID_MIN < (uint64_t)now)
        return false;
    compute(text, key, user, (int64_t)minute);
    return sodium_memcmp(text, token + end, MAC_TEXT_SIZE - 1) == 0;
}
