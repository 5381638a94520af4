/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt_key.h - the CURVE key pair of an application master
 *
 * It follows from the token of its attempt, which the resource manager signs and hands to the first container
 * alone: both sides make it when they need it, and nothing more is stored or sent. A new attempt has another
 * token, and so another key. Who has the token has the key; the token alone decides what may be asked.
 */
#ifndef CREEL_IO_ATTEMPT_KEY_H
#define CREEL_IO_ATTEMPT_KEY_H

#include <stddef.h>

#include "common/io/keys.h"

/* TOKEN: SIZE bytes of a SignedToken TOKEN_AM. */
void attempt_key_derive(const void *token, size_t size, struct key *key);

#endif
