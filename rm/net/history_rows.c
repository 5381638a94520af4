/* SPDX-License-Identifier: Apache-2.0 */
/* history_rows.c - makes rows of the history from rows of the state */
#include "rm/net/history_rows.h"

#include <stdlib.h>

#include "common/base/mem.h"

static void add(struct history_rows *rows, enum job_history_kind kind, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = mem_alloc(size + 1);

    protobuf_c_message_pack(message, packed);
    mem_grow(rows->rows, rows->count, rows->capacity);
    rows->rows[rows->count++] = (struct job_history_row){ kind, size, packed };
    rows->bytes += size;
}

void history_rows_clear(struct history_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free((void *)(uintptr_t)rows->rows[i].packed);
    free(rows->rows);
    *rows = (struct history_rows){ 0 };
}

bool history_rows_has_app(const Creel__StoredApp *app)
{
    return app->finished_ms != 0 && app->state >= CREEL__APP_STATE__APP_FINISHED;
}

bool history_rows_has_container(const Creel__ContainerReport *container)
{
    return container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
}

static void fill_job(Creel__AppReport *report, const Creel__StoredApp *app)
{
    const Creel__JobSpec *job = app->job;

    if (job == NULL)
        return;
    report->name = job->name;
    if (*job->type != '\0')
        report->type = job->type;
    report->label = job->label;
    report->begin_ms = job->begin_ms;
    report->deadline_ms = job->deadline_ms;
    report->kind = job->kind;
    report->resource = app->container_size != NULL ? app->container_size : job->resource;
    report->max_attempts = job->max_attempts;
    report->n_tags = job->n_tags;
    report->tags = job->tags;
    report->array = job->array;
    if (job->launch == NULL)
        return;
    report->n_command = job->launch->n_command;
    report->command = job->launch->command;
}

void history_rows_add_app(struct history_rows *rows, const Creel__StoredApp *app)
{
    Creel__AppReport report = CREEL__APP_REPORT__INIT;
    char creel[] = "CREEL";

    report.type = creel;
    fill_job(&report, app);
    report.app_id = app->app_id;
    report.user = app->user;
    report.queue = app->queue;
    report.state = app->state;
    report.final_status = app->final_status;
    report.exit_status = app->exit_status;
    report.progress = app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED ? 1 : 0;
    report.diagnostics = app->diagnostics;
    report.submitted_ms = app->submitted_ms;
    report.eligible_ms = app->eligible_ms;
    report.started_ms = app->started_ms;
    report.finished_ms = app->finished_ms;
    report.memory_mb_seconds = app->memory_mb_seconds;
    report.vcore_seconds = app->vcore_seconds;
    report.attempt = app->attempts;
    report.priority = app->priority;
    report.tasks = app->tasks;
    report.version = 1;
    report.expires_ms = app->expires_ms;
    report.kill_requested = app->kill_requested;
    report.array_at_once = app->array_at_once;
    report.array_id = app->array_id;
    report.array_index = app->array_index;
    report.log_aggregation = app->logs;
    report.from_history = true;
    add(rows, JOB_HISTORY_APP, &report.base);
}

void history_rows_add_container(struct history_rows *rows, const Creel__ContainerReport *container)
{
    add(rows, JOB_HISTORY_CONTAINER, &container->base);
}
