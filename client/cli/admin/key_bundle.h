/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_bundle.h - the keys that one node or user needs, as a few lines of text to pass through ssh
 *
 *   creel-keys 1
 *   rm PUBLIC
 *   agent NAME PUBLIC SECRET            or: user NAME PUBLIC SECRET
 */
#ifndef CREEL_CLI_KEY_BUNDLE_H
#define CREEL_CLI_KEY_BUNDLE_H

#include <stdio.h>

#include "common/base/err.h"
#include "common/io/keys/keys.h"

struct key_bundle {
    char name[256];
    struct key rm;  /* the public half alone */
    struct key own; /* of the agent or user NAME */
};

/* Writes the keys of NAME, an agent or a user, from the key directory DIRECTORY to OUT. If OUT is a file,
 * only its owner can read it afterwards. */
int key_bundle_write(FILE *out, const char *directory, enum key_owner owner, const char *name,
                     struct err *err);

/* Reads the keys of an agent or a user from the file PATH; "-": standard input. -EINVAL: these are not such
 * keys, or not all of them. The caller wipes *RET. */
int key_bundle_read(const char *path, enum key_owner owner, struct key_bundle *ret, struct err *err);

#endif
