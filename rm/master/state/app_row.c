/* SPDX-License-Identifier: Apache-2.0 */
/* app_row.c - makes the row of an application */
#include <string.h>

#include "rm/master/state/am_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/app_logs.h"
#include "rm/master/state/app_row.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/state/message.h"
#include "rm/master/state/retry.h"

/* Returns TEXT as a member of a message that is not changed. NULL gives "". */
static char *borrow(const char *text)
{
    return (char *)(uintptr_t)(text ? text : "");
}

#define JOB_FIELD 3 /* the number of StoredApp.job; its tag has one byte */
#define JOB_TAG_BYTES 1

/* Packs ROW, whose job is not set, with that of APP: a field that protobuf-c does not know is packed as it
 * is. */
static ProtobufCBinaryData pack_with_job(struct arena *arena, Creel__StoredApp *row, struct app *app)
{
    ProtobufCMessageUnknownField field = { .tag = JOB_FIELD,
                                           .wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED };
    ProtobufCBinaryData packed;

    rm_job_keep_packed(app);
    field.len = app->packed_job.len - JOB_TAG_BYTES;
    field.data = app->packed_job.data + JOB_TAG_BYTES;
    row->base.unknown_fields = &field;
    row->base.n_unknown_fields = 1;
    packed.len = creel__stored_app__get_packed_size(row);
    packed.data = arena_alloc0(arena, packed.len);
    creel__stored_app__pack(row, packed.data);
    return packed;
}

/* Returns the size of the containers of APP, rounded as for its next ones: the limits may have changed since
 * the submission. */
static Creel__Resource *container_size(struct master *m, const struct app *app)
{
    struct resource size = rm_resource_from(m, app->job->resource);

    sched_normalise(m->sched, &size, &size, NULL);
    return rm_resource_message(m, &size);
}

void rm_attempt_facts(const struct attempt *attempt, Creel__StoredAttempt *row)
{
    const struct container *am = attempt->am_container;

    creel__stored_attempt__init(row);
    row->attempt_id = borrow(attempt->text);
    row->master_container_id = borrow(am ? am->text : NULL);
    row->master_node_id = borrow(am ? am->node->id : NULL);
    row->over = rm_attempt_is_over(attempt) ||
                (attempt->state == ATTEMPT_FINAL_SAVING && attempt->target != ATTEMPT_FINISHING);
    row->unregistered = attempt->unregistered;
    row->final_status = attempt->final_status;
    row->exit_status = attempt->exit_status;
    row->registered = attempt->registered;
    row->counts = attempt->counts;
    row->restart = attempt->restart;
    row->requeued_soon = attempt->requeued_soon;
    row->tracking_url = borrow(attempt->tracking_url);
    row->am_host = borrow(attempt->am_host);
}

/* Sets what a row has only when the application has ended. */
static void set_end(struct master *m, const struct app *app, struct app_facts *facts)
{
    Creel__StoredApp *row = &facts->row;

    if (app->attempt) {
        rm_attempt_facts(app->attempt, &facts->attempt);
        row->last_attempt = &facts->attempt;
    }
    row->container_size = container_size(m, app);
    row->progress = app->progress;
    row->restart_reason = borrow(rm_retry_reason(app));
    row->retries_used = app->retries_used;
    row->max_attempts = rm_app_max_attempts(m, app);
    row->preempted_containers = app->preempted.containers;
    row->preempted_ams = app->preempted.ams;
    row->preempted = rm_resource_message(m, &app->preempted.amount);
    row->preempted_memory_mb_seconds = app->preempted.memory_mb_ms / 1000;
    row->preempted_vcore_seconds = app->preempted.vcore_ms / 1000;
}

/* Sets what the rows and reports of all applications have. */
static void set_facts(struct master *m, const struct app *app, Creel__StoredApp *row)
{
    creel__stored_app__init(row);
    row->app_id = borrow(app->text);
    row->user = borrow(app->user);
    row->submitted_ms = app->submitted_ms;
    row->state = app->state == APP_STATE_FINAL_SAVING ? app->shown_target : app->shown;
    row->final_status = app->final_status;
    row->exit_status = app->exit_status;
    row->diagnostics = borrow(app->diagnostics);
    row->started_ms = app->started_ms;
    row->attempt_started_ms = app->attempt_started_ms;
    row->finished_ms = app->finished_ms;
    row->memory_mb_seconds = app->usage.before.memory_mb_ms / 1000;
    row->vcore_seconds = app->usage.before.vcore_ms / 1000;
    row->queue = borrow(app->queue);
    row->kill_requested = app->kill_requested;
    row->priority = app->priority;
    row->expires_ms = app->expires_ms;
    row->limit_ms = app->limit_ms;
    row->tasks = rm_task_counts(m->out->arena, app);
    row->eligible_ms = app->eligible_ms;
    row->logs = rm_app_logs_state(m, app);
    row->attempts = app->attempt ? app->attempt->id.attempt : 0;
    rm_array_put(m->out->arena, app, row);
}

void rm_app_facts(struct master *m, const struct app *app, struct app_facts *facts)
{
    set_facts(m, app, &facts->row);
    set_end(m, app, facts);
    facts->row.job = app->job;
}

struct usage_sum rm_app_use(const struct app *app)
{
    struct usage_sum sum = app->usage.before;

    if (app->array)
        usage_sum_add(&sum, &app->array->usage.before);
    return sum;
}

ProtobufCBinaryData rm_app_row(struct master *m, struct app *app)
{
    struct arena *arena = m->out->arena;
    struct app_facts facts;
    Creel__StoredApp *row = &facts.row;
    ProtobufCBinaryData packed;

    set_facts(m, app, row);
    if (app->finished_ms != 0) {
        set_end(m, app, &facts);
        row->failed_tasks = rm_array_failed_tasks(arena, app);
    }
    if (row->logs == CREEL__LOG_AGGREGATION__LOGS_RUNNING)
        row->logs = CREEL__LOG_AGGREGATION__LOGS_DISABLED; /* not known yet */
    row->submission_key = borrow(app->key ? strchr(app->key, '\n') + 1 : NULL);
    row->kill_reason = borrow(app->kill_reason);
    row->groups = app->groups;
    row->n_groups = app->group_count;
    row->waiting = app->eligible_ms == 0;
    row->holds = rm_hold_messages(arena, app);
    row->n_holds = app->hold_count;
    row->dependencies = rm_depend_messages(arena, app);
    row->n_dependencies = app->dependency_count;
    row->am_state = rm_am_state_message(arena, app);
    rm_array_put_states(arena, app, row);
    packed = pack_with_job(arena, row, app);
    app->stored_use = rm_app_use(app);
    if (app->finished_ms != 0)
        rm_job_changed(app); /* it is hardly written again */
    return packed;
}
