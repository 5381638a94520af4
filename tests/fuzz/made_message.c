/* SPDX-License-Identifier: Apache-2.0 */
/* made_message.c - makes well-formed messages from the bytes of a fuzzer */
#include "tests/fuzz/made_message.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/wire/wire.h"
#include "common/io/wire/wire_rules.h"

/* --- bytes ------------------------------------------------------------------------ */

bool made_is_over(const struct made_bytes *bytes)
{
    return bytes->at == bytes->end;
}

uint8_t made_byte(struct made_bytes *bytes)
{
    return made_is_over(bytes) ? 0 : *bytes->at++;
}

unsigned made_below(struct made_bytes *bytes, unsigned limit)
{
    return made_byte(bytes) % limit;
}

int64_t made_wait_ms(struct made_bytes *bytes)
{
    static const int64_t waits[] = { 0, 1, 100, 1000, 1000, 5000, 11000, 31000, 120000, 600000 };

    return waits[made_below(bytes, sizeof(waits) / sizeof(waits[0]))];
}

static uint64_t raw_number(struct made_bytes *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | made_byte(bytes);
    return number;
}

/* --- what messages may name --------------------------------------------------------- */

static void learn_text(char (*texts)[MADE_TEXT_ROOM], size_t *count, const char *text)
{
    size_t known = *count < MADE_IDS_MAX ? *count : MADE_IDS_MAX;

    if (*text == '\0' || strlen(text) >= MADE_TEXT_ROOM)
        return;
    for (size_t i = 0; i < known; i++)
        if (strcmp(texts[i], text) == 0)
            return;
    snprintf(texts[(*count)++ % MADE_IDS_MAX], MADE_TEXT_ROOM, "%s", text);
}

static void learn_id(struct made_pool *pool, const struct wire_rule *rule, const char *text)
{
    if (rule == NULL || text == NULL)
        return;
    if (rule->text == WIRE_APP_ID)
        learn_text(pool->applications, &pool->application_count, text);
    else if (rule->text == WIRE_ATTEMPT_ID)
        learn_text(pool->attempts, &pool->attempt_count, text);
    else if (rule->text == WIRE_CONTAINER_ID)
        learn_text(pool->containers, &pool->container_count, text);
}

static void learn_number(struct made_pool *pool, int64_t number)
{
    for (size_t i = 0; i < MADE_NUMBERS_MAX; i++)
        if (pool->numbers[i] == number)
            return;
    pool->numbers[pool->number_count++ % MADE_NUMBERS_MAX] = number;
}

static bool is_position(const char *name)
{
    return strcmp(name, "session") == 0 || strcmp(name, "response_id") == 0 || strcmp(name, "seq") == 0 ||
           strcmp(name, "deadline_ms") == 0;
}

static void learn_value(struct made_pool *pool, const ProtobufCFieldDescriptor *field,
                        const struct wire_rule *rule, const void *value)
{
    if (field->type == PROTOBUF_C_TYPE_STRING)
        learn_id(pool, rule, *(const char *const *)value);
    else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        made_learn(pool, *(const ProtobufCMessage *const *)value);
    else if ((field->type == PROTOBUF_C_TYPE_UINT64 || field->type == PROTOBUF_C_TYPE_INT64) &&
             is_position(field->name))
        learn_number(pool, *(const int64_t *)value);
}

static size_t size_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    default:
        return 4;
    }
}

void made_learn(struct made_pool *pool, const ProtobufCMessage *message)
{
    const struct wire_rule *own;
    size_t own_count;

    if (message == NULL)
        return;
    own = wire_rules_of(message->descriptor->short_name, &own_count);
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const struct wire_rule *rule =
            field->type == PROTOBUF_C_TYPE_STRING ? wire_rule_find(own, own_count, field->name) : NULL;
        const char *value = (const char *)message + field->offset;
        const unsigned *choice = (const void *)((const char *)message + field->quantifier_offset);
        size_t count = 1;

        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 && *choice != field->id)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            count = *(const size_t *)(const void *)choice;
            value = *(const char *const *)(const void *)value;
        }
        for (size_t n = 0; n < count; n++)
            learn_value(pool, field, rule, value + n * size_of(field->type));
    }
}

/* --- texts --------------------------------------------------------------------------- */

