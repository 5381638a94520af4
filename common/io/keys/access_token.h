/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_token.h - tokens by which creel-web authenticates a user
 *
 * A token is "creel-" and 64 hexadecimal digits, 256 random bits. It is created at the client; the resource
 * manager stores the BLAKE2b hash alone. So its store, and copies of the store, do not contain any token.
 */
#ifndef CREEL_IO_ACCESS_TOKEN_H
#define CREEL_IO_ACCESS_TOKEN_H

#include <stdbool.h>

#define ACCESS_TOKEN_PREFIX "creel-"
#define ACCESS_TOKEN_TEXT (sizeof(ACCESS_TOKEN_PREFIX) + 64)
#define ACCESS_TOKEN_HASH_TEXT 65

void access_token_make(char token[ACCESS_TOKEN_TEXT]);
/* Writes the hash of TOKEN, 64 hexadecimal digits, to HASH. Returns false if TOKEN does not have the form of
 * a token. */
bool access_token_hash(const char *token, char hash[ACCESS_TOKEN_HASH_TEXT]);

#endif
