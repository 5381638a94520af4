/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_upgrade.c - brings history files of earlier versions to the present schema */
#include "rm/store/job_history_upgrade.h"

#include <stdbool.h>
#include <stddef.h>

/* The steps from schema 1 to 2. Sums are added as floating point numbers (total()) and limited to 9e18, so
 * that they cannot overflow. */
static const char steps[] =
    "ALTER TABLE containers ADD COLUMN memory_used_mb_seconds INTEGER NOT NULL DEFAULT 0;"
    "UPDATE containers SET memory_used_mb_seconds = container_memory_used(report);"
    "ALTER TABLE apps ADD COLUMN succeeded INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE apps ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE apps ADD COLUMN cpu_time_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE apps ADD COLUMN memory_used_mb_seconds INTEGER NOT NULL DEFAULT 0;"
    "UPDATE apps SET succeeded = app_succeeded(report), waited_ms = max(0, started_ms - submitted_ms);"
    "UPDATE apps SET cpu_time_us = min(sums.cpu, 9e18), memory_used_mb_seconds = min(sums.memory, 9e18) FROM"
    "  (SELECT cluster_ms, seq, CAST(total(cpu_time_us) AS INTEGER) AS cpu,"
    "   CAST(total(memory_used_mb_seconds) AS INTEGER) AS memory FROM containers"
    "   GROUP BY cluster_ms, seq) AS sums"
    "  WHERE apps.cluster_ms = sums.cluster_ms AND apps.seq = sums.seq;"
    "DROP INDEX apps_by_end;" HISTORY_INDEX_BY_END "PRAGMA user_version = 2;";

int64_t history_memory_used(const Creel__ContainerReport *container)
{
    int64_t ran_ms = container->started_ms > 0 ? container->finished_ms - container->started_ms : 0;
    double peak_mb = (double)container->memory_peak_bytes / (1 << 20);
    double used = ran_ms > 0 ? peak_mb * (double)ran_ms / 1000 : 0;

    return used < (double)INT64_MAX ? (int64_t)used : INT64_MAX;
}

/* SQL: container_memory_used(report). A report that cannot be read counts as 0. */
static void container_memory_used(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t size = (size_t)sqlite3_value_bytes(values[0]);
    Creel__ContainerReport *report =
        creel__container_report__unpack(NULL, size, sqlite3_value_blob(values[0]));

    (void)count;
    sqlite3_result_int64(context, report != NULL ? history_memory_used(report) : 0);
    creel__container_report__free_unpacked(report, NULL);
}

/* SQL: app_succeeded(report), 0 or 1. */
static void app_succeeded(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t size = (size_t)sqlite3_value_bytes(values[0]);
    Creel__AppReport *report = creel__app_report__unpack(NULL, size, sqlite3_value_blob(values[0]));

    (void)count;
    sqlite3_result_int(context,
                       report != NULL && report->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
    creel__app_report__free_unpacked(report, NULL);
}

static int register_functions(sqlite3 *database)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    int code = sqlite3_create_function_v2(database, "container_memory_used", 1, flags, NULL,
                                          container_memory_used, NULL, NULL, NULL);

    return code != SQLITE_OK ? code
                             : sqlite3_create_function_v2(database, "app_succeeded", 1, flags, NULL,
                                                          app_succeeded, NULL, NULL, NULL);
}

/* Returns true if another thread upgraded the file before this transaction began. */
static bool is_upgraded(sqlite3 *database)
{
    sqlite3_stmt *statement;
    bool upgraded = false;

    if (sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK)
        upgraded = sqlite3_step(statement) == SQLITE_ROW &&
                   sqlite3_column_int(statement, 0) >= HISTORY_SCHEMA_VERSION;
    sqlite3_finalize(statement);
    return upgraded;
}

int history_upgrade(sqlite3 *database)
{
    int code = register_functions(database);

    if (code == SQLITE_OK)
        code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return code;
    if (!is_upgraded(database))
        code = sqlite3_exec(database, steps, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        return sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
    return code;
}
