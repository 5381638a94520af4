/* SPDX-License-Identifier: Apache-2.0 */
/* held_bytes.h - counts the bytes that this process has allocated and not freed, for tests of memory use */
#ifndef CREEL_TESTS_UNIT_HELD_BYTES_H
#define CREEL_TESTS_UNIT_HELD_BYTES_H

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* Starts the program again with a malloc that caches nothing: mallinfo2 counts what is in the caches of
 * threads, and these are larger in glibc 2.41 than before. */
static inline void held_bytes_without_caches(char **arguments)
{
    if (getenv("GLIBC_TUNABLES") != NULL)
        return;
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
    execv("/proc/self/exe", arguments);
}

/* Returns the bytes allocated and not freed. A sanitizer has its own malloc, and its own counter. */
static inline size_t held_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes()
                                                   : mallinfo2().uordblks;
}

#endif
