/* SPDX-License-Identifier: Apache-2.0 */
/* wire_fit.c - fits a stored message to limits that became lower after it was stored */
#include "common/io/wire/wire_fit.h"

#include <stdlib.h>
#include <string.h>

#include "common/io/wire/wire_rules.h"

static void fit_text(char *text, const struct wire_rule *rule)
{
    if (text != NULL && rule != NULL && rule->text != WIRE_TEXT && strlen(text) > wire_rule_text_max(rule))
        *text = '\0';
}

static void fit_texts(char **texts, size_t *count, const struct wire_rule *rule)
{
    size_t sum = 0, kept;

    for (size_t i = 0; i < *count; i++)
        fit_text(texts[i], rule);
    if (rule == NULL || rule->sum_max == 0)
        return;
    for (kept = 0; kept < *count && sum + strlen(texts[kept]) <= rule->sum_max; kept++)
        sum += strlen(texts[kept]);
    while (*count > kept)
        free(texts[--*count]);
}

static void fit_field(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                      const struct wire_rule *rule)
{
    void *member = (char *)message + field->offset;
    size_t *count = (size_t *)(void *)((char *)message + field->quantifier_offset);
    bool list = field->label == PROTOBUF_C_LABEL_REPEATED;

    if (field->type == PROTOBUF_C_TYPE_STRING && list)
        fit_texts(*(char ***)member, count, rule);
    else if (field->type == PROTOBUF_C_TYPE_STRING)
        fit_text(*(char **)member, rule);
    else if (field->type == PROTOBUF_C_TYPE_MESSAGE && list)
        for (size_t i = 0; i < *count; i++)
            wire_fit((*(ProtobufCMessage ***)member)[i]);
    else if (field->type == PROTOBUF_C_TYPE_MESSAGE && *(ProtobufCMessage **)member != NULL)
        wire_fit(*(ProtobufCMessage **)member);
}

void wire_fit(ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    size_t own_count;
    const struct wire_rule *own = wire_rules_of(type->short_name, &own_count);

    for (unsigned i = 0; i < type->n_fields; i++)
        if ((type->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0)
            fit_field(message, &type->fields[i], wire_rule_find(own, own_count, type->fields[i].name));
}
