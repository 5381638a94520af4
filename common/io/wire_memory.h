/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_memory.h - a protobuf-c allocator with a ceiling, given back at once
 *
 * Two bytes on the wire can ask for a structure of hundreds, so unpacking a
 * frame is bounded by what it allocates, not by its length alone. Small pieces
 * come from growing blocks and stay until the end; large ones (the parser's own
 * scratch among them) are malloc'ed and can be given back before.
 */
#ifndef CREEL_IO_WIRE_MEMORY_H
#define CREEL_IO_WIRE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

struct wire_block;
struct wire_large;

struct wire_memory {
    ProtobufCAllocator allocator;       /* hand this to protobuf-c */
    struct wire_block *blocks;          /* the one in use first */
    struct wire_large *large;
    char *at;                           /* free room in the first block */
    size_t room;
    size_t used_bytes, ceiling_bytes;
    bool exceeded;                      /* an allocation was refused */
};

/* MEMORY must not move afterwards. */
void wire_memory_init(struct wire_memory *memory, size_t ceiling_bytes);
void wire_memory_done(struct wire_memory *memory);

#endif
