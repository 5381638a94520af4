/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_token.h - the text with which a host joins a cluster (docs/adr/0014-join-tokens.md)
 *
 * A token is the public key of the resource manager and a secret, in base64:
 *   creel-join-<64 characters>
 * A CURVE key pair is made of the secret. The resource manager knows its public half only. The host connects
 * with this key pair to a server that must have the public key in the token, so both sides are authenticated
 * from the first byte.
 */
#ifndef CREEL_IO_JOIN_TOKEN_H
#define CREEL_IO_JOIN_TOKEN_H

#include <stdbool.h>

#include "common/io/keys/keys.h"

#define JOIN_TOKEN_TEXT 76 /* bytes, terminator included */
#define JOIN_TOKEN_ID 9    /* bytes, terminator included */

struct join_token {
    char rm_public_text[KEY_TEXT];
    struct key key;         /* made of the secret */
    char id[JOIN_TOKEN_ID]; /* made of the public half of KEY; eight hexadecimal digits */
};

/* Makes a new token of the cluster whose resource manager has RM_PUBLIC_TEXT (Z85). TEXT has the secret,
 * so the caller must wipe it. */
void join_token_make(const char *rm_public_text, char text[JOIN_TOKEN_TEXT], struct join_token *token);

/* Reads what join_token_make wrote. Returns false if TEXT is no token; TOKEN is unchanged then. */
bool join_token_read(const char *text, struct join_token *token);

#endif
