/* SPDX-License-Identifier: Apache-2.0 */
/* heap_trim.c - returns freed memory to the kernel at a quiet time */
#include "common/io/loop/heap_trim.h"

#include <malloc.h>

#include "common/base/monotonic.h"
#include "common/io/loop/log.h"

void heap_trim_count(struct heap_trim *trim, size_t bytes, int64_t steady_ms)
{
    trim->freed += bytes;
    trim->last_ms = steady_ms;
}

bool heap_trim_is_due(const struct heap_trim *trim)
{
    return trim->freed >= HEAP_TRIM_LEAST;
}

void heap_trim_check(struct heap_trim *trim, int64_t steady_ms)
{
    int64_t begun_ns;

    if (!heap_trim_is_due(trim) || steady_ms - trim->last_ms < HEAP_TRIM_QUIET_MS)
        return;
    trim->freed = 0;
    begun_ns = monotonic_ns();
    malloc_trim(0);
    log_line(LOG_LEVEL_DEBUG, "free memory was returned to the kernel in %lld us",
             (long long)(monotonic_ns() - begun_ns) / 1000);
}
