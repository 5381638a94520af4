/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_json.h - writes the values of a public struct as keys of a JSON object, row by row
 *
 *     CONTAINER_FIELDS(RECORD_JSON)
 *
 * The struct is *RECORD, the writer is WRITER. common/record/container_fields.h explains the rows. For a
 * row of the kind ENUM(type), the file has the line RECORD_JSON_NAMES(type); for a value OTHER(name, type),
 * it has the function json_NAME(writer, record). A word of WHEN that only one record has is a macro
 * RECORD_JSON_WORD_KIND(writer, name, value) of its file.
 */
#ifndef CREEL_CLI_RECORD_JSON_H
#define CREEL_CLI_RECORD_JSON_H

#include "client/cli/frame/amounts.h"
#include "client/include/creel.h"
#include "common/base/json_writer.h"

#define RECORD_JSON(place, member, from, kind, when, json, csv, help) \
    RECORD_JSON_##when##_##kind(writer, json, record->member);

/* Defines the function that writes an enum creel_TYPE. */
#define RECORD_JSON_NAMES(type) \
    static void record_json_##type(struct json_writer *writer, const char *name, enum creel_##type value) \
    { \
        json_text(writer, name, creel_##type##_name(value)); \
    }

#define RECORD_JSON_ALWAYS_TEXT json_text
#define RECORD_JSON_ALWAYS_APP_ID json_text
#define RECORD_JSON_ALWAYS_CONTAINER_ID json_text
#define RECORD_JSON_ALWAYS_FLAG json_bool
#define RECORD_JSON_ALWAYS_INT json_int
#define RECORD_JSON_ALWAYS_INT64 json_int
#define RECORD_JSON_ALWAYS_FRACTION json_double
#define RECORD_JSON_ALWAYS_NUMBER json_double
#define RECORD_JSON_ALWAYS_TEXTS json_texts
#define RECORD_JSON_ALWAYS_AMOUNTS(writer, name, value) json_amounts(writer, name, &(value))
#define RECORD_JSON_ALWAYS_UINT32 json_uint
#define RECORD_JSON_ALWAYS_UINT64 json_uint
#define RECORD_JSON_ALWAYS_ENUM(type) record_json_##type
#define RECORD_JSON_ALWAYS_SIZE(writer, name, value) record_json_size(writer, &(value))

#define RECORD_JSON_GIVEN_TEXT json_text_if
#define RECORD_JSON_GIVEN_WORD(...) json_text_if
#define RECORD_JSON_GIVEN_LIMIT record_json_limit
#define RECORD_JSON_GIVEN_APP_ID json_text_if
#define RECORD_JSON_GIVEN_CONTAINER_ID json_text_if
#define RECORD_JSON_GIVEN_TEXTS record_json_texts
#define RECORD_JSON_GIVEN_INT64 record_json_int
#define RECORD_JSON_GIVEN_FLAG record_json_flag
#define RECORD_JSON_SET_FLAG record_json_flag
#define RECORD_JSON_ADDED_UINT32 json_uint
#define RECORD_JSON_ADDED_THOUSANDTHS(writer, name, value) json_double(writer, name, (double)(value) / 1000)
#define RECORD_JSON_ADDED_AMOUNTS(writer, name, value) json_amounts(writer, name, &(value))
#define RECORD_JSON_GIVEN_OTHER(name, type) json_##name(writer, record) RECORD_JSON_NOTHING
#define RECORD_JSON_NEVER_OTHER(name, type) RECORD_JSON_NOTHING
#define RECORD_JSON_NOTHING(writer, name, value)
#define RECORD_JSON_GIVEN_UINT32 record_json_uint
#define RECORD_JSON_GIVEN_UINT64 record_json_uint
#define RECORD_JSON_GIVEN_TIME json_time
#define RECORD_JSON_GIVEN_EXIT record_json_exit
#define RECORD_JSON_GIVEN_AMOUNTS(writer, name, value) record_json_amounts(writer, name, &(value))

#define RECORD_JSON_NEVER_TEXT(writer, name, value)
#define RECORD_JSON_NEVER_TIME(writer, name, value)
#define RECORD_JSON_NEVER_FLAG(writer, name, value)
#define RECORD_JSON_NEVER_UINT32(writer, name, value)
#define RECORD_JSON_NEVER_UINT64(writer, name, value)

static inline void record_json_flag(struct json_writer *writer, const char *name, bool value)
{
    if (value)
        json_bool(writer, name, true);
}

static inline void record_json_uint(struct json_writer *writer, const char *name, uint64_t value)
{
    if (value > 0)
        json_uint(writer, name, value);
}

static inline void record_json_int(struct json_writer *writer, const char *name, int64_t value)
{
    if (value > 0)
        json_int(writer, name, value);
}

static inline void record_json_limit(struct json_writer *writer, const char *name, int64_t value)
{
    if (value != 0)
        json_int(writer, name, value < 0 ? 0 : value);
}

static inline void record_json_texts(struct json_writer *writer, const char *name, const char *const *value)
{
    if (*value != NULL)
        json_texts(writer, name, value);
}

static inline void record_json_exit(struct json_writer *writer, const char *name, int value)
{
    if (value != CREEL_EXIT_NONE)
        json_int(writer, name, value);
}

static inline void record_json_size(struct json_writer *writer, const struct creel_resource *value)
{
    json_int(writer, "memoryMb", value->memory_mb);
    json_int(writer, "vcores", value->vcores);
    json_others(writer, value->others, value->other_count);
}

static inline void record_json_amounts(struct json_writer *writer, const char *name,
                                       const struct creel_resource *value)
{
    if (value->memory_mb > 0 || value->vcores > 0)
        json_amounts(writer, name, value);
}

#endif
