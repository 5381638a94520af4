/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is given back all at once
 *
 * One step of a core builds its effects in an arena; the shell sends them and
 * resets it. Pointers stay valid until arena_reset or arena_free. Never fails
 * (see mem.h).
 */
#ifndef CREEL_BASE_ARENA_H
#define CREEL_BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);               /* NULL is fine */
void arena_reset(struct arena *arena);              /* keeps one block for reuse */

void *arena_alloc0(struct arena *arena, size_t size);       /* zeroed, aligned for anything */
void *arena_array0(struct arena *arena, size_t count, size_t size);
void *arena_dup(struct arena *arena, const void *data, size_t size);
char *arena_strdup(struct arena *arena, const char *text);  /* NULL gives NULL */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define arena_new0(arena, type) ((type *)arena_alloc0((arena), sizeof(type)))

#endif
