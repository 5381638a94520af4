/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - how users sign in: the key creel.security.identity */
#ifndef CREEL_CONF_IDENTITY_H
#define CREEL_CONF_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

enum identity_method { IDENTITY_CERTIFICATE, IDENTITY_MUNGE };

#define IDENTITY_METHODS 2

struct identity {
    enum identity_method methods[IDENTITY_METHODS]; /* in the order in which a client tries them */
    size_t count;                                   /* 1 or more; each method at most once */
};

/* Reads the list. -EINVAL: a word is no method or occurs twice, or there is none; ERR has key and word. */
int identity_read(const struct conf *conf, struct identity *ret, struct err *err);
bool identity_has(const struct identity *identity, enum identity_method method);
/* Writes the methods to TEXT: "certificate and munge". Returns TEXT. */
const char *identity_describe(const struct identity *identity, char text[64]);

#endif
