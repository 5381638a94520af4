/* SPDX-License-Identifier: Apache-2.0 */
/* value_name.h - names of enum values, from the schema */
#ifndef CREEL_PROTO_VALUE_NAME_H
#define CREEL_PROTO_VALUE_NAME_H

#include <string.h>

#include <protobuf-c/protobuf-c.h>

/* Returns the name of VALUE without its prefix: "KILLED" for APP_KILLED, "NOT_START" for LOGS_NOT_START;
 * "UNKNOWN" if TYPE has no such value. */
static inline const char *value_name(const ProtobufCEnumDescriptor *type, int value)
{
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(type, value);
    const char *behind = found != NULL ? strchr(found->name, '_') : NULL;

    return behind != NULL ? behind + 1 : "UNKNOWN";
}

#endif
