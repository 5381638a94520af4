/* SPDX-License-Identifier: Apache-2.0 */
/* value_name.h - names of enum values, from the schema, both ways */
#ifndef CREEL_PROTO_VALUE_NAME_H
#define CREEL_PROTO_VALUE_NAME_H

#include <string.h>
#include <strings.h>

#include <protobuf-c/protobuf-c.h>

/* Returns the name of VALUE without its prefix: "KILLED" for APP_KILLED, "NOT_START" for LOGS_NOT_START;
 * "UNKNOWN" if TYPE has no such value. */
static inline const char *value_name(const ProtobufCEnumDescriptor *type, int value)
{
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(type, value);
    const char *behind = found != NULL ? strchr(found->name, '_') : NULL;

    return behind != NULL ? behind + 1 : "UNKNOWN";
}

/* Returns the value of TYPE with this name, in upper or lower case; -1: there is none. */
static inline int value_find(const ProtobufCEnumDescriptor *type, const char *name)
{
    for (unsigned i = 0; i < type->n_values; i++)
        if (strcasecmp(value_name(type, type->values[i].value), name) == 0)
            return type->values[i].value;
    return -1;
}

#endif
