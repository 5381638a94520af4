/* SPDX-License-Identifier: Apache-2.0 */
/* wire_check.c - checks a message, and all messages in it, against the rules of wire_rules.h */
#include "common/io/wire/wire_check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/wire/wire.h"
#include "common/io/wire/wire_rules.h"

#define NO_INDEX SIZE_MAX

/* A position in the message, with a chain of positions up to the root. Becomes text only for an error. */
struct place {
    const struct place *up;
    const ProtobufCFieldDescriptor *field;
    const struct wire_rule *rule; /* NULL: the default rule of the field's type applies */
    size_t index;                 /* index in a list, else NO_INDEX */
    bool mend;
    struct err *err;
};

static int check_fields(const ProtobufCMessage *message, const struct place *up, bool mend, struct err *err);

static size_t write_path(const struct place *place, char *text, size_t size)
{
    size_t used = 0;

    if (place->up != NULL) {
        used = write_path(place->up, text, size);
        used += (size_t)snprintf(text + used, size - used, ".");
    }
    if (used < size)
        used += (size_t)snprintf(text + used, size - used, "%s", place->field->name);
    if (place->index != NO_INDEX && used < size)
        used += (size_t)snprintf(text + used, size - used, "[%zu]", place->index);
    return used < size ? used : size - 1;
}

