/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_memory.h - a protobuf-c allocator with a limit, whose memory is freed by one call
 *
 * Two bytes of a message can create a structure of hundreds of bytes, so unpacking a frame is limited by the
 * memory that it allocates, not by the frame's length alone. Small allocations are parts of growing blocks
 * and are freed at the end; large allocations (such as the parser's temporary memory) use malloc and can be
 * freed earlier.
 */
#ifndef CREEL_IO_WIRE_MEMORY_H
#define CREEL_IO_WIRE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

struct wire_block;
struct wire_large;

struct wire_memory {
    ProtobufCAllocator allocator; /* pass this to protobuf-c */
    struct wire_block *blocks;    /* owned; the block in use first */
    struct wire_large *large;
    char *at; /* start of the free space in the first block */
    size_t room;
    size_t used_bytes, ceiling_bytes;
    bool exceeded; /* an allocation was refused */
};

/* Initializes MEMORY, which must not be moved afterwards. */
void wire_memory_init(struct wire_memory *memory, size_t ceiling_bytes);
void wire_memory_done(struct wire_memory *memory);

#endif
