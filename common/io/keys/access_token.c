/* SPDX-License-Identifier: Apache-2.0 */
/* access_token.c - creates and hashes access tokens */
#include "common/io/keys/access_token.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define SECRET_BYTES 32
#define HASH_BYTES 32

static const char digits[] = "0123456789abcdef";

void access_token_make(char token[ACCESS_TOKEN_TEXT])
{
    unsigned char secret[SECRET_BYTES];
    char text[2 * SECRET_BYTES + 1];

    randombytes_buf(secret, sizeof(secret));
    sodium_bin2hex(text, sizeof(text), secret, sizeof(secret));
    snprintf(token, ACCESS_TOKEN_TEXT, "%s%s", ACCESS_TOKEN_PREFIX, text);
    sodium_memzero(secret, sizeof(secret));
    sodium_memzero(text, sizeof(text));
}

bool access_token_hash(const char *token, char hash[ACCESS_TOKEN_HASH_TEXT])
{
    size_t prefix = strlen(ACCESS_TOKEN_PREFIX), length = strlen(token);
    unsigned char bytes[HASH_BYTES];

    if (length != ACCESS_TOKEN_TEXT - 1 || strncmp(token, ACCESS_TOKEN_PREFIX, prefix) != 0 ||
        strspn(token + prefix, digits) != length - prefix)
        return false;
    crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)token, length, NULL, 0);
    sodium_bin2hex(hash, ACCESS_TOKEN_HASH_TEXT, bytes, sizeof(bytes));
    return true;
}
