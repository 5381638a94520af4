/* SPDX-License-Identifier: Apache-2.0 */
/* derived_key.c - derives a CURVE key pair from a token */
#include "common/io/keys/derived_key.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "common/io/keys/z85.h"

/* Makes this hash of the token different from hashes of the token for other purposes. It is that of releases
 * that had tokens of attempts alone; the kind of a token is part of its bytes. */
#define PURPOSE "creel: CURVE key of an attempt"

void derived_key_make(const void *token, size_t size, struct key *key)
{
    uint8_t seed[crypto_box_SEEDBYTES], public_bytes[crypto_box_PUBLICKEYBYTES];
    uint8_t secret_bytes[crypto_box_SECRETKEYBYTES];
    int rc = sodium_init();

    assert(rc >= 0);
    rc = crypto_generichash(seed, sizeof(seed), token, size, (const uint8_t *)PURPOSE, strlen(PURPOSE));
    assert(rc == 0);
    rc = crypto_box_seed_keypair(public_bytes, secret_bytes, seed);
    assert(rc == 0);
    (void)rc;
    z85_encode(public_bytes, sizeof(public_bytes), key->public_text);
    z85_encode(secret_bytes, sizeof(secret_bytes), key->secret_text);
    sodium_memzero(secret_bytes, sizeof(secret_bytes));
    sodium_memzero(seed, sizeof(seed));
}
