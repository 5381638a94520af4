/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_grown.h - messages with one field at its limit, for the tests of what a field costs (cost.h)
 *
 * The fields are found in the schema, and their limits in wire_rules.h: a new field is tested without a
 * change of the tests.
 */
#ifndef CREEL_TEST_IO_GROWN_H
#define CREEL_TEST_IO_GROWN_H

#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

enum { GROWN_DEPTH_MAX = 6 };

/* How a field is brought to its limit. */
enum grown_way {
    GROWN_MANY,  /* a list of as many small elements as possible; any other field: as large as possible */
    GROWN_LARGE, /* a list of texts that are as long as possible, or of messages with all fields */
    GROWN_WAYS,
};

/* A field in a message or in messages in it: the fields that lead to it. */
struct grown_place {
    const ProtobufCFieldDescriptor *path[GROWN_DEPTH_MAX];
    size_t depth;
};

/* Calls TRY for each field of TYPE, and of the messages in it, that can grow. */
void grown_each(const ProtobufCMessageDescriptor *type,
                void (*try)(void *context, const struct grown_place *place), void *context);

/* Brings the field at PLACE of MESSAGE to its limit; MESSAGE grows by about ROOM bytes at most. Missing
 * messages on the way are made (io_sample.h). MESSAGE was unpacked or copied with malloc. */
void grown_make(ProtobufCMessage *message, const struct grown_place *place, enum grown_way way, size_t room);

/* Writes the names of the fields of PLACE, "job.launch.command", into TEXT. */
const char *grown_name(const struct grown_place *place, char *text, size_t size);

#endif
