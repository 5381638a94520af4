/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_token.c - fuzz target: arbitrary bytes as a token, and as the content of a token
 *
 * The first byte selects between them. No input may be accepted as a token, since a fuzzer cannot guess a
 * signature.
 */
#include <stdlib.h>

#include "common/io/wire/token.h"
#include "common/io/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_as_token(const uint8_t *data, size_t size)
{
    const struct token_ring ring = {
        .keys = { { .id = 2, .bytes = { 2 } }, { .id = 1, .bytes = { 1 } } },
    };
    ProtobufCMessage *payload;
    struct err err;

    if (token_open(&ring, CREEL__TOKEN_KIND__TOKEN_CONTAINER, &creel__container_grant__descriptor, data, size,
                   &payload, &err) == 0)
        abort();
}

static void unpack_as(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size)
{
    ProtobufCMessage *message, *copy;
    struct err err;

    if (wire_unpack(type, data, size, &message, &err) < 0)
        return;
    copy = wire_copy(message);
    protobuf_c_message_free_unpacked(copy, NULL);
    protobuf_c_message_free_unpacked(message, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ProtobufCMessageDescriptor *const types[] = {
        &creel__signed_token__descriptor,
        &creel__am_grant__descriptor,
        &creel__container_grant__descriptor,
        &creel__log_grant__descriptor,
    };

    if (size == 0)
        return 0;
    if (data[0] % 5 == 4)
        open_as_token(data + 1, size - 1);
    else
        unpack_as(types[data[0] % 5], data + 1, size - 1);
    return 0;
}