/* Names, patterns and texts of all forms; most fields accept a few of them. */
static const char *const words[] = {
    "",
    "*",
    "n1",
    "n2",
    "n1:8041",
    "n2:8041",
    "/default-rack",
    "default",
    "root.default",
    "root",
    "ann",
    "bob",
    "admin",
    "key",
    "gpu",
    "1",
    "0",
    "1-5",
    "1-9:2%2",
    "0-999999",
    "afterok:1",
    "after:1,afterany:2",
    "corr:1",
    "singleton",
    "exit:1",
    "USR1@60",
    "TERM",
    "022",
    "slurm",
    "append",
    "workflowid:7",
    "RUNNING",
    "STOPPED",
    "memory-mb",
    "Gi",
    "k",
    "/tmp/out-%j",
    "two\nlines",
    "gr\xc3\xbc\xc3\x9f",
    "submit",
    "exclusive",
    "afternotok:1_2",
    "1+60",
    "any",
    "-1",
    "18446744073709551615",
    "9223372036854775808",
    "application_1700000000000_0001",
    "application_1700000000000_0002",
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

static char *raw_text(struct made_bytes *bytes, struct arena *arena)
{
    size_t length = made_byte(bytes);
    char *text = arena_alloc0(arena, length + 1);

    for (size_t i = 0; i < length; i++)
        text[i] = (char)(' ' + made_byte(bytes) % 95);
    return text;
}

static char *known_id(struct made_bytes *bytes, const char (*texts)[MADE_TEXT_ROOM], size_t count,
                      const char *else_prefix, struct arena *arena)
{
    size_t known = count < MADE_IDS_MAX ? count : MADE_IDS_MAX;
    unsigned choice = made_byte(bytes);

    if (known > 0 && choice < 240)
        return arena_strdup(arena, texts[choice % known]);
    return arena_printf(arena, "%s%02u", else_prefix, choice % 8);
}

static char *endpoint_text(struct made_bytes *bytes, struct arena *arena)
{
    static const char *const endpoints[] = { "n1:8041", "n2:8041", "n3:8041", "n1:9", "10.0.0.1:8041" };

    return arena_strdup(arena, endpoints[made_below(bytes, 5)]);
}

static char *key_text(struct made_bytes *bytes, struct arena *arena)
{
    return arena_printf(arena, "012345678901234567890123456789012345678%u", made_below(bytes, 10));
}

static char *text_value(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                        const struct wire_rule *rule)
{
    unsigned choice;

    switch (rule != NULL ? rule->text : WIRE_TEXT) {
    case WIRE_APP_ID:
        return known_id(bytes, pool->applications, pool->application_count, "application_1700000000000_00",
                        arena);
    case WIRE_ATTEMPT_ID:
        return known_id(bytes, pool->attempts, pool->attempt_count, "appattempt_1700000000000_0001_0000",
                        arena);
    case WIRE_CONTAINER_ID:
        return known_id(bytes, pool->containers, pool->container_count,
                        "container_1700000000000_0001_01_0000", arena);
    case WIRE_ENDPOINT:
        return endpoint_text(bytes, arena);
    case WIRE_CURVE_KEY:
        return key_text(bytes, arena);
    default:
        break;
    }
    choice = made_byte(bytes);
    if (choice < 3 * WORDS)
        return arena_strdup(arena, words[choice % WORDS]);
    if (choice < 200 && pool->application_count > 0)
        return known_id(bytes, pool->applications, pool->application_count, "", arena);
    return raw_text(bytes, arena);
}

/* --- numbers -------------------------------------------------------------------------- */

static int64_t within(const struct wire_rule *rule, uint64_t number)
{
    uint64_t span = (uint64_t)rule->high - (uint64_t)rule->low;

    return (int64_t)((uint64_t)rule->low + (span == UINT64_MAX ? number : number % (span + 1)));
}

static int64_t free_number(struct made_bytes *bytes, const struct made_pool *pool)
{
    static const int64_t extremes[] = { INT64_MAX,    INT64_MIN, -1,        UINT32_MAX, INT32_MAX,
                                        INT32_MIN,    1LL << 40, 1LL << 60, 1LL << 61,  INT64_MAX - 1,
                                        -(1LL << 61), 1000000,   100000,    65536 };
    unsigned choice = made_byte(bytes);

    if (choice < 64)
        return choice % 32;
    if (choice < 112)
        return 64LL * (choice % 48);
    if (choice < 176)
        return pool->numbers[choice % MADE_NUMBERS_MAX];
    if (choice < 208)
        return pool->now_ms + made_wait_ms(bytes) * (choice % 2 != 0 ? 1 : -1);
    if (choice < 248)
        return extremes[choice % (sizeof(extremes) / sizeof(extremes[0]))];
    return (int64_t)raw_number(bytes);
}

static int64_t number_value(struct made_bytes *bytes, const struct made_pool *pool,
                            const struct wire_rule *rule)
{
    unsigned choice;

    if (rule == NULL || rule->low == rule->high)
        return free_number(bytes, pool);
    choice = made_byte(bytes);
    if (choice < 32)
        return rule->high;
    if (choice < 64)
        return rule->low;
    if (choice < 96)
        return within(rule, raw_number(bytes));
    return within(rule, (uint64_t)free_number(bytes, pool) - (uint64_t)rule->low);
}

static double fraction_value(struct made_bytes *bytes)
{
    static const double fractions[] = { 0, 0.5, 1, -1, 100, FLT_MAX, (double)INFINITY, (double)NAN };

    return fractions[made_below(bytes, 8)];
}

static int enum_value(struct made_bytes *bytes, const ProtobufCEnumDescriptor *type)
{
    return type->values[made_below(bytes, type->n_values)].value;
}

/* --- messages -------------------------------------------------------------------------- */

static ProtobufCBinaryData bytes_value(struct made_bytes *bytes, struct arena *arena,
                                       const struct wire_rule *rule)
{
    ProtobufCBinaryData data;

    data.len = rule != NULL && rule->size_min > 0 ? rule->size_min : made_byte(bytes);
    data.data = arena_alloc0(arena, data.len + 1);
    memset(data.data, made_byte(bytes), data.len);
    return data;
}

static void set_value(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                      const ProtobufCFieldDescriptor *field, const struct wire_rule *rule, void *value)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        *(char **)value = text_value(bytes, pool, arena, rule);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)value = bytes_value(bytes, arena, rule);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        *(ProtobufCMessage **)value = made_message(bytes, pool, arena, field->descriptor);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        *(float *)value = (float)fraction_value(bytes);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        *(double *)value = fraction_value(bytes);
        break;
    case PROTOBUF_C_TYPE_ENUM:
        *(int *)value = enum_value(bytes, field->descriptor);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)value = made_byte(bytes) & 1;
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
        *(int64_t *)value = number_value(bytes, pool, rule);
        break;
    default:
        *(uint32_t *)value = (uint32_t)number_value(bytes, pool, rule);
        break;
    }
}

