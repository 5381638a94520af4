/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_decode.c - fuzz target: arbitrary bytes as a message
 *
 * A decoded message is within bounds, so it must encode, and the encoding must decode to the same message.
 */
#include <stdlib.h>
#include <string.h>

#include "common/io/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Creel__Envelope *first, *second;
    uint8_t *bytes, *again;
    size_t bytes_size, again_size;
    uint64_t request_id;
    struct err err;

    if (wire_decode(data, size, &first, &request_id, &err) < 0)
        return 0;
    wire_encode(first, &bytes, &bytes_size);
    if (wire_decode(bytes, bytes_size, &second, NULL, &err) < 0)
        abort();
    wire_encode(second, &again, &again_size);
    if (again_size != bytes_size || memcmp(again, bytes, bytes_size) != 0 || second->request_id != request_id)
        abort();
    wire_free(first);
    wire_free(second);
    free(bytes);
    free(again);
    return 0;
}
