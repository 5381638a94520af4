/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h - envelopes to bytes and back, every bound checked here
 *
 * Nobody else unpacks what arrived from outside. What wire_decode lets through
 * is within these bounds, has a body this build knows, a version it speaks,
 * valid UTF-8 without control characters (newline and tab excepted) in every
 * string, ids that parse, enums in range and resources that are not negative.
 */
#ifndef CREEL_IO_WIRE_H
#define CREEL_IO_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/proto/creel.pb-c.h"

#define WIRE_VERSION 1u                 /* spoken here */
#define WIRE_VERSION_OLDEST 1u          /* still understood */

#define WIRE_FRAME_MAX ((size_t)16 << 20)
#define WIRE_CHUNK_MAX ((size_t)1 << 20)        /* data in PutBlob, BlobChunk, LogChunk */
#define WIRE_REQUEST_MAX (WIRE_CHUNK_MAX + 65536)       /* a message to a server, but from agents */
#define WIRE_TEXT_MAX 65536                     /* one string: diagnostics, an argument */
#define WIRE_NAME_MAX 255                       /* names, users, queues, node ids, file names */
#define WIRE_ARGUMENTS_MAX 4096                 /* arguments, variables */
#define WIRE_FILES_MAX 1024
#define WIRE_LIST_MAX 100000                    /* any repeated field */

/* Pack ENVELOPE (its version is filled in) into malloc'ed bytes; free() them.
 * In texts for people (diagnostics, reasons) bytes that may not stand in them go
 * out as '?'; anything else out of bounds is refused with -EBADMSG, and ERR has the
 * path of the field. -EMSGSIZE: longer than WIRE_FRAME_MAX. */
int wire_pack(Creel__Envelope *envelope, uint8_t **bytes, size_t *size, struct err *err);
/* The same where the caller knows that it is within the bounds: else it aborts. */
void wire_encode(Creel__Envelope *envelope, uint8_t **bytes, size_t *size);

/* Unpack one frame. The result is freed with wire_free. On failure ERR has the reason, and
 * REQUEST_ID (may be NULL) is that of the frame if it could be read, else 0, so that an error
 * reply can be sent:
 *   -EBADMSG  not an envelope, or out of bounds: ERROR_BAD_REQUEST
 *   -EPROTO   version or message type not known here: ERROR_UNSUPPORTED
 *   -EMSGSIZE longer than WIRE_FRAME_MAX, or its content needs too much memory */
int wire_decode(const void *bytes, size_t size, Creel__Envelope **ret, uint64_t *request_id,
                struct err *err);
void wire_free(Creel__Envelope *envelope);      /* NULL is fine */

/* Unpack and check any other message of the schema (tokens, records of the store).
 * -EBADMSG; freed with protobuf_c_message_free_unpacked. */
int wire_unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                ProtobufCMessage **ret, struct err *err);

/* The name of a body, for logs: "Heartbeat". */
const char *wire_body_name(Creel__Envelope__BodyCase body);

/* The error code for a negative errno, and the reverse (-EREMOTEIO for a code without an errno). */
Creel__ErrorCode wire_error_from_errno(int code);
int wire_error_to_errno(Creel__ErrorCode code);

/* Deep copy of any message of the schema, freed with protobuf_c_message_free_unpacked. */
ProtobufCMessage *wire_copy(const ProtobufCMessage *message);

/* Resources: unknown names in OTHERS are left out (there are none yet). */
struct resource wire_resource_from(const Creel__Resource *resource);    /* NULL gives zero */
void wire_resource_to(const struct resource *resource, Creel__Resource *ret);

#endif
