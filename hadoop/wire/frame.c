/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - the openings and frames of Hadoop's RPC, as a server reads them */
#include "hadoop/wire/frame.h"

#include <string.h>

#define AUTH_SIMPLE 0x00
#define AUTH_SASL 0xdf
#define OLD_VERSION_FIRST 3
#define HEADER_MEMORY 4096 /* bytes of an unpacked header; it has one field of any length */
#define VARINT_BYTES_MAX 5 /* of a length of 32 bits */

/* --- the opening ---------------------------------------------------------------- */

static bool begins_with(const uint8_t *bytes, size_t size, const char word[4])
{
    return memcmp(bytes, word, size < 4 ? size : 4) == 0;
}

enum hadoop_opening hadoop_opening_read(const uint8_t *bytes, size_t size)
{
    static const char magic[4] = { 'h', 'r', 'p', 'c' }, get[4] = { 'G', 'E', 'T', ' ' };

    if (size == 0)
        return HADOOP_OPENING_PARTIAL;
    if (begins_with(bytes, size, get))
        return size < sizeof(get) ? HADOOP_OPENING_PARTIAL : HADOOP_OPENING_HTTP;
    if (!begins_with(bytes, size, magic))
        return HADOOP_OPENING_VERSION;
    if (size < HADOOP_OPENING_BYTES)
        return HADOOP_OPENING_PARTIAL;
    if (bytes[4] != HADOOP_VERSION)
        return bytes[4] >= OLD_VERSION_FIRST && bytes[4] < HADOOP_VERSION ? HADOOP_OPENING_OLD_VERSION
                                                                          : HADOOP_OPENING_VERSION;
    if (bytes[6] == AUTH_SIMPLE)
        return HADOOP_OPENING_SIMPLE;
    return bytes[6] == AUTH_SASL ? HADOOP_OPENING_SASL : HADOOP_OPENING_AUTH;
}

/* --- frames --------------------------------------------------------------------- */

enum hadoop_frame hadoop_frame_read(const uint8_t *bytes, size_t size, size_t max, size_t *length)
{
    uint32_t announced;

    *length = 0;
    if (size < HADOOP_LENGTH_BYTES)
        return HADOOP_FRAME_PARTIAL;
    announced =
        (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
    if (announced > INT32_MAX || announced > max)
        return HADOOP_FRAME_BAD_LENGTH;
    *length = announced;
    return size - HADOOP_LENGTH_BYTES < announced ? HADOOP_FRAME_PARTIAL : HADOOP_FRAME_WHOLE;
}

/* --- delimited messages ----------------------------------------------------------- */

/* Reads the varint at *BYTES. Returns false if it does not end, or has more than 32 bits. */
static bool read_length(const uint8_t **bytes, size_t *size, size_t *ret)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < VARINT_BYTES_MAX && i < *size; i++) {
        value |= (uint64_t)((*bytes)[i] & 0x7f) << (7 * i);
        if (((*bytes)[i] & 0x80) != 0)
            continue;
        *bytes += i + 1;
        *size -= i + 1;
        *ret = (size_t)value;
        return value <= INT32_MAX;
    }
    return false;
}

const ProtobufCMessage *hadoop_message_read(const ProtobufCMessageDescriptor *type, const uint8_t **bytes,
                                            size_t *size, struct wire_memory *memory)
{
    const ProtobufCMessage *message;
    size_t length;

    if (!read_length(bytes, size, &length) || length > *size)
        return NULL;
    message = protobuf_c_message_unpack(type, &memory->allocator, length, *bytes);
    *bytes += length;
    *size -= length;
    return memory->exceeded ? NULL : message;
}

/* --- requests ------------------------------------------------------------------- */

#define SERVER_EXCEPTION "org.apache.hadoop.ipc.RpcServerException"

static bool refuse(struct hadoop_failure *failure, const Hadoop__RequestHeader *header, const char *message)
{
    *failure = (struct hadoop_failure){
        .exception = SERVER_EXCEPTION,
        .message = message,
        .detail = HADOOP__RPC_DETAIL__DETAIL_INVALID_RPC_HEADER,
        .call_id = header != NULL ? header->call_id : HADOOP_CALL_NONE,
        .retry_count = header != NULL ? header->retry_count : -1,
        .fatal = true,
    };
    return false;
}

/* The words are Hadoop's own. */
static bool check_header(const Hadoop__RequestHeader *header, struct hadoop_failure *failure)
{
    if (!header->has_operation)
        return refuse(failure, header, " IPC Server: No rpc op in rpcRequestHeader");
    if (header->operation != 0)
        return refuse(failure, header,
                      "IPC Server does not implement rpc header operation of several packets");
    if (!header->has_kind)
        return refuse(failure, header, " IPC Server: No rpc kind in rpcRequestHeader");
    if (header->kind != HADOOP__RPC_KIND__KIND_PROTOCOL_BUFFER)
        return refuse(failure, header, "Unknown rpc kind in rpc header");
    if (header->client_id.len > HADOOP_CLIENT_ID_MAX)
        return refuse(failure, header, "The client id has more than 64 bytes");
    return true;
}

bool hadoop_request_read(const uint8_t *frame, size_t size, struct hadoop_request *ret,
                         struct hadoop_failure *failure)
{
    const Hadoop__RequestHeader *header;
    struct wire_memory memory;
    bool good = false;

    wire_memory_init(&memory, HEADER_MEMORY + size);
    header = (const Hadoop__RequestHeader *)hadoop_message_read(&hadoop__request_header__descriptor, &frame,
                                                                &size, &memory);
    if (header == NULL) {
        (void)refuse(failure, NULL, "Error decoding RpcRequestHeaderProto");
        failure->detail = HADOOP__RPC_DETAIL__DETAIL_DESERIALIZING_REQUEST;
    } else if (check_header(header, failure)) {
        *ret = (struct hadoop_request){
            .call_id = header->call_id,
            .retry_count = header->retry_count,
            .client_id_size = header->client_id.len,
            .rest = frame,
            .rest_size = size,
        };
        if (header->client_id.len > 0)
            memcpy(ret->client_id, header->client_id.data, header->client_id.len);
        good = true;
    }
    wire_memory_done(&memory);
    return good;
}
