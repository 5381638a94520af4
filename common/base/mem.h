/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - allocation functions that abort when memory is exhausted, and cleanup attributes
 *
 * A daemon that runs out of memory ends and recovers from its stored state, so these functions abort instead
 * of returning NULL. Sizes are checked for overflow.
 */
#ifndef CREEL_BASE_MEM_H
#define CREEL_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *mem_alloc0(size_t size) __attribute__((malloc, returns_nonnull));
void *mem_array0(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
char *mem_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *mem_strndup(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
void *mem_dup(const void *data, size_t size) __attribute__((malloc, returns_nonnull));
char *mem_printf(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));
char *mem_vprintf(const char *format, va_list args) __attribute__((malloc, format(printf, 1, 0)));

/* Allocates one zeroed object of TYPE. */
#define mem_new0(type) ((type *)mem_alloc0(sizeof(type)))

/* Makes space for one more element in a growing array: doubles CAPACITY when COUNT has reached CAPACITY.
 * ARRAY and CAPACITY are lvalues. */
#define mem_grow(array, count, capacity) \
    do { \
        if ((count) >= (capacity)) { \
            (capacity) = (capacity) ? (capacity)*2 : 8; \
            (array) = mem_resize((array), (size_t)(capacity), sizeof(*(array))); \
        } \
    } while (0)

static inline void mem_free_pointer(void *pointer)
{
    free(*(void **)pointer);
}

static inline void mem_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* `scoped_free char *text = ...;` is freed when the variable goes out of scope; `scoped_fd int fd =
 * open(...);` is closed. To pass ownership on, use fd_take, or set the pointer to NULL. */
#define scoped_free __attribute__((cleanup(mem_free_pointer)))
#define scoped_fd __attribute__((cleanup(mem_close_fd)))

static inline int fd_take(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

#endif
