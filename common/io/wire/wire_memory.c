/* SPDX-License-Identifier: Apache-2.0 */
/* wire_memory.c - a protobuf-c allocator with a limit, whose memory is freed by one call */
#include "common/io/wire/wire_memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/mem.h"

#define ALIGNMENT 16u
#define LARGE_BYTES 1024u
#define BLOCK_BYTES_FIRST 2048u
#define BLOCK_BYTES_MOST 262144u

struct wire_block {
    struct wire_block *next;
    size_t size;
    _Alignas(16) char bytes[];
};

/* A large allocation. It begins with a header of 24 bytes at a multiple of 16, so that the address of BYTES
 * ends in the hexadecimal digit 8. Addresses of small allocations end in 0. So free_piece can distinguish
 * them. */
struct wire_large {
    struct wire_large *next, *previous;
    size_t size;
    char bytes[];
};

_Static_assert(offsetof(struct wire_large, bytes) % ALIGNMENT == 8, "large pieces end in 8");

static bool charge(struct wire_memory *memory, size_t size)
{
    if (size > memory->ceiling_bytes - memory->used_bytes) {
        memory->exceeded = true;
        return false;
    }
    memory->used_bytes += size;
    return true;
}

static void *alloc_large(struct wire_memory *memory, size_t size)
{
    struct wire_large *large;

    if (!charge(memory, sizeof(*large) + size))
        return NULL;
    large = mem_alloc(sizeof(*large) + size);
    *large = (struct wire_large){ .next = memory->large, .size = size };
    if (memory->large != NULL)
        memory->large->previous = large;
    memory->large = large;
    return large->bytes;
}

static bool add_block(struct wire_memory *memory)
{
    size_t size = memory->blocks == NULL ? BLOCK_BYTES_FIRST : 2 * memory->blocks->size;
    struct wire_block *block;

    if (size > BLOCK_BYTES_MOST)
        size = BLOCK_BYTES_MOST;
    if (!charge(memory, sizeof(*block) + size))
        return false;
    block = mem_alloc(sizeof(*block) + size);
    block->next = memory->blocks;
    block->size = size;
    memory->blocks = block;
    memory->at = block->bytes;
    memory->room = size;
    return true;
}

static void *alloc_piece(void *data, size_t size)
{
    struct wire_memory *memory = data;
    void *piece;

    if (size > memory->ceiling_bytes) {
        memory->exceeded = true;
        return NULL;
    }
    if (size >= LARGE_BYTES)
        return alloc_large(memory, size);
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > memory->room && !add_block(memory))
        return NULL;
    piece = memory->at;
    memory->at += size;
    memory->room -= size;
    return piece;
}

static void free_piece(void *data, void *piece)
{
    struct wire_memory *memory = data;
    struct wire_large *large;

    if (piece == NULL || (uintptr_t)piece % ALIGNMENT == 0)
        return;
    large = (struct wire_large *)(void *)((char *)piece - offsetof(struct wire_large, bytes));
    if (large->next != NULL)
        large->next->previous = large->previous;
    if (large->previous != NULL)
        large->previous->next = large->next;
    else
        memory->large = large->next;
    memory->used_bytes -= sizeof(*large) + large->size;
    free(large);
}

void wire_memory_init(struct wire_memory *memory, size_t ceiling_bytes)
{
    *memory = (struct wire_memory){
        .allocator = { .alloc = alloc_piece, .free = free_piece, .allocator_data = memory },
        .ceiling_bytes = ceiling_bytes,
    };
}

void wire_memory_done(struct wire_memory *memory)
{
    while (memory->blocks != NULL) {
        struct wire_block *block = memory->blocks;

        memory->blocks = block->next;
        free(block);
    }
    while (memory->large != NULL) {
        struct wire_large *large = memory->large;

        memory->large = large->next;
        free(large);
    }
}
