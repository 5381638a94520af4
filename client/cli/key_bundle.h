/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_bundle.h - the keys that one node needs, as a few lines of text to pass through ssh
 *
 *   creel-keys 1
 *   rm PUBLIC
 *   agent NAME PUBLIC SECRET
 */
#ifndef CREEL_CLI_KEY_BUNDLE_H
#define CREEL_CLI_KEY_BUNDLE_H

#include <stdio.h>

#include "common/base/err.h"
#include "common/io/keys.h"

struct key_bundle {
    char agent_name[256];
    struct key rm; /* the public half alone */
    struct key agent;
};

/* Write the keys of agent NAME of the key directory DIRECTORY to OUT. */
int key_bundle_write(FILE *out, const char *directory, const char *name, struct err *err);

/* Read one from IN, which the messages call LABEL. -EINVAL: it is none, or is not complete. */
int key_bundle_read(FILE *in, const char *label, struct key_bundle *ret, struct err *err);

#endif
