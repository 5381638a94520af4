/* SPDX-License-Identifier: Apache-2.0 */
/* io_sample.c - makes a valid sample message of any protobuf type, with a value in every field */
#include "tests/unit/io/io_sample.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire_rules.h"

static const struct wire_rule *rule_of(const ProtobufCMessageDescriptor *type, const char *field)
{
    size_t count;
    const struct wire_rule *own = wire_rules_of(type->short_name, &count);

    return wire_rule_find(own, count, field);
}

static char *sample_text(const struct wire_rule *rule)
{
    static const char *const texts[] = {
        [WIRE_TEXT] = "two lines:\n\tgr\xc3\xbc\xc3\x9f",
        [WIRE_EXACT] = "\x1b[1mas it is\r\n",
        [WIRE_NAME] = "a name",
        [WIRE_APP_ID] = SAMPLE_APP,
        [WIRE_ATTEMPT_ID] = SAMPLE_ATTEMPT,
        [WIRE_CONTAINER_ID] = SAMPLE_CONTAINER,
        [WIRE_ENDPOINT] = SAMPLE_NODE,
        [WIRE_CURVE_KEY] = SAMPLE_KEY,
        [WIRE_FILE_NAME] = "input.txt",
        [WIRE_VARIABLE_NAME] = "PATH",
    };

    return mem_strdup(texts[rule != NULL ? rule->text : WIRE_TEXT]);
}

static ProtobufCMessage *make(const ProtobufCMessageDescriptor *type, bool all);

static void fill_value(const ProtobufCFieldDescriptor *field, const struct wire_rule *rule, bool all,
                       void *value)
{
    ProtobufCBinaryData *bytes = value;

    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        *(char **)value = sample_text(rule);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        bytes->len = rule != NULL && rule->size_min > 0 ? rule->size_min : 5;
        bytes->data = mem_alloc(bytes->len);
        memset(bytes->data, 0xfe, bytes->len);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        *(ProtobufCMessage **)value = make(field->descriptor, all);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        *(float *)value = 0.5f;
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        *(double *)value = 0.5;
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
        *(int64_t *)value = 3;
        break;
    default:
        *(int32_t *)value = 1;
        break;
    }
}

static size_t size_of(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_BYTES  ? sizeof(ProtobufCBinaryData)
           : type == PROTOBUF_C_TYPE_ENUM ? sizeof(int)
                                          : sizeof(void *);
}

/* Makes a message with a value in each field, or in required ones alone. */
static ProtobufCMessage *make(const ProtobufCMessageDescriptor *type, bool all)
{
    ProtobufCMessage *message = mem_alloc0(type->sizeof_message);

    protobuf_c_message_init(type, message);
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const struct wire_rule *rule = rule_of(type, field->name);
        char *base = (char *)message;

        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 || (!all && (rule == NULL || !rule->required)))
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t size = size_of(field->type);
            char *elements = mem_array0(2, size);

            fill_value(field, rule, all, elements);
            fill_value(field, rule, all, elements + size);
            *(size_t *)(void *)(base + field->quantifier_offset) = 2;
            *(char **)(void *)(base + field->offset) = elements;
        } else {
            fill_value(field, rule, all, base + field->offset);
        }
    }
    return message;
}

ProtobufCMessage *sample_message(const ProtobufCMessageDescriptor *type)
{
    return make(type, true);
}

ProtobufCMessage *sample_small(const ProtobufCMessageDescriptor *type)
{
    return make(type, false);
}

Creel__Envelope *sample_envelope(uint32_t body)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, body);
    Creel__Envelope *envelope = (Creel__Envelope *)sample_message(&creel__envelope__descriptor);

    envelope->version = 1;
    envelope->request_id = 7;
    envelope->body_case = (Creel__Envelope__BodyCase)body;
    *(ProtobufCMessage **)(void *)((char *)envelope + field->offset) = sample_message(field->descriptor);
    return envelope;
}

uint32_t sample_body(unsigned n)
{
    const ProtobufCMessageDescriptor *type = &creel__envelope__descriptor;

    for (unsigned i = 0; i < type->n_fields; i++)
        if ((type->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 && n-- == 0)
            return type->fields[i].id;
    return 0;
}

void sample_free(Creel__Envelope *envelope)
{
    creel__envelope__free_unpacked(envelope, NULL);
}

void sample_set_text(char **field, const char *text)
{
    if (*field != (char *)&protobuf_c_empty_string)
        free(*field);
    *field = mem_strdup(text);
}

uint8_t *sample_pack(const Creel__Envelope *envelope, size_t *size)
{
    uint8_t *bytes = mem_alloc(creel__envelope__get_packed_size(envelope) + 1);

    *size = creel__envelope__pack(envelope, bytes);
    return bytes;
}
