/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_upgrade.c - brings history files of earlier versions to the present schema */
#include "rm/store/job_history_upgrade.h"

#include <stddef.h>

#include "rm/store/job_history_file.h"

/* Sums are added as floating point numbers (total()) and limited to 9e18, so that they cannot overflow. */
static const char from_1[] =
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
static const char from_2[] =
    HISTORY_CONTAINER_SUMS "INSERT INTO container_sums SELECT cluster_ms, seq, container_user(report),"
                           "  sum" HISTORY_SQL_BYTES " FROM containers GROUP BY cluster_ms, seq;"
                           "PRAGMA user_version = 3;";

/* What brings a file of schema I to the next one. */
static const char *const steps[HISTORY_SCHEMA_VERSION] = { [1] = from_1, [2] = from_2 };

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

/* SQL: container_user(report); '' if the report cannot be read. */
static void container_user(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t size = (size_t)sqlite3_value_bytes(values[0]);
    Creel__ContainerReport *report =
        creel__container_report__unpack(NULL, size, sqlite3_value_blob(values[0]));

    (void)count;
    sqlite3_result_text(context, report != NULL ? report->user : "", -1, SQLITE_TRANSIENT);
    creel__container_report__free_unpacked(report, NULL);
}

static int register_functions(sqlite3 *database)
{
    static const struct {
        const char *name;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        { "container_memory_used", container_memory_used },
        { "app_succeeded", app_succeeded },
        { "container_user", container_user },
    };
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    int code = SQLITE_OK;

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && code == SQLITE_OK; i++)
        code = sqlite3_create_function_v2(database, functions[i].name, 1, flags, NULL, functions[i].run, NULL,
                                          NULL, NULL);
    return code;
}

/* Returns 0 if the schema cannot be read. */
static int read_schema(sqlite3 *database)
{
    sqlite3_stmt *statement;
    int schema = 0;

    if (sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        schema = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return schema;
}

/* Another thread may have upgraded the file before this transaction began. */
static int run_steps(sqlite3 *database)
{
    int code = SQLITE_OK, schema = read_schema(database);

    if (schema == 0)
        return SQLITE_ERROR;
    for (; schema < HISTORY_SCHEMA_VERSION && code == SQLITE_OK; schema++)
        code = sqlite3_exec(database, steps[schema], NULL, NULL, NULL);
    return code;
}

int history_upgrade(sqlite3 *database)
{
    int code = register_functions(database);

    if (code == SQLITE_OK)
        code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return code;
    code = run_steps(database);
    if (code == SQLITE_OK)
        return sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
    return code;
}
