/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h - packs and unpacks envelopes, and checks all their limits
 *
 * No other code unpacks messages from outside. An envelope returned by wire_decode is within these limits,
 * has a body that this build knows and a version that it supports, valid UTF-8 without control characters
 * (except newline and tab) in every string, ids that parse, enums in range and resources that are not
 * negative.
 */
#ifndef CREEL_IO_WIRE_H
#define CREEL_IO_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/protocol_range.h"
#include "common/base/resource.h"
#include "common/proto/creel.pb-c.h"

#define WIRE_VERSION 1u        /* version of sent envelopes */
#define WIRE_VERSION_OLDEST 1u /* oldest version accepted */
#define WIRE_PROTOCOL_RANGE ((struct protocol_range){ WIRE_VERSION_OLDEST, WIRE_VERSION })

#define WIRE_CHUNK_MAX ((size_t)1 << 20)        /* bytes of data in PutBlob, BlobChunk, LogChunk */
#define WIRE_FRAME_MAX (WIRE_CHUNK_MAX + 65536) /* bytes of a message */
#define WIRE_TEXT_MAX 65536                     /* bytes of one string, such as diagnostics */
#define WIRE_NAME_MAX 255                       /* bytes of a name: user, queue, node id, file name */
#define WIRE_ARGUMENTS_MAX 65536                /* number of arguments of a command */
#define WIRE_VARIABLES_MAX 4096                 /* number of variables, and of tags */
/* Bytes of an argument, or the value of a variable: MAX_ARG_STRLEN of Linux, which counts the 0 byte. */
#define WIRE_ARGUMENT_BYTES_MAX 131071
#define WIRE_TAGS_MAX 16384 /* bytes of all tags of an application together */
#define WIRE_FILES_MAX 1024
#define WIRE_LOG_NODES_MAX 1024 /* nodes of one request for tokens to read logs */
#define WIRE_LIST_MAX 100000    /* elements of any repeated field */

/* Packs ENVELOPE (its version is filled in) into *BYTES, which the caller frees with free(). In texts for
 * people (diagnostics, reasons) invalid bytes are replaced by '?'. Other violations of the limits give
 * -EBADMSG, and ERR has the path of the field. -EMSGSIZE: longer than WIRE_FRAME_MAX. */
int wire_pack(Creel__Envelope *envelope, uint8_t **bytes, size_t *size, struct err *err);
/* Packs an ENVELOPE that the caller knows to be within the limits; aborts if it is not. The caller frees
 * *BYTES with free(). */
void wire_encode(Creel__Envelope *envelope, uint8_t **bytes, size_t *size);

/* Unpacks one frame. The caller frees the result with wire_free. On failure ERR has the reason, and
 * *REQUEST_ID (REQUEST_ID may be NULL) is the id of the frame if it could be read, else 0, so that an error
 * reply can be sent:
 *   -EBADMSG  not an envelope, or out of limits: ERROR_BAD_REQUEST
 *   -EPROTO   unknown message type: ERROR_UNSUPPORTED
 *   -EPROTONOSUPPORT unknown version: ERROR_UNSUPPORTED
 *   -EMSGSIZE longer than WIRE_FRAME_MAX, or its content needs too much memory */
int wire_decode(const void *bytes, size_t size, Creel__Envelope **ret, uint64_t *request_id, struct err *err);
/* Returns the request id of a frame that is not decoded, and may be damaged, as far as it can be read; else
 * 0. */
uint64_t wire_scan_request_id(const uint8_t *bytes, size_t size);
void wire_free(Creel__Envelope *envelope); /* ENVELOPE may be NULL */

/* Unpacks and checks any other message of the schema (tokens, records of the store). -EBADMSG: not valid. The
 * caller frees *RET with protobuf_c_message_free_unpacked. */
int wire_unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                ProtobufCMessage **ret, struct err *err);

/* Returns the name of a body, for logs: "Heartbeat". */
const char *wire_body_name(Creel__Envelope__BodyCase body);

/* Convert a negative errno to an error code, and the reverse (-EREMOTEIO for a code without an errno). */
Creel__ErrorCode wire_error_from_errno(int code);
int wire_error_to_errno(Creel__ErrorCode code);

/* Returns a deep copy of any message of the schema, which the caller frees with
 * protobuf_c_message_free_unpacked. */
ProtobufCMessage *wire_copy(const ProtobufCMessage *message);

#endif
