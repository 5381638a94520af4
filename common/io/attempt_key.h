/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt_key.h - derives the CURVE key pair of an application master
 *
 * The key pair is derived from the token of the attempt, which the resource manager signs and passes only to
 * the attempt's first container. The resource manager and the application master derive the key when they
 * need it; no key is stored or sent. A new attempt has another token, and so another key. A process that has
 * the token also has the key. The token alone decides which requests are allowed.
 */
#ifndef CREEL_IO_ATTEMPT_KEY_H
#define CREEL_IO_ATTEMPT_KEY_H

#include <stddef.h>

#include "common/io/keys.h"

/* Derives KEY from TOKEN, SIZE bytes of a SignedToken TOKEN_AM. */
void attempt_key_derive(const void *token, size_t size, struct key *key);

#endif
