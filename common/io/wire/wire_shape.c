/* SPDX-License-Identifier: Apache-2.0 */
/* wire_shape.c - checks the structure of a packed message before it is unpacked */
#include "common/io/wire/wire_shape.h"

#include <assert.h>
#include <string.h>

#define VARINT_LENGTH_MAX 10
#define PREFIX_LENGTH_MAX 5 /* tags and lengths: 32 bits */
#define FIELDS_MAX 256
#define CUT "it is cut off"

/* Set of fields found so far in a message; all fields of a oneof share the last bit. */
struct seen {
    uint64_t bits[FIELDS_MAX / 64];
};

bool wire_read_varint(const uint8_t **at, const uint8_t *end, unsigned length_max, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; *at < end && i < length_max; i++) {
        uint8_t byte = *(*at)++;

        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static bool see(struct seen *seen, const ProtobufCMessageDescriptor *type,
                const ProtobufCFieldDescriptor *field)
{
    size_t bit = (size_t)(field - type->fields);
    uint64_t mask;

    assert(type->n_fields < FIELDS_MAX);
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
        bit = FIELDS_MAX - 1; /* the schema has at most one oneof in a message */
    mask = (uint64_t)1 << bit % 64;
    if ((seen->bits[bit / 64] & mask) != 0)
        return false;
    seen->bits[bit / 64] |= mask;
    return true;
}

static ProtobufCWireType wire_type_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return PROTOBUF_C_WIRE_TYPE_32BIT;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return PROTOBUF_C_WIRE_TYPE_64BIT;
    default:
        return PROTOBUF_C_WIRE_TYPE_VARINT;
    }
}

/* Checks a list of numbers that is packed into one field. */
static const char *packed_problem(const ProtobufCFieldDescriptor *field, const uint8_t *at,
                                  const uint8_t *end)
{
    uint64_t value;

    if (wire_type_of(field->type) != PROTOBUF_C_WIRE_TYPE_VARINT)
        return "a field is of another type";
    while (at < end)
        if (!wire_read_varint(&at, end, VARINT_LENGTH_MAX, &value))
            return CUT;
    return NULL;
}

/* Checks the content of FIELD, from AT to END. */
static const char *content_problem(const ProtobufCFieldDescriptor *field, uint64_t wire_type,
                                   const uint8_t *at, const uint8_t *end)
{
    if (wire_type != (uint64_t)wire_type_of(field->type)) {
        if (field->label == PROTOBUF_C_LABEL_REPEATED && wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            return packed_problem(field, at, end);
        return "a field is of another type";
    }
    if (field->type == PROTOBUF_C_TYPE_STRING && at < end && memchr(at, '\0', (size_t)(end - at)) != NULL)
        return "a string has a zero byte in it";
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return wire_shape_problem(field->descriptor, at, (size_t)(end - at));
    return NULL;
}

/* Moves *AT to the start of the content of a field of WIRE_TYPE, and returns the end of the content; NULL if
 * the message is too short. */
static const uint8_t *content_end(uint64_t wire_type, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *behind = *at;
    uint64_t length;

    switch (wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
        return wire_read_varint(&behind, end, VARINT_LENGTH_MAX, &length) ? behind : NULL;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
        if (!wire_read_varint(at, end, PREFIX_LENGTH_MAX, &length))
            return NULL;
        break;
    case PROTOBUF_C_WIRE_TYPE_64BIT:
        length = 8;
        break;
    case PROTOBUF_C_WIRE_TYPE_32BIT:
        length = 4;
        break;
    default:
        return NULL;
    }
    return length <= (uint64_t)(end - *at) ? *at + length : NULL;
}

/* No message of the schema contains itself, so the recursion depth is limited by the schema. */
const char *wire_shape_problem(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = bytes + size;
    struct seen seen = { { 0 } };

    while (at < end) {
        const ProtobufCFieldDescriptor *field;
        const uint8_t *behind;
        const char *problem;
        uint64_t tag;

        if (!wire_read_varint(&at, end, PREFIX_LENGTH_MAX, &tag))
            return CUT;
        if (tag >> 3 == 0 || tag > UINT32_MAX)
            return "a field has no valid number";
        behind = content_end(tag & 7, &at, end);
        if (behind == NULL)
            return CUT;
        field = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
        if (field != NULL) {
            if (field->label != PROTOBUF_C_LABEL_REPEATED && !see(&seen, type, field))
                return "a field is in it twice";
            problem = content_problem(field, tag & 7, at, behind);
            if (problem != NULL)
                return problem;
        }
        at = behind;
    }
    return NULL;
}
