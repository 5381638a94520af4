/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_seeds.c - program: writes the seed corpus of wire_decode and wire_token
 *
 *   tests/fuzz/wire_seeds tests/fuzz/corpus
 *
 * Must be run after a change of the schema. Writes one file for each kind of message and token.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/token.h"
#include "common/io/wire/wire.h"
#include "tests/unit/io/io_sample.h"

static void put(const char *folder, const char *target, const char *name, int first, const uint8_t *bytes,
                size_t size)
{
    scoped_free char *path = mem_printf("%s/%s/%s", folder, target, name);
    FILE *file = fopen(path, "we");

    if (file == NULL || (first >= 0 && fputc(first, file) == EOF) || fwrite(bytes, 1, size, file) != size ||
        fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void put_messages(const char *folder)
{
    uint32_t body;

    for (unsigned n = 0; (body = sample_body(n)) != 0; n++) {
        Creel__Envelope *envelope = sample_envelope(body);
        uint8_t *bytes;
        size_t size;

        wire_encode(envelope, &bytes, &size);
        put(folder, "wire_decode", wire_body_name(envelope->body_case), -1, bytes, size);
        free(bytes);
        sample_free(envelope);
    }
}

static void put_tokens(const char *folder)
{
    static const ProtobufCMessageDescriptor *const types[] = {
        &creel__signed_token__descriptor,
        &creel__am_grant__descriptor,
        &creel__container_grant__descriptor,
        &creel__log_grant__descriptor,
    };
    const struct token_ring ring = { .keys = { { .id = 1, .bytes = { 9 } } } };
    ProtobufCMessage *grant = sample_message(&creel__container_grant__descriptor);
    uint8_t *bytes;
    size_t size;

    for (int i = 0; i < 4; i++) {
        ProtobufCMessage *message = sample_message(types[i]);

        size = protobuf_c_message_get_packed_size(message);
        bytes = mem_alloc(size);
        protobuf_c_message_pack(message, bytes);
        put(folder, "wire_token", types[i]->short_name, i, bytes, size);
        free(bytes);
        protobuf_c_message_free_unpacked(message, NULL);
    }
    token_sign(&ring, CREEL__TOKEN_KIND__TOKEN_CONTAINER, grant, &bytes, &size);
    put(folder, "wire_token", "signed", 4, bytes, size);
    free(bytes);
    protobuf_c_message_free_unpacked(grant, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: wire_seeds tests/fuzz/corpus\n");
        return 2;
    }
    put_messages(argv[1]);
    put_tokens(argv[1]);
    return 0;
}
