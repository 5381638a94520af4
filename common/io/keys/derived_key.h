/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived_key.h - derives a CURVE key pair from a token
 *
 * TOKEN_AM: the key pair of an application master. The resource manager signs the token of the attempt, and
 * passes it only to the attempt's first container. A new attempt has another token, and so another key. Each
 * request needs the token, too.
 * TOKEN_JOB: the key pair with which the processes of an application act as its user. All containers of the
 * application get the token.
 *
 * Both sides derive the key when they need it; no key is stored or sent. A process that has the token also
 * has the key.
 */
#ifndef CREEL_IO_DERIVED_KEY_H
#define CREEL_IO_DERIVED_KEY_H

#include <stddef.h>

#include "common/io/keys/keys.h"

/* Derives KEY from TOKEN, the SIZE bytes of a SignedToken. */
void derived_key_make(const void *token, size_t size, struct key *key);

#endif
