/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - inside libcreel: copies values from a message into a public struct, row by row
 *
 *     *shown = (struct creel_container){ CONTAINER_FIELDS(RECORD_COPY) };
 *
 * The message is *REPORT. common/record/container_fields.h explains the rows and their kinds. Texts are
 * borrowed.
 */
#ifndef CREEL_LIBCREEL_RECORD_H
#define CREEL_LIBCREEL_RECORD_H

#include "client/libcreel/reports.h"

#define RECORD_COPY(place, member, from, kind, when, json, csv, help) \
    .member = RECORD_COPY_##kind(report, from),
/* The same, into the struct *SHOWN, whose other members stay as they are. */
#define RECORD_SET(place, member, from, kind, when, json, csv, help) \
    shown->member = RECORD_COPY_##kind(report, from);

#define RECORD_VALUE(report, from) ((report)->from)
#define RECORD_COPY_TEXT RECORD_VALUE
#define RECORD_COPY_WORD(...) RECORD_VALUE
#define RECORD_COPY_APP_ID RECORD_VALUE
#define RECORD_COPY_CONTAINER_ID RECORD_VALUE
#define RECORD_COPY_FLAG RECORD_VALUE
#define RECORD_COPY_INT RECORD_VALUE
#define RECORD_COPY_INT64 RECORD_VALUE
#define RECORD_COPY_UINT32 RECORD_VALUE
#define RECORD_COPY_UINT64 RECORD_VALUE
#define RECORD_COPY_TIME RECORD_VALUE
#define RECORD_COPY_EXIT RECORD_VALUE
#define RECORD_COPY_FRACTION (double)RECORD_VALUE
#define RECORD_COPY_NUMBER (double)RECORD_VALUE
#define RECORD_COPY_THOUSANDTHS RECORD_VALUE
#define RECORD_COPY_LIMIT RECORD_VALUE
#define RECORD_COPY_ENUM(type) (enum creel_##type) RECORD_VALUE
#define RECORD_COPY_SIZE(report, from) reports_resource((report)->from)
#define RECORD_COPY_AMOUNTS(report, from) reports_resource((report)->from)
/* The texts are put where NEXT, a struct next_lists of the file, has room for them. */
#define RECORD_COPY_TEXTS(report, from) list_texts(&next->texts, (report)->from, (report)->n_##from)
/* Copied by hand, later. */
#define RECORD_COPY_OTHER(name, type) (type){ 0 } RECORD_NOTHING
#define RECORD_NOTHING(report, from)

#endif
