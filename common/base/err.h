/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - struct err, the error code and message of a failed call; needs no allocation
 *
 * A function that can fail returns int: 0, or a negative errno. If a person will read the reason, the last
 * parameter is a `struct err *`, which may be NULL, and the function fills the struct. Messages name the
 * object and the problem, in lower case, without a full stop; they do not begin with "error:". On failure the
 * other outputs are untouched. Modules return errors; only a program's main file and a daemon's handlers log
 * or print them, once.
 */
#ifndef CREEL_BASE_ERR_H
#define CREEL_BASE_ERR_H

#include <stdarg.h>

#define ERR_TEXT_MAX 4096

struct err {
    int code;                /* positive errno; 0: no error */
    char text[ERR_TEXT_MAX]; /* always terminated; a longer text is cut and ends with "..." */
};

/* Fills ERR (may be NULL) and returns -CODE, so that a caller reports and returns an error in one line:
 * return err_set(err, ENOENT, "queue %s: not defined", name); */
int err_set(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int err_vset(struct err *err, int code, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Does the same as err_set, and appends ": " and strerror(CODE) to the text. */
int err_set_errno(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts CONTEXT and ": " before the text that ERR already has. The code does not change. */
void err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes "creel: fault of the program: TEXT" as one line to stderr, which is the log of a daemon, and aborts.
 * For states that cannot occur: TEXT names the object, its state and the event. */
_Noreturn void err_abort(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
