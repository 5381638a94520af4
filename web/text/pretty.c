/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.c - writes JSON with line breaks */
#include "web/text/pretty.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>

#define DEPTH_MAX 64

struct pretty {
    FILE *out;
    bool is_object[DEPTH_MAX]; /* by depth: an object, else an array */
    size_t depth;
    size_t objects; /* around the present position */
};

static void break_line(struct pretty *to)
{
    fprintf(to->out, "\n%*s", (int)(2 * to->objects), "");
}

static void separate(struct pretty *to)
{
    if (to->is_object[to->depth - 1])
        break_line(to);
    else
        fputc(' ', to->out);
}

static void begin(struct pretty *to, char bracket, bool empty)
{
    assert(to->depth < DEPTH_MAX);
    fputc(bracket, to->out);
    to->is_object[to->depth++] = bracket == '{';
    to->objects += bracket == '{';
    if (!empty)
        separate(to);
}

static void end(struct pretty *to, char bracket, bool empty)
{
    to->objects -= bracket == '}';
    if (bracket == '}' && !empty)
        break_line(to);
    else
        fputc(' ', to->out);
    to->depth--;
    fputc(bracket, to->out);
}

/* Writes the string at TEXT, which begins with a quotation mark. Returns its length. */
static size_t copy_string(struct pretty *to, const char *text, size_t size)
{
    size_t length = 1;

    while (length < size && text[length] != '"')
        length += text[length] == '\\' ? 2 : 1;
    length = length < size ? length + 1 : size;
    fwrite(text, 1, length, to->out);
    return length;
}

static bool is_bracket(const char *text, size_t size, size_t at, char opening, char closing)
{
    return at < size && (text[at] == opening || text[at] == closing);
}

char *pretty_json(const char *text, size_t size, size_t objects, size_t *ret_size)
{
    char *result = NULL;
    struct pretty to = { .out = open_memstream(&result, ret_size), .objects = objects };

    if (to.out == NULL)
        abort();
    __fsetlocking(to.out, FSETLOCKING_BYCALLER);
    for (size_t at = 0; at < size;) {
        char c = text[at];

        if (c == '"') {
            at += copy_string(&to, text + at, size - at);
            continue;
        }
        if (c == '{' || c == '[')
            begin(&to, c, is_bracket(text, size, at + 1, '}', ']'));
        else if (c == '}' || c == ']')
            end(&to, c, is_bracket(text, at, at - 1, '{', '['));
        else if (c == ':')
            fputs(" : ", to.out);
        else
            fputc(c, to.out);
        if (c == ',')
            separate(&to);
        at++;
    }
    if (fclose(to.out) != 0)
        abort();
    return result;
}
