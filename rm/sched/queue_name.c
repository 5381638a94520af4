/* SPDX-License-Identifier: Apache-2.0 */
/* queue_name.c - checks and converts names of queues */
#include "rm/sched/queue_name.h"

#include <string.h>

#include "common/base/mem.h"

/* Unicode white space and C1 control characters, as UTF-8. All bytes up to U+0020 are handled separately. */
static const char *const wide_blanks[] = {
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
};

/* Returns the length of the blank at the start of TEXT, which has LENGTH bytes; 0: there is none. */
static size_t blank_at_start(const char *text, size_t length)
{
    if (length > 0 && (unsigned char)text[0] <= ' ')
        return 1;
    for (size_t i = 0; i < sizeof(wide_blanks) / sizeof(wide_blanks[0]); i++) {
        size_t size = strlen(wide_blanks[i]);

        if (length >= size && memcmp(text, wide_blanks[i], size) == 0)
            return size;
    }
    return 0;
}

static size_t blank_at_end(const char *text, size_t length)
{
    if (length > 0 && (unsigned char)text[length - 1] <= ' ')
        return 1;
    for (size_t i = 0; i < sizeof(wide_blanks) / sizeof(wide_blanks[0]); i++) {
        size_t size = strlen(wide_blanks[i]);

        if (length >= size && memcmp(text + length - size, wide_blanks[i], size) == 0)
            return size;
    }
    return 0;
}

char *queue_name_trim(const char *text)
{
    size_t length = strlen(text), blank;

    while ((blank = blank_at_start(text, length)) > 0) {
        text += blank;
        length -= blank;
    }
    while ((blank = blank_at_end(text, length)) > 0)
        length -= blank;
    return mem_strndup(text, length);
}

char *queue_name_component(const char *name)
{
    static const char dot[] = "_dot_";
    scoped_free char *trimmed = queue_name_trim(name);
    size_t dots = 0, used = 0;
    char *component;

    for (const char *at = trimmed; *at != '\0'; at++)
        dots += *at == '.';
    component = mem_alloc(strlen(trimmed) + dots * (sizeof(dot) - 2) + 1);
    for (const char *at = trimmed; *at != '\0'; at++) {
        if (*at == '.') {
            memcpy(component + used, dot, sizeof(dot) - 1);
            used += sizeof(dot) - 1;
        } else {
            component[used++] = *at;
        }
    }
    component[used] = '\0';
    return component;
}

bool queue_path_is_clean(const char *path)
{
    for (;;) {
        size_t length = strcspn(path, ".");

        if (length == 0 || blank_at_start(path, length) > 0 || blank_at_end(path, length) > 0)
            return false;
        if (path[length] == '\0')
            return true;
        path += length + 1;
    }
}

size_t queue_path_depth(const char *path)
{
    size_t depth = 1;

    for (; *path != '\0'; path++)
        depth += *path == '.';
    return depth;
}
