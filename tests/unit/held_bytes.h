/* SPDX-License-Identifier: Apache-2.0 */
/* held_bytes.h - counts the bytes that this process has allocated and not freed, for tests of memory use */
#ifndef CREEL_TESTS_UNIT_HELD_BYTES_H
#define CREEL_TESTS_UNIT_HELD_BYTES_H

#include <malloc.h>
#include <stddef.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* Returns the bytes allocated and not freed. A sanitizer has its own malloc, and its own counter. */
static inline size_t held_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes()
                                                   : mallinfo2().uordblks;
}

#endif
