/* SPDX-License-Identifier: Apache-2.0 */
/* texts.h - inside libcreel: texts of requests */
#ifndef CREEL_LIBCREEL_TEXTS_H
#define CREEL_LIBCREEL_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/* Returns TEXT, or "" for NULL, for a member of a message: the generated structs have no const members. */
static inline char *texts_borrow(const char *text)
{
    return (char *)(uintptr_t)(text != NULL ? text : "");
}

/* Returns the number of texts before the NULL at the end of TEXTS; NULL: none. */
static inline size_t texts_count(const char *const *texts)
{
    size_t count = 0;

    while (texts != NULL && texts[count] != NULL)
        count++;
    return count;
}

#endif
