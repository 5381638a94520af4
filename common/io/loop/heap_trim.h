/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_trim.h - returns freed memory to the kernel at a quiet time
 *
 * The C library keeps what is freed in the middle of its heap, so that the process stays as large as it
 * ever was. When HEAP_TRIM_LEAST bytes have been freed, and none for HEAP_TRIM_QUIET_MS, the free pages are
 * returned to the kernel. While a daemon is busy, and uses the memory again, that does not happen.
 */
#ifndef CREEL_IO_HEAP_TRIM_H
#define CREEL_IO_HEAP_TRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_TRIM_LEAST ((size_t)4 << 20)
#define HEAP_TRIM_QUIET_MS 10000

struct heap_trim {   /* begins as zeros */
    size_t freed;    /* bytes since the last trim, about */
    int64_t last_ms; /* steady clock: when the last of them were freed */
};

/* Counts about BYTES that were freed; small objects that are freed all the time need not be counted. */
void heap_trim_count(struct heap_trim *trim, size_t bytes, int64_t steady_ms);
bool heap_trim_is_due(const struct heap_trim *trim); /* as soon as it is quiet */
/* Returns the memory if it is time. To be called every second or so. */
void heap_trim_check(struct heap_trim *trim, int64_t steady_ms);

#endif
