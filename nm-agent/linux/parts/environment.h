/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h - builds the environment variables of a command */
#ifndef CREEL_NM_ENVIRONMENT_H
#define CREEL_NM_ENVIRONMENT_H

#include <stddef.h>

struct environment {
    char **entries; /* "NAME=value", NULL-terminated, each name once */
    size_t count, capacity;
};

/* Sets NAME, replacing an earlier value at the same position. */
void environment_set(struct environment *environment, const char *name, const char *value);
/* Does the same as environment_set with "NAME=value"; a text without "=" or name is ignored. */
void environment_put(struct environment *environment, const char *entry);
/* Copies the variables that the comma-separated LIST names from FROM (an array like environ). */
void environment_pass(struct environment *environment, const char *list, char *const *from);
const char *environment_get(const struct environment *environment, const char *name);
void environment_clear(struct environment *environment);

#endif
