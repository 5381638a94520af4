/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h - the environment that a command starts with */
#ifndef CREEL_NM_ENVIRONMENT_H
#define CREEL_NM_ENVIRONMENT_H

#include <stddef.h>

struct environment {
    char **entries;                     /* "NAME=value", NULL-terminated, each name once */
    size_t count, capacity;
};

/* Set NAME, replacing an earlier value in its place. */
void environment_set(struct environment *environment, const char *name, const char *value);
/* The same from "NAME=value"; a text without "=" or name is ignored. */
void environment_put(struct environment *environment, const char *entry);
/* Copy from FROM (as environ) the variables that the comma-separated LIST names. */
void environment_pass(struct environment *environment, const char *list, char *const *from);
const char *environment_get(const struct environment *environment, const char *name);
void environment_clear(struct environment *environment);

#endif
