/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_csv.h - the columns of a CSV file that are made from rows of common/record/container_fields.h
 *
 *     CONTAINER_FIELDS(RECORD_CSV_MEMBER)   members of the struct of a line, with the names of the message
 *     CONTAINER_FIELDS(RECORD_CSV_COPY)     their values in an initializer, from the message *REPORT; texts
 *                                           are copied to ARENA
 *     CONTAINER_FIELDS(RECORD_CSV_CELL)     the functions csv_of_NAME, which add a cell; RECORD_CSV_LINE is
 *                                           the struct of a line
 *     CONTAINER_FIELDS(RECORD_CSV_COLUMN)   elements of an array of struct list_field, each in its place
 *
 * Rows with NO_CSV are left out. For a row of the kind ENUM(type), the file has a function csv_TYPE(csv,
 * value).
 */
#ifndef CREEL_WEB_PAGE_RECORD_CSV_H
#define CREEL_WEB_PAGE_RECORD_CSV_H

#define RECORD_CSV_MEMBER(place, member, from, kind, when, json, cell, help) \
    RECORD_IF_##cell(RECORD_TYPE_##kind from;)
#define RECORD_CSV_COPY(place, member, from, kind, when, json, cell, help) \
    RECORD_IF_##cell(.from = RECORD_VALUE_##kind(report->from), )
#define RECORD_CSV_CELL(place, member, from, kind, when, json, cell, help) \
    RECORD_IF_##cell(static void csv_of_##from(struct csv *file, const void *line) { \
        RECORD_CELL_##kind(file, ((const RECORD_CSV_LINE *)line)->from); \
    })
#define RECORD_CSV_COLUMN(place, member, from, kind, when, json, cell, help) RECORD_COLUMN_##cell(from)

/* The arguments that follow are kept or dropped. */
#define RECORD_IF_CSV(column, title) RECORD_KEEP
#define RECORD_IF_NO_CSV RECORD_DROP
#define RECORD_KEEP(...) __VA_ARGS__
#define RECORD_DROP(...)

#define RECORD_COLUMN_CSV(column, title) [column].name = title, [column].write = RECORD_CELL_OF
#define RECORD_COLUMN_NO_CSV RECORD_DROP
#define RECORD_CELL_OF(from) csv_of_##from,

#define RECORD_TYPE_TEXT const char *
#define RECORD_TYPE_APP_ID const char *
#define RECORD_TYPE_CONTAINER_ID const char *
#define RECORD_TYPE_UINT32 uint32_t
#define RECORD_TYPE_UINT64 uint64_t
#define RECORD_TYPE_TIME int64_t
#define RECORD_TYPE_ENUM(type) int

#define RECORD_VALUE_TEXT(value) arena_strdup(arena, value)
#define RECORD_VALUE_APP_ID(value) arena_strdup(arena, value)
#define RECORD_VALUE_CONTAINER_ID(value) arena_strdup(arena, value)
#define RECORD_VALUE_UINT32(value) (value)
#define RECORD_VALUE_UINT64(value) (value)
#define RECORD_VALUE_TIME(value) (value)
#define RECORD_VALUE_ENUM(type) (int)/* the value follows */

#define RECORD_CELL_TEXT csv_text
#define RECORD_CELL_APP_ID csv_text
#define RECORD_CELL_CONTAINER_ID csv_text
#define RECORD_CELL_UINT32(file, value) csv_count(file, (int64_t)(value))
#define RECORD_CELL_UINT64(file, value) csv_count(file, (int64_t)(value))
#define RECORD_CELL_TIME csv_time
#define RECORD_CELL_THOUSANDTHS(file, value) csv_number(file, (double)(value) / 1000)
#define RECORD_CELL_ENUM(type) csv_##type

#endif
