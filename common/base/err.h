/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - what went wrong, in words, without allocating
 *
 * A function that can fail returns int: 0, or a negative errno. Where a person
 * will read the reason it takes a `struct err *` last, which may be NULL, and
 * fills it. Messages name the object and the problem, lower case, no full stop;
 * they do not begin with "error:". On failure the other outputs are untouched.
 * Modules return errors; only a program's main file and a daemon's handlers
 * log or print them, once.
 */
#ifndef CREEL_BASE_ERR_H
#define CREEL_BASE_ERR_H

#include <stdarg.h>

#define ERR_TEXT_MAX 4096

struct err {
    int code;                   /* positive errno; 0: no error */
    char text[ERR_TEXT_MAX];    /* always terminated; cut with "..." if longer */
};

/* Fill ERR (may be NULL) and return -CODE, so that reporting and returning is
 * one line: return err_set(err, ENOENT, "queue %s: not defined", name); */
int err_set(struct err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int err_vset(struct err *err, int code, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* As err_set, with ": " and strerror(CODE) behind the text. */
int err_set_errno(struct err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Put CONTEXT and ": " before the text that ERR already has; the code stays. */
void err_prefix(struct err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
