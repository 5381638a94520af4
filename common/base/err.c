/* SPDX-License-Identifier: Apache-2.0 */
/* err.c - struct err, the error code and message of a failed call */
#include "common/base/err.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

/* Replaces the end of TEXT by "...". Whole UTF-8 characters are removed: callers put these texts into JSON,
 * which does not allow partial characters. */
static void mark_cut(char *text)
{
    memcpy(text + utf8_cut(text, ERR_TEXT_MAX - 4), "...", 4);
}

int err_vset(struct err *err, int code, const char *format, va_list args)
{
    int length;

    assert(code > 0);
    if (err == NULL)
        return -code;
    err->code = code;
    length = vsnprintf(err->text, sizeof(err->text), format, args);
    if (length >= ERR_TEXT_MAX)
        mark_cut(err->text);
    return -code;
}

int err_set(struct err *err, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset(err, code, format, args);
    va_end(args);
    return -code;
}

int err_set_errno(struct err *err, int code, const char *format, ...)
{
    va_list args;
    size_t used;

    va_start(args, format);
    err_vset(err, code, format, args);
    va_end(args);
    if (err == NULL)
        return -code;
    used = strlen(err->text);
    if (snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(code)) >=
        (int)(sizeof(err->text) - used))
        mark_cut(err->text);
    return -code;
}

void err_prefix(struct err *err, const char *format, ...)
{
    char old[ERR_TEXT_MAX];
    va_list args;
    size_t used;

    if (err == NULL)
        return;
    memcpy(old, err->text, sizeof(old));
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    used = strlen(err->text);
    if (snprintf(err->text + used, sizeof(err->text) - used, ": %s", old) >= (int)(sizeof(err->text) - used))
        mark_cut(err->text);
}

_Noreturn void err_abort(const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "creel: fault of the program: %s\n", text);
    abort();
}
