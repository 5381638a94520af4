/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the openings and frames of Hadoop's RPC, as a server reads them (pure)
 *
 * connection = opening frame* opening    = "hrpc", version 9, service class, authentication: 7 bytes frame
 * = length (4 bytes, big-endian, signed), that many bytes request    = delimited RequestHeader, then by its
 * call id: nothing (ping), or one or two delimited messages
 *
 * A delimited message has its length before it, as a varint. Nothing here takes memory for a frame: the
 * caller has its bytes, and has compared its length with a limit before it took room for them. Messages are
 * unpacked into a memory of limited size (common/io/wire/wire_memory.h), and none of them contains itself.
 */
#ifndef CREEL_HADOOP_WIRE_FRAME_H
#define CREEL_HADOOP_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/wire/wire_memory.h"
#include "hadoop/proto/hadoop.pb-c.h"

#define HADOOP_OPENING_BYTES 7
#define HADOOP_VERSION 9
#define HADOOP_LENGTH_BYTES 4
#define HADOOP_CLIENT_ID_MAX 64 /* bytes of a client id that is accepted; Hadoop's have 16 */

#define HADOOP_CALL_CONTEXT (-3)
#define HADOOP_CALL_PING (-4)
#define HADOOP_CALL_SASL (-33)
#define HADOOP_CALL_NONE (-1) /* in answers to what has no call id */

/* --- the opening ---------------------------------------------------------------- */

enum hadoop_opening {
    HADOOP_OPENING_PARTIAL, /* bytes are missing */
    HADOOP_OPENING_SIMPLE,
    HADOOP_OPENING_SASL,
    HADOOP_OPENING_AUTH,        /* unknown authentication */
    HADOOP_OPENING_VERSION,     /* not Hadoop's RPC, or a version after 9 */
    HADOOP_OPENING_OLD_VERSION, /* version 3 to 8, which reads answers of another form */
    HADOOP_OPENING_HTTP,
};

/* Reads the first SIZE bytes of a connection. The opening has HADOOP_OPENING_BYTES. */
enum hadoop_opening hadoop_opening_read(const uint8_t *bytes, size_t size);

/* --- frames --------------------------------------------------------------------- */

enum hadoop_frame {
    HADOOP_FRAME_PARTIAL,
    HADOOP_FRAME_WHOLE,
    HADOOP_FRAME_BAD_LENGTH, /* negative, or more than MAX */
};

/* Reads the frame at BYTES. *LENGTH is the size of its content, which begins at HADOOP_LENGTH_BYTES, as
 * soon as the length is there; else 0. */
enum hadoop_frame hadoop_frame_read(const uint8_t *bytes, size_t size, size_t max, size_t *length);

/* --- requests ------------------------------------------------------------------- */

/* What is sent to a client that made a mistake, or whose request failed. */
struct hadoop_failure {
    const char *exception; /* the Java class; NULL: there is no failure */
    const char *message;   /* of the caller, or constant */
    Hadoop__RpcDetail detail;
    int32_t call_id;     /* of the answer */
    int32_t retry_count; /* of the request; -1: there is none */
    bool fatal;          /* the connection is closed behind it */
};

struct hadoop_request {
    int32_t call_id, retry_count;
    uint8_t client_id[HADOOP_CLIENT_ID_MAX];
    size_t client_id_size;
    const uint8_t *rest; /* what follows the header, in the frame */
    size_t rest_size;
};

/* Reads the header of the request in FRAME, of SIZE bytes. Returns false, with the reason in FAILURE, if
 * it is not one that a server takes. */
bool hadoop_request_read(const uint8_t *frame, size_t size, struct hadoop_request *ret,
                         struct hadoop_failure *failure);

/* Unpacks the delimited message of TYPE at *BYTES into MEMORY, and moves *BYTES behind it. Returns NULL if
 * it is not valid, or needs more memory than MEMORY has. */
const ProtobufCMessage *hadoop_message_read(const ProtobufCMessageDescriptor *type, const uint8_t **bytes,
                                            size_t *size, struct wire_memory *memory);

#endif
