/* SPDX-License-Identifier: Apache-2.0 */
/* io_grown.c - messages with one field at its limit */
#include "tests/unit/io/io_grown.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_rules.h"
#include "tests/unit/io/io_sample.h"

/* --- the limits of fields ------------------------------------------------------- */

static const struct wire_rule *rule_of(const ProtobufCMessageDescriptor *type, const char *field)
{
    size_t count;
    const struct wire_rule *own = wire_rules_of(type->short_name, &count);

    return wire_rule_find(own, count, field);
}

/* Returns a text of LENGTH bytes that JSON, XML and HTML escape; NULL: texts of this kind have one form. */
static char *long_text(enum wire_text_kind kind, size_t length)
{
    char *text;

    if (kind == WIRE_APP_ID || kind == WIRE_ATTEMPT_ID || kind == WIRE_CONTAINER_ID ||
        kind == WIRE_ENDPOINT || kind == WIRE_CURVE_KEY)
        return NULL;
    text = mem_alloc(length + 1);
    memset(text, kind == WIRE_VARIABLE_NAME ? 'A' : '"', length);
    text[length] = '\0';
    return text;
}

enum { FORM_BYTES = 32 };

/* Texts of a form of their own: lists of as many elements as fit. */
static const struct {
    const char *field, *prefix;
    size_t distance, most; /* of the numbers after the prefix */
} forms[] = {
    { "array", "", 2, 1000000 },
    { "retry_on", "exit:", 1, 255 },
};

/* Returns a text of at most LENGTH bytes for FIELD; NULL: FIELD has no form of its own. */
static char *formed_text(const char *field, size_t length)
{
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        struct text_builder text = TEXT_BUILDER_MALLOC;

        if (!text_equal(forms[f].field, field))
            continue;
        for (size_t n = forms[f].distance; n <= forms[f].most && text.length + FORM_BYTES < length;
             n += forms[f].distance)
            text_builder_printf(&text, "%s%s%zu", text.length > 0 ? "," : "", forms[f].prefix, n);
        return text_builder_finish(&text);
    }
    return NULL;
}

static char *text_for(const ProtobufCFieldDescriptor *field, const struct wire_rule *rule)
{
    char *formed = formed_text(field->name, wire_rule_text_max(rule));

    return formed != NULL ? formed
                          : long_text(rule != NULL ? rule->text : WIRE_TEXT, wire_rule_text_max(rule));
}

static void replace_text(char **text, char *with)
{
    if (with == NULL)
        return;
    if (*text != (char *)(uintptr_t)protobuf_c_empty_string)
        free(*text);
    *text = with;
}

/* --- growing a field ------------------------------------------------------------- */

static void *member(ProtobufCMessage *message, unsigned offset)
{
    return (char *)message + offset;
}

/* Returns the message in FIELD of MESSAGE, or the first of its list. Makes it if there is none. */
static ProtobufCMessage *inner(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    ProtobufCMessage **value = member(message, field->offset);

    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        size_t *count = member(message, field->quantifier_offset);
        ProtobufCMessage ***list = member(message, field->offset);

        if (*count == 0) {
            *list = mem_array0(1, sizeof(**list));
            (*list)[0] = sample_message(field->descriptor);
            *count = 1;
        }
        return (*list)[0];
    }
    if (*value == NULL)
        *value = sample_message(field->descriptor);
    return *value;
}

/* Adds elements to a list of texts: short ones, all different, or long ones. */
static void grow_texts(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                       const struct wire_rule *rule, enum grown_way way, size_t room)
{
    enum wire_text_kind kind = rule != NULL ? rule->text : WIRE_TEXT;
    size_t count_max = rule != NULL && rule->count_max > 0 ? rule->count_max : WIRE_LIST_MAX;
    size_t sum_max = rule != NULL && rule->sum_max > 0 && rule->sum_max < room ? rule->sum_max : room;
    size_t length = way == GROWN_LARGE ? wire_rule_text_max(rule) : 6, used = 0;
    size_t *count = member(message, field->quantifier_offset);
    char ***list = member(message, field->offset);

    for (size_t i = 0; i < *count; i++)
        used += strlen((*list)[i]) + 8;
    *list = mem_resize(*list, *count + sum_max / (length + 8) + 1, sizeof(**list));
    while (*count < count_max && used + length + 8 <= sum_max) {
        char *text = long_text(kind, length);

        if (text == NULL)
            return;
        if (way == GROWN_MANY)
            snprintf(text, length + 1, "A%05zu", *count % 100000);
        (*list)[(*count)++] = text;
        used += length + 8;
    }
}

/* Returns an id or name of KIND that has NUMBER in it; NULL: texts of this kind have none. */
static char *numbered_text(enum wire_text_kind kind, size_t number)
{
    switch (kind) {
    case WIRE_NAME:
        return mem_printf("a name %zu", number);
    case WIRE_APP_ID:
        return mem_printf("application_1763683200000_%04zu", number);
    case WIRE_CONTAINER_ID:
        return mem_printf("container_e02_1763683200000_0001_01_%06zu", number);
    case WIRE_ENDPOINT:
        return mem_printf("n%zu.example:8041", number);
    default:
        return NULL;
    }
}

