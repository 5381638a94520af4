/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.h - formats resource amounts for tables, lines and JSON, and parses them from the command line */
#ifndef CREEL_CLI_AMOUNTS_H
#define CREEL_CLI_AMOUNTS_H

#include "common/base/json_writer.h"
#include "client/cli/frame/table.h"
#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"

/* "512M, 1 vcore, 2 licence" */
#define RECORD_AMOUNTS_MAX 640
const char *record_amounts(const struct creel_resource *amounts, char text[RECORD_AMOUNTS_MAX]);

/* Writes {"memoryMb": 512, "vcores": 1, "others": [{"name": "licence", "amount": 2}]}; "others" only if
 * there are any. */
void json_amounts(struct json_writer *json, const char *name, const struct creel_resource *amounts);
/* Writes the array "others" alone; nothing if COUNT is 0. */
void json_others(struct json_writer *json, const struct creel_amount *others, size_t count);

/* Returns the amount of the resource type NAME; 0 if AMOUNTS has none. */
int64_t amount_of_other(const struct creel_resource *amounts, const char *name);

/* Adds a cell with MB in a readable unit, sorted by MB. */
void memory_cell(struct table *table, int64_t mb);
/* Adds a cell with the amounts of all types except memory and vcores: "licence=2,disk=16Gi". If TOTAL is not
 * NULL, the cell has both amounts: "licence=2/4". */
void others_cell(struct table *table, const struct creel_resource *used, const struct creel_resource *total);

/* Adds the amounts in VALUE, "memory=2g,vcores=2,licence=1", to JOB. -EINVAL: VALUE is invalid, and JOB is
 * unchanged. */
int amounts_parse(struct arena *arena, const char *value, struct creel_job *job, struct err *err);

#endif
