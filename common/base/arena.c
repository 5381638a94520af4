/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - memory allocator whose blocks are all freed by one call */
#include "common/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

#define BLOCK_BYTES ((size_t)16384)
#define ALIGNMENT ((size_t)16)

struct block {
    struct block *next;
    size_t size;
    size_t used;
    _Alignas(16) unsigned char data[];
};

struct arena {
    struct block *blocks; /* owned; the newest first */
    size_t bytes;         /* of all blocks */
};

struct arena *arena_new(void)
{
    return mem_new0(struct arena);
}

static void free_blocks(struct block *block)
{
    while (block) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
}

void arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
    free_blocks(arena->blocks);
    free(arena);
}

void arena_reset(struct arena *arena)
{
    struct block *kept = NULL;
    struct block *block = arena->blocks;

    while (block) {
        struct block *next = block->next;

        if (kept == NULL && block->size == BLOCK_BYTES)
            kept = block;
        else
            free(block);
        block = next;
    }
    if (kept) {
        kept->next = NULL;
        kept->used = 0;
    }
    arena->blocks = kept;
    arena->bytes = kept != NULL ? sizeof(*kept) + kept->size : 0;
}

size_t arena_bytes(const struct arena *arena)
{
    return sizeof(*arena) + arena->bytes;
}

void *arena_alloc0(struct arena *arena, size_t size)
{
    size_t rounded;
    struct block *block = arena->blocks;
    void *result;

    if (size > SIZE_MAX / 2)
        abort();
    rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (rounded == 0)
        rounded = ALIGNMENT;
    if (block == NULL || block->size - block->used < rounded) {
        size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;

        block = mem_alloc(sizeof(*block) + room);
        block->size = room;
        block->used = 0;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->bytes += sizeof(*block) + room;
    }
    result = block->data + block->used;
    block->used += rounded;
    return memset(result, 0, rounded);
}

void *arena_array0(struct arena *arena, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total))
        abort();
    return arena_alloc0(arena, total);
}

void *arena_dup(struct arena *arena, const void *data, size_t size)
{
    void *copy = arena_alloc0(arena, size);

    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return text ? arena_dup(arena, text, strlen(text) + 1) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    int length;
    char *text;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        abort();
    text = arena_alloc0(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
