/* SPDX-License-Identifier: Apache-2.0 */
/* problems.c - collects all errors of a configuration, not just the first */
#include "common/conf/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/base/utf8.h"

void problem_error(struct problems *problems, int code, const char *format, ...)
{
    va_list args;

    if (problems->code == 0)
        problems->code = code;
    if (problems->count < PROBLEMS_LINES_MAX) {
        va_start(args, format);
        problems->lines[problems->count] = mem_vprintf(format, args);
        va_end(args);
    }
    problems->count++;
}

__attribute__((format(printf, 3, 0))) static void remark(struct problems *problems, enum conf_effect effect,
                                                         const char *format, va_list args)
{
    scoped_free char *text = problems->warn != NULL ? mem_vprintf(format, args) : NULL;

    if (text != NULL)
        problems->warn(problems->context, effect, text);
}

void problem_warn(struct problems *problems, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    remark(problems, CONF_WARNING, format, args);
    va_end(args);
}

void problem_note(struct problems *problems, enum conf_effect effect, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    remark(problems, effect, format, args);
    va_end(args);
}

/* Returns how many of the collected lines fit into ERR_TEXT_MAX bytes, with ROOM bytes left for the sentence
 * about the others. Returns at least 1, even if this line must be cut. */
static size_t lines_that_fit(const struct problems *problems, size_t room)
{
    size_t kept = problems->count < PROBLEMS_LINES_MAX ? problems->count : PROBLEMS_LINES_MAX;
    size_t used = 0, fit;

    for (fit = 0; fit < kept; fit++) {
        size_t reserve = fit + 1 < problems->count ? room : 0;

        used += strlen(problems->lines[fit]) + 1;
        if (used + reserve > ERR_TEXT_MAX)
            break;
    }
    return fit ? fit : 1;
}

int problems_finish(struct problems *problems, struct err *err)
{
    int result = 0;

    if (problems->count > 0) {
        size_t fit = lines_that_fit(problems, 40);
        scoped_free char *text = text_builder_join(NULL, (const char *const *)problems->lines, fit, "\n");

        if (fit < problems->count)
            result = err_set(err, problems->code, "%s\n... and %zu more", text, problems->count - fit);
        else
            result = err_set(err, problems->code, "%s", text);
    }
    for (size_t i = 0; i < PROBLEMS_LINES_MAX; i++)
        free(problems->lines[i]);
    *problems = (struct problems){ .warn = problems->warn, .context = problems->context };
    return result;
}

const char *problems_show(const char *text, char shown[PROBLEMS_SHOWN_MAX])
{
    size_t used = 0, mark = 0;

    while (*text) {
        size_t length = utf8_length((const unsigned char *)text);
        bool plain = length > 0 && (unsigned char)*text >= 0x20 && *text != 0x7f;

        if (!plain)
            length = 1;
        if (used + length >= PROBLEMS_SHOWN_MAX) {
            used = mark;
            memcpy(shown + used, "...", 3);
            used += 3;
            break;
        }
        if (plain)
            memcpy(shown + used, text, length);
        else
            shown[used] = '?';
        used += length;
        text += length;
        if (used + 4 <= PROBLEMS_SHOWN_MAX)
            mark = used; /* latest position at which "..." still fits */
    }
    shown[used] = '\0';
    return shown;
}