/* Puts NUMBER into the ids and names of MESSAGE, an element of a list: no two elements are alike. If it has
 * none, it gets the first one. */
static void number_element(ProtobufCMessage *message, size_t number)
{
    char **first = NULL, *first_text = NULL;
    bool numbered = false;

    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const struct wire_rule *rule = rule_of(message->descriptor, field->name);
        char **text = member(message, field->offset), *with;

        if (field->type != PROTOBUF_C_TYPE_STRING || field->label == PROTOBUF_C_LABEL_REPEATED ||
            rule == NULL || (**text == '\0' && first != NULL) ||
            (with = numbered_text(rule->text, number)) == NULL)
            continue;
        if (**text == '\0') {
            first = text;
            first_text = with;
        } else {
            replace_text(text, with);
            numbered = true;
        }
    }
    if (first != NULL && !numbered)
        replace_text(first, first_text);
    else
        free(first_text);
}

static void grow_messages(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                          const struct wire_rule *rule, enum grown_way way, size_t room)
{
    enum { NUMBER_BYTES = 16 }; /* that a number in an id or name adds */
    size_t count_max = rule != NULL && rule->count_max > 0 ? rule->count_max : WIRE_LIST_MAX;
    ProtobufCMessage *element =
        way == GROWN_MANY ? sample_small(field->descriptor) : wire_copy(inner(message, field));
    size_t size = protobuf_c_message_get_packed_size(element) + NUMBER_BYTES;
    size_t *count = member(message, field->quantifier_offset);
    ProtobufCMessage ***list = member(message, field->offset);

    *list = mem_resize(*list, *count + room / size + 1, sizeof(**list));
    for (size_t used = 0; *count < count_max && used + size <= room; used += size) {
        ProtobufCMessage *copy = wire_copy(element);

        number_element(copy, *count);
        (*list)[(*count)++] = copy;
    }
    protobuf_c_message_free_unpacked(element, NULL);
}

static void grow_number(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                        const struct wire_rule *rule)
{
    if (rule == NULL || rule->low == rule->high)
        return;
    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
        *(int64_t *)member(message, field->offset) = rule->high;
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
        *(int32_t *)member(message, field->offset) = (int32_t)rule->high;
        break;
    default:
        break;
    }
}

static void grow_bytes(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                       const struct wire_rule *rule)
{
    ProtobufCBinaryData *bytes = member(message, field->offset);
    size_t size = rule != NULL && rule->size_max > 0 ? rule->size_max : WIRE_CHUNK_MAX;

    if (bytes->data != NULL)
        free(bytes->data);
    bytes->data = mem_alloc(size);
    memset(bytes->data, 0xfe, size);
    bytes->len = size;
}

/* Brings FIELD of MESSAGE to its limit, with at most ROOM bytes more. */
static void grow(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, enum grown_way way,
                 size_t room)
{
    const struct wire_rule *rule = rule_of(message->descriptor, field->name);
    bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;

    if (repeated && field->type == PROTOBUF_C_TYPE_MESSAGE)
        grow_messages(message, field, rule, way, room);
    else if (repeated && field->type == PROTOBUF_C_TYPE_STRING)
        grow_texts(message, field, rule, way, room);
    else if (repeated)
        return;
    else if (field->type == PROTOBUF_C_TYPE_STRING)
        replace_text(member(message, field->offset), text_for(field, rule));
    else if (field->type == PROTOBUF_C_TYPE_BYTES)
        grow_bytes(message, field, rule);
    else
        grow_number(message, field, rule);
}

/* --- places ------------------------------------------------------------------------- */

static void try_fields(struct grown_place *place, const ProtobufCMessageDescriptor *type,
                       void (*try)(void *context, const struct grown_place *place), void *context)
{
    if (place->depth == GROWN_DEPTH_MAX)
        return;
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];

        place->path[place->depth++] = field;
        if (field->type != PROTOBUF_C_TYPE_MESSAGE || field->label == PROTOBUF_C_LABEL_REPEATED)
            try(context, place);
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
            try_fields(place, field->descriptor, try, context);
        place->depth--;
    }
}

void grown_each(const ProtobufCMessageDescriptor *type,
                void (*try)(void *context, const struct grown_place *place), void *context)
{
    struct grown_place place = { .depth = 0 };

    try_fields(&place, type, try, context);
}

void grown_make(ProtobufCMessage *message, const struct grown_place *place, enum grown_way way, size_t room)
{
    size_t i = 0;

    for (; i + 1 < place->depth; i++)
        message = inner(message, place->path[i]);
    grow(message, place->path[i], way, room);
}

const char *grown_name(const struct grown_place *place, char *text, size_t size)
{
    size_t length = 0;

    *text = '\0';
    for (size_t i = 0; i < place->depth && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? "." : "", place->path[i]->name);
    return text;
}