static void set_list(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                     const ProtobufCFieldDescriptor *field, const struct wire_rule *rule,
                     ProtobufCMessage *message)
{
    static const size_t counts[] = { 1, 1, 1, 1, 2, 2, 3, 5 };
    size_t count = counts[made_below(bytes, 8)], size = size_of(field->type);
    char *list = arena_array0(arena, count, size);

    for (size_t i = 0; i < count; i++)
        set_value(bytes, pool, arena, field, rule, list + i * size);
    *(size_t *)(void *)((char *)message + field->quantifier_offset) = count;
    *(char **)(void *)((char *)message + field->offset) = list;
}

ProtobufCMessage *made_message(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                               const ProtobufCMessageDescriptor *type)
{
    size_t own_count;
    const struct wire_rule *own = wire_rules_of(type->short_name, &own_count);
    ProtobufCMessage *message = arena_alloc0(arena, type->sizeof_message);
    unsigned present = 0;

    protobuf_c_message_init(type, message);
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const struct wire_rule *rule = wire_rule_find(own, own_count, field->name);
        bool required = rule != NULL && rule->required;

        if (i % 8 == 0)
            present = made_byte(bytes);
        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
            continue;
        if ((present >> i % 8 & 1) == 0 && !required)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            set_list(bytes, pool, arena, field, rule, message);
        else
            set_value(bytes, pool, arena, field, rule, (char *)message + field->offset);
    }
    return message;
}

Creel__Envelope *made_envelope(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                               Creel__Envelope__BodyCase body)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, body);
    Creel__Envelope *envelope = arena_new0(arena, Creel__Envelope);

    creel__envelope__init(envelope);
    envelope->version = WIRE_VERSION;
    envelope->body_case = body;
    *(ProtobufCMessage **)(void *)((char *)envelope + field->offset) =
        made_message(bytes, pool, arena, field->descriptor);
    return envelope;
}

Creel__Envelope *made_arrival(const Creel__Envelope *envelope, struct arena *arena)
{
    size_t size = creel__envelope__get_packed_size(envelope);
    uint8_t *packed = arena_alloc0(arena, size + 1);
    Creel__Envelope *arrived;
    struct err err;

    creel__envelope__pack(envelope, packed);
    return wire_decode(packed, size, &arrived, NULL, &err) == 0 ? arrived : NULL;
}

void made_check_packs(Creel__Envelope *envelope)
{
    struct err err;
    uint8_t *packed;
    size_t size;

    if (wire_pack(envelope, &packed, &size, &err) < 0) {
        fprintf(stderr, "the wire does not carry what the core sent: %s\n", err.text);
        abort();
    }
    free(packed);
}
