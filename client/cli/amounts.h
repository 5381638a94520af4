/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.h - resources in tables, lines and JSON, and as people type them */
#ifndef CREEL_CLI_AMOUNTS_H
#define CREEL_CLI_AMOUNTS_H

#include "common/base/json_writer.h"
#include "client/cli/table.h"
#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"

/* "512M, 1 vcore, 2 licence" */
#define RECORD_AMOUNTS_MAX 640
const char *record_amounts(const struct creel_resource *amounts, char text[RECORD_AMOUNTS_MAX]);

/* {"memoryMb": 512, "vcores": 1, "others": [{"name": "licence", "amount": 2}]}; the last only if
 * there is any. */
void json_amounts(struct json_writer *json, const char *name,
                  const struct creel_resource *amounts);
/* That last part alone. */
void json_others(struct json_writer *json, const struct creel_amount *others, size_t count);

/* How much of NAME there is. */
int64_t amount_of_other(const struct creel_resource *amounts, const char *name);

/* A cell of MB in the unit that people read, sorted by MB. */
void memory_cell(struct table *table, int64_t mb);
/* A cell of what there is beside memory and vcores, "licence=2,disk=16Gi"; with TOTAL (not NULL)
 * "licence=2/4". */
void others_cell(struct table *table, const struct creel_resource *used,
                 const struct creel_resource *total);

/* Add the amounts in VALUE, "memory=2g,vcores=2,licence=1", to JOB: all or none (-EINVAL). */
int amounts_parse(struct arena *arena, const char *value, struct creel_job *job, struct err *err);

#endif
