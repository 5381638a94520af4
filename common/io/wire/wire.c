/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c - packs and unpacks envelopes, and checks all their limits */
#include "common/io/wire/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire_check.h"
#include "common/io/wire/wire_memory.h"
#include "common/io/wire/wire_shape.h"

#define WIRE_MEMORY_MAX ((size_t)64 << 20) /* bytes of memory of one unpacked frame */
#define BODY_FIELD_FIRST \
    10u /* number of the first body field in Envelope; smaller numbers
           are the envelope's own fields */
#define REQUEST_ID_FIELD 2u

/* An unpacked envelope and its memory. wire_decode returns the address of the first member. */
struct frame {
    Creel__Envelope envelope;
    struct wire_memory memory;
};

/* --- packing ---------------------------------------------------------------- */

static int pack_checked(const Creel__Envelope *envelope, uint8_t **bytes, size_t *size, struct err *err)
{
    size_t needed = creel__envelope__get_packed_size(envelope);

    if (needed > WIRE_FRAME_MAX)
        return err_set(err, EMSGSIZE, "%s: %zu bytes, more than a message may have (%zu)",
                       wire_body_name(envelope->body_case), needed, WIRE_FRAME_MAX);
    *bytes = mem_alloc(needed);
    *size = creel__envelope__pack(envelope, *bytes);
    return 0;
}

int wire_pack(Creel__Envelope *envelope, uint8_t **bytes, size_t *size, struct err *err)
{
    ProtobufCMessage *copy;
    int rc;

    envelope->version = WIRE_VERSION;
    if (envelope->body_case == CREEL__ENVELOPE__BODY__NOT_SET)
        return err_set(err, EBADMSG, "envelope: has no body");
    rc = wire_check(&envelope->base, err);
    if (rc == 0)
        return pack_checked(envelope, bytes, size, err);
    /* Diagnostics quote files and commands, which may contain any bytes. */
    copy = wire_copy(&envelope->base);
    rc = wire_check_mending(copy, err);
    if (rc == 0)
        rc = pack_checked((const Creel__Envelope *)copy, bytes, size, err);
    protobuf_c_message_free_unpacked(copy, NULL);
    return rc;
}

void wire_encode(Creel__Envelope *envelope, uint8_t **bytes, size_t *size)
{
    struct err err;

    if (wire_pack(envelope, bytes, size, &err) < 0) {
        fprintf(stderr, "bug: message out of bounds: %s\n", err.text);
        abort();
    }
}

/* --- unpacking -------------------------------------------------------------- */

uint64_t wire_scan_request_id(const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = bytes + size;
    uint64_t found = 0, tag, value;

    while (at < end && wire_read_varint(&at, end, 5, &tag)) {
        uint64_t skip = 0;

        switch (tag & 7) {
        case 0:
            if (!wire_read_varint(&at, end, 10, &value))
                return found;
            if (tag >> 3 == REQUEST_ID_FIELD)
                found = value;
            break;
        case 1:
            skip = 8;
            break;
        case 2:
            if (!wire_read_varint(&at, end, 5, &skip))
                return found;
            break;
        case 5:
            skip = 4;
            break;
        default:
            return found;
        }
        if (skip > (uint64_t)(end - at))
            return found;
        at += skip;
    }
    return found;
}

static int check_version(const Creel__Envelope *envelope, struct err *err)
{
    if (envelope->version < WIRE_VERSION_OLDEST)
        return err_set(err, EPROTONOSUPPORT,
                       "protocol version %u is too old: this side speaks %u to %u, "
                       "update the other",
                       envelope->version, WIRE_VERSION_OLDEST, WIRE_VERSION);
    if (envelope->version > WIRE_VERSION)
        return err_set(err, EPROTONOSUPPORT,
                       "protocol version %u is too new: this side speaks %u to %u, "
                       "update it",
                       envelope->version, WIRE_VERSION_OLDEST, WIRE_VERSION);
    return 0;
}

