/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.c - a growing piece of memory, into which frames are written */
#include "hadoop/wire/bytes.h"

#include <string.h>

#include "common/base/mem.h"

#define FIRST_BYTES 128
#define VARINT_MORE 0x80u
#define WIRE_TYPE_BYTES 2u

uint8_t *hadoop_bytes_extend(struct hadoop_bytes *bytes, size_t count)
{
    uint8_t *at;

    if (count > bytes->capacity - bytes->size) {
        size_t capacity = bytes->capacity > 0 ? bytes->capacity : FIRST_BYTES;

        while (count > capacity - bytes->size)
            capacity *= 2;
        bytes->data = mem_resize(bytes->data, capacity, 1);
        bytes->capacity = capacity;
    }
    at = bytes->data + bytes->size;
    bytes->size += count;
    return at;
}

void hadoop_bytes_add(struct hadoop_bytes *bytes, const void *data, size_t count)
{
    if (count > 0)
        memcpy(hadoop_bytes_extend(bytes, count), data, count);
}

void hadoop_bytes_add_varint(struct hadoop_bytes *bytes, uint64_t value)
{
    for (; value >= VARINT_MORE; value >>= 7)
        *hadoop_bytes_extend(bytes, 1) = (uint8_t)(value | VARINT_MORE);
    *hadoop_bytes_extend(bytes, 1) = (uint8_t)value;
}

void hadoop_bytes_add_message(struct hadoop_bytes *bytes, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);

    if (size > 0)
        protobuf_c_message_pack(message, hadoop_bytes_extend(bytes, size));
}

void hadoop_bytes_add_delimited(struct hadoop_bytes *bytes, const ProtobufCMessage *message)
{
    hadoop_bytes_add_varint(bytes, protobuf_c_message_get_packed_size(message));
    hadoop_bytes_add_message(bytes, message);
}

void hadoop_bytes_add_element(struct hadoop_bytes *bytes, unsigned field, const ProtobufCMessage *message)
{
    hadoop_bytes_add_varint(bytes, field << 3 | WIRE_TYPE_BYTES);
    hadoop_bytes_add_delimited(bytes, message);
}

void hadoop_bytes_done(struct hadoop_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct hadoop_bytes){ .data = NULL };
}