static int refuse(const struct place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(const struct place *place, const char *format, ...)
{
    char path[256];
    va_list args;

    va_start(args, format);
    err_vset(place->err, EBADMSG, format, args);
    va_end(args);
    write_path(place, path, sizeof(path));
    err_prefix(place->err, "%s", path);
    return -EBADMSG;
}

static bool is_required(const struct place *place)
{
    /* A required list must not be empty; argv must have a non-empty program. */
    if (place->index == NO_INDEX)
        return place->rule != NULL && place->rule->required;
    return place->index == 0 && strcmp(place->field->name, "command") == 0;
}

static int check_string(const struct place *place, char *text)
{
    enum wire_text_kind kind = place->rule != NULL ? place->rule->text : WIRE_TEXT;
    size_t most = wire_rule_text_max(place->rule);
    const char *problem;

    if (text == NULL || *text == '\0')
        return is_required(place) ? refuse(place, "is missing") : 0;
    if (place->mend && kind == WIRE_TEXT)
        wire_text_mend(text, most);
    if (strlen(text) > most)
        return refuse(place, "has %zu bytes, more than %zu", strlen(text), most);
    problem = wire_text_problem(kind, text);
    return problem != NULL ? refuse(place, "%s: '%.60s'", problem, text) : 0;
}

static int check_bytes(const struct place *place, const ProtobufCBinaryData *bytes)
{
    const struct wire_rule *rule = place->rule;
    size_t most = rule != NULL && rule->size_max > 0 ? rule->size_max : WIRE_CHUNK_MAX;
    size_t least = rule != NULL ? rule->size_min : 0;

    if (bytes->len == 0 && place->index == NO_INDEX)
        return is_required(place) ? refuse(place, "is missing") : 0;
    if (bytes->len < least || bytes->len > most) {
        if (least == most)
            return refuse(place, "has %zu bytes, must have %zu", bytes->len, most);
        return refuse(place, "has %zu bytes, more than %zu", bytes->len, most);
    }
    return 0;
}

static int check_integer(const struct place *place, int64_t value)
{
    const struct wire_rule *rule = place->rule;

    if (value == 0 && is_required(place))
        return refuse(place, "is missing");
    if (rule != NULL && rule->low != rule->high && (value < rule->low || value > rule->high))
        return refuse(place, "is %" PRId64 ", must be from %" PRId64 " to %" PRId64, value, rule->low,
                      rule->high);
    return 0;
}

static int check_float(const struct place *place, double value)
{
    const struct wire_rule *rule = place->rule;

    if (!isfinite(value))
        return refuse(place, "is not a finite number");
    if (rule != NULL && rule->low != rule->high && (value < (double)rule->low || value > (double)rule->high))
        return refuse(place, "is %g, must be from %" PRId64 " to %" PRId64, value, rule->low, rule->high);
    return 0;
}

static int check_enum(const struct place *place, int value)
{
    if (protobuf_c_enum_descriptor_get_value(place->field->descriptor, value) == NULL)
        return refuse(place, "is %d, which has no meaning here", value);
    return 0;
}

static int check_unsigned(const struct place *place, uint64_t value)
{
    bool bounded = place->rule != NULL && place->rule->low != place->rule->high;

    if (value > INT64_MAX)
        return bounded ? refuse(place, "is %" PRIu64 ", too large", value) : 0;
    return check_integer(place, (int64_t)value);
}

/* Checks one value. VALUE is the address of the field, or of the element of a list. */
static int check_value(const struct place *place, const void *value)
{
    const ProtobufCMessage *message;

    switch (place->field->type) {
    case PROTOBUF_C_TYPE_STRING:
        return check_string(place, *(char *const *)value);
    case PROTOBUF_C_TYPE_BYTES:
        return check_bytes(place, value);
    case PROTOBUF_C_TYPE_MESSAGE:
        message = *(const ProtobufCMessage *const *)value;
        if (message == NULL)
            return is_required(place) ? refuse(place, "is missing") : 0;
        return check_fields(message, place, place->mend, place->err);
    case PROTOBUF_C_TYPE_ENUM:
        return check_enum(place, *(const int *)value);
    case PROTOBUF_C_TYPE_UINT32:
        return check_integer(place, *(const uint32_t *)value);
    case PROTOBUF_C_TYPE_SINT32:
        return check_integer(place, *(const int32_t *)value);
    case PROTOBUF_C_TYPE_UINT64:
        return check_unsigned(place, *(const uint64_t *)value);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
        return check_integer(place, *(const int64_t *)value);
    case PROTOBUF_C_TYPE_FLOAT:
        return check_float(place, (double)*(const float *)value);
    case PROTOBUF_C_TYPE_DOUBLE:
        return check_float(place, *(const double *)value);
    case PROTOBUF_C_TYPE_BOOL:
        return 0;
    default:
        abort(); /* a new type in the schema needs a check in this function first */
    }
}

static size_t element_size(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
        return sizeof(char *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(ProtobufCMessage *);
    case PROTOBUF_C_TYPE_ENUM:
        return sizeof(int);
    default:
        abort();
    }
}

static int check_sum(const struct place *place, char *const *texts, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += strlen(texts[i]);
    if (sum > place->rule->sum_max)
        return refuse(place, "its %zu elements have %zu bytes in all, more than %zu", count, sum,
                      place->rule->sum_max);
    return 0;
}

static int check_list(struct place *place, const ProtobufCMessage *message)
{
    const ProtobufCFieldDescriptor *field = place->field;
    const char *base = (const char *)message;
    size_t count = *(const size_t *)(const void *)(base + field->quantifier_offset);
    const char *elements = *(const char *const *)(const void *)(base + field->offset);
    size_t most = place->rule != NULL && place->rule->count_max > 0 ? place->rule->count_max : WIRE_LIST_MAX;

    if (count == 0)
        return is_required(place) ? refuse(place, "is missing") : 0;
    if (count > most)
        return refuse(place, "has %zu elements, more than %zu", count, most);
    for (size_t i = 0; i < count; i++) {
        int rc;

        place->index = i;
        rc = check_value(place, elements + i * element_size(field->type));
        if (rc < 0)
            return rc;
    }
    place->index = NO_INDEX;
    return place->rule != NULL && place->rule->sum_max > 0
               ? check_sum(place, (char *const *)(const void *)elements, count)
               : 0;
}

static bool is_other_of_oneof(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message;

    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
           *(const uint32_t *)(const void *)(base + field->quantifier_offset) != field->id;
}

/* Returns true if the member of FIELD, no list and no member of a oneof, has the value of an absent one. */
static bool is_default(const ProtobufCFieldDescriptor *field, const void *member)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        return *(const char *const *)member == NULL || **(const char *const *)member == '\0';
    case PROTOBUF_C_TYPE_BYTES:
        return ((const ProtobufCBinaryData *)member)->len == 0;
    case PROTOBUF_C_TYPE_MESSAGE:
        return *(const void *const *)member == NULL;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
        return *(const uint64_t *)member == 0;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_SINT32:
        return *(const uint32_t *)member == 0;
    default:
        return false;
    }
}

/* Returns true if FIELD is absent. Most fields of a large message are: the search for their rules would be a
 * tenth of the cost of a submission. */
static bool is_absent(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message;

    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return *(const size_t *)(const void *)(base + field->quantifier_offset) == 0;
    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0 && is_default(field, base + field->offset);
}

static int check_fields(const ProtobufCMessage *message, const struct place *up, bool mend, struct err *err)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    size_t own_count;
    const struct wire_rule *own = wire_rules_of(type->short_name, &own_count);

    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        struct place place = { up, field, NULL, NO_INDEX, mend, err };
        int rc;

        if (is_other_of_oneof(message, field))
            continue;
        place.rule = wire_rule_of(own, own_count, field->name);
        if (place.rule == NULL && is_absent(message, field))
            continue; /* only rows of one message require a field */
        if (place.rule == NULL)
            place.rule = wire_rule_for(field->name);
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            rc = check_list(&place, message);
        else
            rc = check_value(&place, (const char *)message + field->offset);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int wire_check(const ProtobufCMessage *message, struct err *err)
{
    return check_fields(message, NULL, false, err);
}

int wire_check_mending(ProtobufCMessage *message, struct err *err)
{
    return check_fields(message, NULL, true, err);
}
