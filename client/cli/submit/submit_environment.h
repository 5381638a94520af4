/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_environment.h - the values of --env
 *
 *     NAME=VALUE     this variable
 *     NAME,NAME      these, as they are here; each has to be set
 *     all            all variables of this process, but those that describe this process, this machine or
 *                    another job, and those that cannot be sent
 *     none           none of those before it, which is the default
 */
#ifndef CREEL_CLI_SUBMIT_ENVIRONMENT_H
#define CREEL_CLI_SUBMIT_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

struct submit_environment {
    struct arena *arena;  /* the caller's */
    const char **entries; /* "NAME=VALUE" */
    size_t count;
    const char *left_out; /* variables of "all" that cannot be sent, and why; NULL: none */
    bool all, none;
};

/* Read WORD, one value of --env. -EINVAL with a sentence. */
int submit_environment_read(struct submit_environment *environment, const char *word, struct err *err);

#endif
