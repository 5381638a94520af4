/* SPDX-License-Identifier: Apache-2.0 */
/* join_token.c - makes and reads join tokens */
#include "common/io/keys/join_token.h"

#include <assert.h>
#include <sodium.h>
#include <stdint.h>
#include <string.h>

#include "common/io/keys/z85.h"

#define PREFIX "creel-join-"
#define SECRET_BYTES 16
#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

struct content {
    uint8_t rm_public[32];
    uint8_t secret[SECRET_BYTES];
};

static void derive(const struct content *content, struct join_token *token)
{
    static const char purpose[] = "creel join token";
    uint8_t secret_key[crypto_box_SECRETKEYBYTES], public_key[crypto_box_PUBLICKEYBYTES];
    uint8_t hash[crypto_generichash_BYTES_MIN];

    crypto_generichash(secret_key, sizeof(secret_key), (const uint8_t *)purpose, sizeof(purpose) - 1,
                       content->secret, sizeof(content->secret));
    crypto_scalarmult_base(public_key, secret_key);
    crypto_generichash(hash, sizeof(hash), public_key, sizeof(public_key), NULL, 0);
    z85_encode(content->rm_public, sizeof(content->rm_public), token->rm_public_text);
    z85_encode(public_key, sizeof(public_key), token->key.public_text);
    z85_encode(secret_key, sizeof(secret_key), token->key.secret_text);
    sodium_bin2hex(token->id, sizeof(token->id), hash, (JOIN_TOKEN_ID - 1) / 2);
    sodium_memzero(secret_key, sizeof(secret_key));
}

void join_token_make(const char *rm_public_text, char text[JOIN_TOKEN_TEXT], struct join_token *token)
{
    struct content content;
    int rc = sodium_init();
    bool good = z85_decode(rm_public_text, content.rm_public, sizeof(content.rm_public));

    assert(rc >= 0 && good);
    (void)rc;
    (void)good;
    randombytes_buf(content.secret, sizeof(content.secret));
    memcpy(text, PREFIX, sizeof(PREFIX));
    sodium_bin2base64(text + sizeof(PREFIX) - 1, JOIN_TOKEN_TEXT - sizeof(PREFIX) + 1,
                      (const uint8_t *)&content, sizeof(content), VARIANT);
    derive(&content, token);
    sodium_memzero(&content, sizeof(content));
}

bool join_token_read(const char *text, struct join_token *token)
{
    struct content content;
    size_t size;

    if (sodium_init() < 0 || strlen(text) != JOIN_TOKEN_TEXT - 1 ||
        strncmp(text, PREFIX, sizeof(PREFIX) - 1) != 0 ||
        sodium_base642bin((uint8_t *)&content, sizeof(content), text + sizeof(PREFIX) - 1,
                          JOIN_TOKEN_TEXT - sizeof(PREFIX), NULL, &size, NULL, VARIANT) != 0 ||
        size != sizeof(content))
        return false;
    derive(&content, token);
    sodium_memzero(&content, sizeof(content));
    return true;
}