static int check_body_known(const Creel__Envelope *envelope, struct err *err)
{
    if (envelope->body_case != CREEL__ENVELOPE__BODY__NOT_SET)
        return 0;
    for (unsigned i = 0; i < envelope->base.n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &envelope->base.unknown_fields[i];

        if (field->tag >= BODY_FIELD_FIRST && field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            return err_set(err, EPROTO, "message type %u is not known to this version", field->tag);
    }
    return err_set(err, EBADMSG, "message without a body");
}

static int check_envelope(const Creel__Envelope *envelope, struct err *err)
{
    int rc = check_version(envelope, err);

    if (rc == 0)
        rc = check_body_known(envelope, err);
    if (rc == 0)
        rc = wire_check(&envelope->base, err);
    return rc;
}

static int unpack_frame(const void *bytes, size_t size, struct frame *frame, struct err *err)
{
    Creel__Envelope *unpacked;
    const char *problem;

    if (size > WIRE_FRAME_MAX)
        return err_set(err, EMSGSIZE, "message of %zu bytes, more than %zu", size, WIRE_FRAME_MAX);
    problem = wire_shape_problem(&creel__envelope__descriptor, bytes, size);
    if (problem != NULL)
        return err_set(err, EBADMSG, "not a message (%zu bytes): %s", size, problem);
    unpacked = creel__envelope__unpack(&frame->memory.allocator, size, bytes);
    if (unpacked == NULL && frame->memory.exceeded)
        return err_set(err, EMSGSIZE, "message of %zu bytes needs more than %zu bytes of memory", size,
                       WIRE_MEMORY_MAX);
    if (unpacked == NULL)
        return err_set(err, EBADMSG, "not a message (%zu bytes)", size);
    frame->envelope = *unpacked;
    return check_envelope(&frame->envelope, err);
}

int wire_decode(const void *bytes, size_t size, Creel__Envelope **ret, uint64_t *request_id, struct err *err)
{
    struct frame *frame = mem_alloc(sizeof(*frame));
    int rc;

    wire_memory_init(&frame->memory, WIRE_MEMORY_MAX);
    rc = unpack_frame(bytes, size, frame, err);
    if (rc < 0) {
        wire_memory_done(&frame->memory);
        free(frame);
        if (request_id != NULL)
            *request_id = rc == -EMSGSIZE && size > WIRE_FRAME_MAX ? 0 : wire_scan_request_id(bytes, size);
        return rc;
    }
    if (request_id != NULL)
        *request_id = frame->envelope.request_id;
    *ret = &frame->envelope;
    return 0;
}

void wire_free(Creel__Envelope *envelope)
{
    struct frame *frame = (struct frame *)envelope;

    if (frame == NULL)
        return;
    wire_memory_done(&frame->memory);
    free(frame);
}

int wire_unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                ProtobufCMessage **ret, struct err *err)
{
    const char *problem = wire_shape_problem(type, bytes, size);
    ProtobufCMessage *message;
    int rc;

    if (problem != NULL)
        return err_set(err, EBADMSG, "not a %s (%zu bytes): %s", type->short_name, size, problem);
    message = protobuf_c_message_unpack(type, NULL, size, bytes);
    if (message == NULL)
        return err_set(err, EBADMSG, "not a %s (%zu bytes)", type->short_name, size);
    rc = wire_check(message, err);
    if (rc < 0) {
        err_prefix(err, "%s", type->short_name);
        protobuf_c_message_free_unpacked(message, NULL);
        return rc;
    }
    *ret = message;
    return 0;
}

/* --- names, codes, copies --------------------------------------------------- */

const char *wire_body_name(Creel__Envelope__BodyCase body)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, (unsigned)body);

    if (field == NULL || (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0)
        return "unknown message";
    return ((const ProtobufCMessageDescriptor *)field->descriptor)->short_name;
}

/* For a conversion from code to errno, the first row of the code is used. */
static const struct {
    Creel__ErrorCode code;
    int number;
} errors[] = {
    { CREEL__ERROR_CODE__ERROR_BAD_REQUEST, EBADMSG },
    { CREEL__ERROR_CODE__ERROR_BAD_REQUEST, EINVAL },
    { CREEL__ERROR_CODE__ERROR_UNSUPPORTED, EPROTO },
    { CREEL__ERROR_CODE__ERROR_UNSUPPORTED, EPROTONOSUPPORT },
    { CREEL__ERROR_CODE__ERROR_UNSUPPORTED, EOPNOTSUPP },
    { CREEL__ERROR_CODE__ERROR_UNSUPPORTED, ENOSYS },
    { CREEL__ERROR_CODE__ERROR_NOT_FOUND, ENOENT },
    { CREEL__ERROR_CODE__ERROR_NOT_FOUND, ESRCH },
    { CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, EACCES },
    { CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, EPERM },
    { CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, EKEYREJECTED },
    { CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, EKEYEXPIRED },
    { CREEL__ERROR_CODE__ERROR_BAD_STATE, EBUSY },
    { CREEL__ERROR_CODE__ERROR_BAD_STATE, EALREADY },
    { CREEL__ERROR_CODE__ERROR_BAD_STATE, EEXIST },
    { CREEL__ERROR_CODE__ERROR_NEVER_RUNS, ERANGE },
    { CREEL__ERROR_CODE__ERROR_RESYNC, ESTALE },
    { CREEL__ERROR_CODE__ERROR_TOO_LARGE, EMSGSIZE },
    { CREEL__ERROR_CODE__ERROR_TOO_LARGE, E2BIG },
    { CREEL__ERROR_CODE__ERROR_TOO_LARGE, EFBIG },
    { CREEL__ERROR_CODE__ERROR_STORE, EIO },
    { CREEL__ERROR_CODE__ERROR_STORE, ENOSPC },
    { CREEL__ERROR_CODE__ERROR_STORE, EROFS },
    { CREEL__ERROR_CODE__ERROR_STORE, EDQUOT },
    { CREEL__ERROR_CODE__ERROR_UNAVAILABLE, EAGAIN },
    { CREEL__ERROR_CODE__ERROR_UNAVAILABLE, ETIMEDOUT },
    { CREEL__ERROR_CODE__ERROR_BAD_CONFIG, ENOEXEC },
    { CREEL__ERROR_CODE__ERROR_SIGN_IN, ENOKEY },
};

#define ERRORS (sizeof(errors) / sizeof(errors[0]))

Creel__ErrorCode wire_error_from_errno(int code)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].number == -code)
            return errors[i].code;
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}

int wire_error_to_errno(Creel__ErrorCode code)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].code == code)
            return -errors[i].number;
    return -EREMOTEIO;
}

ProtobufCMessage *wire_copy(const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    scoped_free uint8_t *bytes = mem_alloc(size + 1);
    ProtobufCMessage *copy;

    protobuf_c_message_pack(message, bytes);
    copy = protobuf_c_message_unpack(message->descriptor, NULL, size, bytes);
    if (copy == NULL)
        abort(); /* out of memory; the bytes are valid, since they were packed above */
    return copy;
}
