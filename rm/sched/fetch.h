/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.h - memory on its way into the cache before it is looked at
 *
 * In a large cluster most of what a decision touches is not there, and each thing is found by another: what
 * is known is fetched at once, so that one wait does for all. Nothing here changes what is computed, and an
 * address may be one that is not valid any more.
 */
#ifndef CREEL_RM_SCHED_FETCH_H
#define CREEL_RM_SCHED_FETCH_H

#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64u                  /* bytes */

/* Every line that has some of the SIZE bytes from FROM on, which is not NULL. */
static inline void sched_fetch(const void *from, size_t size)
{
    const char *line = (const char *)from - (uintptr_t)from % CACHE_LINE, *end = (const char *)from + size;

    for (; line < end; line += CACHE_LINE)
        __builtin_prefetch(line, 1);
}

#endif
