/* SPDX-License-Identifier: Apache-2.0 */
/* history_writer.c - collects rows of the history, and writes them in a thread */
#include "rm/net/history_writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/io/log.h"
#include "rm/net/worker.h"
#include "rm/store/job_history.h"

#define RETRY_FIRST_MS 1000
#define RETRY_MAX_MS 60000

struct batch {
    struct worker_job job; /* first member */
    struct history_writer *writer;
    struct job_history_row *rows; /* their bytes are owned */
    size_t count, capacity, bytes;
    int64_t now_ms;
    int result;
    char *set_aside;
    struct err err;
};

struct history_writer {
    struct loop *loop;
    struct worker *worker;
    struct job_history *history; /* used in the thread only */
    struct batch *filling;       /* rows not yet passed to the thread; NULL: none */
    struct batch *waiting;       /* rows that could not be written, for the next try; NULL: none */
    bool busy;                   /* a job is queued or runs */
    bool closing;
    size_t bytes; /* of all rows that are not written yet */
    int64_t keep_ms, retry_ms;
    int timer; /* 0: none is set */
    uint64_t dropped;
    struct err problem; /* code 0: none */
};

static void batch_free(struct batch *batch)
{
    if (batch == NULL)
        return;
    for (size_t i = 0; i < batch->count; i++)
        free((void *)(uintptr_t)batch->rows[i].packed);
    free(batch->rows);
    free(batch->set_aside);
    free(batch);
}

/* --- in the thread --------------------------------------------------------- */

static void run_batch(struct worker_job *job)
{
    struct batch *batch = (struct batch *)job;

    batch->result = job_history_write(batch->writer->history, batch->rows, batch->count, batch->now_ms,
                                      &batch->set_aside, &batch->err);
}

/* --- in the loop ----------------------------------------------------------- */

static void write_next(struct history_writer *writer);

static void retry_due(void *context)
{
    struct history_writer *writer = context;

    writer->timer = 0;
    write_next(writer);
}

static void on_failed(struct history_writer *writer, struct batch *batch)
{
    if (writer->problem.code == 0)
        log_line(LOG_LEVEL_WARN, "the history is not written: %s; jobs go on", batch->err.text);
    writer->retry_ms = writer->problem.code == 0 ? RETRY_FIRST_MS : writer->retry_ms * 2;
    if (writer->retry_ms > RETRY_MAX_MS)
        writer->retry_ms = RETRY_MAX_MS;
    writer->problem = batch->err;
    writer->waiting = batch;
    if (!writer->closing)
        writer->timer = loop_add_timer(writer->loop, writer->retry_ms, retry_due, writer);
}

static void on_written(struct history_writer *writer, struct batch *batch)
{
    if (writer->problem.code != 0)
        log_line(LOG_LEVEL_INFO, "the history is written again; %" PRIu64 " rows were dropped so far",
                 writer->dropped);
    writer->problem.code = 0;
    writer->bytes -= batch->bytes;
    batch_free(batch);
}

static void batch_done(struct worker_job *job)
{
    struct batch *batch = (struct batch *)job;
    struct history_writer *writer = batch->writer;

    writer->busy = false;
    if (batch->set_aside != NULL)
        log_line(LOG_LEVEL_ERROR, "a history file was damaged and is now %s; a new one is begun",
                 batch->set_aside);
    free(batch->set_aside);
    batch->set_aside = NULL;
    if (batch->result < 0)
        on_failed(writer, batch);
    else
        on_written(writer, batch);
    if (!writer->closing)
        write_next(writer);
}

/* Passes a batch to the thread, unless the thread has one or the timer of the next try runs. */
static void write_next(struct history_writer *writer)
{
    struct batch *batch = writer->waiting ? writer->waiting : writer->filling;

    if (batch == NULL || writer->busy || writer->timer != 0)
        return;
    if (batch == writer->waiting)
        writer->waiting = NULL;
    else
        writer->filling = NULL;
    batch->now_ms = loop_now_ms();
    writer->busy = true;
    worker_add(writer->worker, &batch->job);
}

static struct batch *filling(struct history_writer *writer)
{
    if (writer->filling == NULL) {
        writer->filling = mem_new0(struct batch);
        writer->filling->job.run = run_batch;
        writer->filling->job.done = batch_done;
        writer->filling->writer = writer;
    }
    return writer->filling;
}

static void add(struct history_writer *writer, enum job_history_kind kind, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    struct batch *batch;
    uint8_t *packed;

    if (writer->bytes + size > HISTORY_WAITING_MAX) {
        if (writer->dropped++ == 0)
            log_line(LOG_LEVEL_ERROR, "%zu bytes of history wait to be written: from now on rows are dropped",
                     writer->bytes);
        return;
    }
    batch = filling(writer);
    packed = mem_alloc(size + 1);
    protobuf_c_message_pack(message, packed);
    mem_grow(batch->rows, batch->count, batch->capacity);
    batch->rows[batch->count++] = (struct job_history_row){ kind, size, packed };
    batch->bytes += size;
    writer->bytes += size;
    write_next(writer);
}

/* --- rows ------------------------------------------------------------------ */

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

void history_writer_add_app(struct history_writer *writer, const Creel__StoredApp *app)
{
    Creel__AppReport report = CREEL__APP_REPORT__INIT;
    char creel[] = "CREEL";

    if (writer->keep_ms == 0 || app->finished_ms == 0 || app->state < CREEL__APP_STATE__APP_FINISHED)
        return;
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
    report.from_history = true;
    add(writer, JOB_HISTORY_APP, &report.base);
}

void history_writer_add_container(struct history_writer *writer, const Creel__ContainerReport *container)
{
    if (writer->keep_ms == 0 || container->state != CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        return;
    add(writer, JOB_HISTORY_CONTAINER, &container->base);
}

uint64_t history_writer_dropped(const struct history_writer *writer)
{
    return writer->dropped;
}

const char *history_writer_problem(const struct history_writer *writer)
{
    return writer->problem.code != 0 ? writer->problem.text : NULL;
}

/* --- start and end ----------------------------------------------------------- */

int history_writer_new(struct loop *loop, const char *state_directory, int64_t keep_ms,
                       struct history_writer **ret, struct err *err)
{
    struct history_writer *writer = mem_new0(struct history_writer);
    int r = worker_new(loop, &writer->worker, err);

    if (r < 0) {
        free(writer);
        return r;
    }
    writer->loop = loop;
    writer->keep_ms = keep_ms;
    writer->history = job_history_new(state_directory, keep_ms);
    *ret = writer;
    return 0;
}

/* Passes all remaining rows to the thread. worker_free then waits until they were tried. */
static void write_last(struct history_writer *writer)
{
    struct batch *last[] = { writer->waiting, writer->filling };

    writer->waiting = writer->filling = NULL;
    for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
        if (last[i] != NULL) {
            last[i]->now_ms = loop_now_ms();
            worker_add(writer->worker, &last[i]->job);
        }
}

void history_writer_free(struct history_writer *writer)
{
    if (writer == NULL)
        return;
    writer->closing = true;
    loop_cancel_timer(writer->loop, writer->timer);
    write_last(writer);
    worker_free(writer->worker);
    batch_free(writer->waiting); /* a batch whose last try failed */
    job_history_free(writer->history);
    free(writer);
}
