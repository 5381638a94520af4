/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - a growing piece of memory, into which frames are written (pure) */
#ifndef CREEL_HADOOP_WIRE_BYTES_H
#define CREEL_HADOOP_WIRE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

struct hadoop_bytes {
    uint8_t *data; /* owned; NULL: nothing was added */
    size_t size, capacity;
};

/* Makes room for COUNT more bytes, and returns where they begin. They count as added. */
uint8_t *hadoop_bytes_extend(struct hadoop_bytes *bytes, size_t count);
void hadoop_bytes_add(struct hadoop_bytes *bytes, const void *data, size_t count);
void hadoop_bytes_add_varint(struct hadoop_bytes *bytes, uint64_t value);
/* Adds MESSAGE as protobuf. */
void hadoop_bytes_add_message(struct hadoop_bytes *bytes, const ProtobufCMessage *message);
/* Adds MESSAGE behind its length, as a varint. */
void hadoop_bytes_add_delimited(struct hadoop_bytes *bytes, const ProtobufCMessage *message);
/* Adds MESSAGE as element of the repeated field FIELD (below 16) of the message that BYTES becomes. */
void hadoop_bytes_add_element(struct hadoop_bytes *bytes, unsigned field, const ProtobufCMessage *message);
/* Frees the memory; BYTES is empty afterwards. */
void hadoop_bytes_done(struct hadoop_bytes *bytes);

#endif
