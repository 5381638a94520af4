/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory allocator whose blocks are all freed by one call
 *
 * One step of a core builds its effects in an arena. The shell sends the effects and then resets the arena.
 * Pointers into an arena stay valid until arena_reset or arena_free. Allocation never fails (see mem.h).
 */
#ifndef CREEL_BASE_ARENA_H
#define CREEL_BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);          /* ARENA may be NULL */
void arena_reset(struct arena *arena);         /* frees all allocations; keeps one block for reuse */
size_t arena_bytes(const struct arena *arena); /* memory of ARENA, also what is not in use */

void *arena_alloc0(struct arena *arena, size_t size); /* zeroed, aligned for anything */
void *arena_array0(struct arena *arena, size_t count, size_t size);
void *arena_dup(struct arena *arena, const void *data, size_t size);
char *arena_strdup(struct arena *arena, const char *text); /* returns NULL if TEXT is NULL */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define arena_new0(arena, type) ((type *)arena_alloc0((arena), sizeof(type)))

#endif
