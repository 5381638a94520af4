/* SPDX-License-Identifier: Apache-2.0 */
/* held_bytes.h - what this process has from malloc and has not given back, for tests of what things weigh */
#ifndef CREEL_TESTS_UNIT_HELD_BYTES_H
#define CREEL_TESTS_UNIT_HELD_BYTES_H

#include <malloc.h>
#include <stddef.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* A sanitizer's malloc has its own count. */
static inline size_t held_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes()
                                                   : mallinfo2().uordblks;
}

#endif
