/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in_text.h - the payload of the MUNGE credential with which a user signs in (docs/adr/0016-munge.md)
 *
 *   creel-sign-in 1 KEY RM-KEY
 * KEY is the public key of the client, RM-KEY that of the resource manager, both in Z85. So a credential is
 * for one key, one cluster and one purpose: a host or a program that gets it cannot use it for anything else.
 */
#ifndef CREEL_IO_SIGN_IN_TEXT_H
#define CREEL_IO_SIGN_IN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/keys/keys.h"

#define SIGN_IN_TEXT 98 /* bytes, terminator included */

struct sign_in_text {
    char key[KEY_TEXT];    /* of the client */
    char rm_key[KEY_TEXT]; /* of the resource manager */
};

void sign_in_text_write(const struct sign_in_text *content, char text[SIGN_IN_TEXT]);

/* Reads SIZE bytes, which need no terminator. Returns false if they are not exactly what sign_in_text_write
 * writes; RET is unchanged then. */
bool sign_in_text_read(const void *bytes, size_t size, struct sign_in_text *ret);

#endif
