/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.h - everything that is wrong with a configuration, not just the first
 *
 * Reader and judges report here and go on. Errors are gathered, one line each;
 * warnings go to the caller's function as they come. At the end the errors
 * become one struct err of at most PROBLEMS_LINES_MAX of them.
 */
#ifndef CREEL_CONF_PROBLEMS_H
#define CREEL_CONF_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

#define PROBLEMS_LINES_MAX 20

struct problems {
    conf_warn_fn *warn;         /* may be NULL */
    void *context;
    int code;                   /* of the first error; 0: none so far */
    size_t count;               /* errors */
    char *lines[PROBLEMS_LINES_MAX];    /* owned; the first of them */
};

/* CODE is a positive errno: EINVAL for what is wrong, others for what cannot be read. */
void problem_error(struct problems *problems, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void problem_warn(struct problems *problems, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Free what was gathered; 0 if there was no error, else fill ERR and return
 * minus the first error's code. */
int problems_finish(struct problems *problems, struct err *err);

/* TEXT for a message: at most PROBLEMS_SHOWN_MAX - 1 bytes of valid UTF-8, what
 * cannot be printed as '?', cut with "..." between characters. Returns SHOWN. */
#define PROBLEMS_SHOWN_MAX 80
const char *problems_show(const char *text, char shown[PROBLEMS_SHOWN_MAX]);

#endif
