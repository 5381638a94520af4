/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.h - collects all errors of a configuration, not just the first
 *
 * The reader and the checks report errors to a struct problems and continue. Errors are collected, one line
 * each; warnings are passed to the caller's function at once. At the end the first PROBLEMS_LINES_MAX errors
 * become one struct err.
 */
#ifndef CREEL_CONF_PROBLEMS_H
#define CREEL_CONF_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

#define PROBLEMS_LINES_MAX 20

struct problems {
    conf_warn_fn *warn; /* may be NULL */
    void *context;
    int code;                        /* errno of the first error; 0: no error so far */
    size_t count;                    /* number of errors */
    char *lines[PROBLEMS_LINES_MAX]; /* owned; the first errors */
};

/* Reports an error. CODE is a positive errno: EINVAL for a wrong configuration, others for a file that
 * cannot be read. */
void problem_error(struct problems *problems, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void problem_warn(struct problems *problems, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Does the same as problem_warn, for a remark with EFFECT. */
void problem_note(struct problems *problems, enum conf_effect effect, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Frees the collected errors. Returns 0 if there was no error; else fills ERR and returns minus the first
 * error's code. */
int problems_finish(struct problems *problems, struct err *err);

/* Prepares TEXT for a message: at most PROBLEMS_SHOWN_MAX - 1 bytes of valid UTF-8, unprintable characters as
 * '?', cut with "..." between characters. Returns SHOWN. The longest valid key fits, which has the path of a
 * queue and a label of 255 bytes each: only values and invalid keys are cut. */
#define PROBLEMS_SHOWN_MAX 640
const char *problems_show(const char *text, char shown[PROBLEMS_SHOWN_MAX]);

#endif
