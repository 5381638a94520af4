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

#define CACHE_LINE 64u                  /* bytes */

/* SIZE bytes from FROM on, which is not NULL. */
static inline void sched_fetch(const void *from, size_t size)
{
    for (size_t i = 0; i < size; i += CACHE_LINE)
        __builtin_prefetch((const char *)from + i, 1);
}

#endif
