/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - containers as messages: grants, statuses, reports */
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/message.h"
#include "rm/master/state/time_limit.h"

Creel__ContainerGrant *rm_grant_message(struct master *m, const struct container *container)
{
    struct arena *arena = m->out->arena;
    Creel__ContainerGrant *grant = arena_new0(arena, Creel__ContainerGrant);

    creel__container_grant__init(grant);
    grant->container_id = rm_message_text(arena, container->text);
    grant->node_id = rm_message_text(arena, container->node->id);
    grant->user = rm_message_text(arena, container->app->user);
    grant->resource = rm_resource_message(m, &container->resource);
    grant->priority = container->priority;
    grant->allocation_id = container->allocation_id;
    grant->expires_ms = container->expires_ms;
    grant->stop_after_ms = container->stop_after_ms;
    grant->session = container->node->session;
    grant->master = container->is_am;
    grant->deadline_ms = rm_time_limit_known_ms(container->app);
    grant->version = container->version;
    if (container->is_am)
        grant->time_limit_s = container->app->job->time_limit_s;
    return grant;
}

Creel__Container *rm_granted_message(struct master *m, const struct container *container, bool token)
{
    struct arena *arena = m->out->arena;
    Creel__Container *message = arena_new0(arena, Creel__Container);
    const struct node *node = container->node;

    creel__container__init(message);
    message->container_id = rm_message_text(arena, container->text);
    message->node_id = rm_message_text(arena, node->id);
    message->node_address = rm_message_text(arena, node->address);
    message->agent_key = rm_message_text(arena, node->agent_key);
    message->resource = rm_resource_message(m, &container->resource);
    message->priority = container->priority;
    message->allocation_id = container->allocation_id;
    message->title = rm_message_text(arena, container->title);
    message->version = container->version;
    message->restores = node->restores;
    if (token)
        message->token = m->config.sign(m->config.context, arena, CREEL__TOKEN_KIND__TOKEN_CONTAINER,
                                        node->id, &rm_grant_message(m, container)->base);
    return message;
}

Creel__ContainerReport *rm_container_report(struct master *m, const struct container *container)
{
    struct arena *arena = m->out->arena;
    Creel__ContainerReport *report = arena_new0(arena, Creel__ContainerReport);
    struct resource wanted;

    creel__container_report__init(report);
    report->container_id = rm_message_text(arena, container->text);
    report->app_id = rm_message_text(arena, container->app->text);
    report->node_id = rm_message_text(arena, container->node->id);
    report->user = rm_message_text(arena, container->app->user);
    report->state = container->shown;
    if (container->state == CONTAINER_STOPPING)
        report->state = CREEL__CONTAINER_STATE__CONTAINER_STOPPING;
    report->resource = rm_resource_message(m, &container->resource);
    report->priority = container->priority;
    report->allocated_ms = container->allocated_ms;
    report->started_ms = container->started_ms;
    report->finished_ms = container->finished_ms;
    report->exit_status = container->exit_status;
    report->diagnostics = rm_message_text(arena, container->diagnostics);
    report->title = rm_message_text(arena, container->title);
    report->master = container->is_am;
#define T(type, member, step) report->member = container->totals.member;
    CONTAINER_TOTALS(T)
#undef T
    if (container->shown != CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        report->memory_bytes = container->memory_bytes;
        report->pids = container->pids;
        report->figures_ms = container->figures_ms;
    }
    report->version = container->version;
    report->resized_ms = container->resized_ms;
    report->resizing = container->resize_pending;
    if (container->sched && sched_container_grows(container->sched, &wanted))
        report->wanted = rm_resource_message(m, &wanted);
    else if (!resource_is_zero(&container->asked))
        report->wanted = rm_resource_message(m, &container->asked);
    report->node_address = rm_message_text(arena, container->node->address);
    report->agent_key = rm_message_text(arena, container->node->agent_key);
    return report;
}

Creel__ContainerStatus *rm_status_message(struct master *m, const struct container *container)
{
    struct arena *arena = m->out->arena;
    Creel__ContainerStatus *status = arena_new0(arena, Creel__ContainerStatus);

    creel__container_status__init(status);
    status->container_id = rm_message_text(arena, container->text);
    status->state = container->shown;
    status->exit_status = container->exit_status;
    status->diagnostics = rm_message_text(arena, container->diagnostics);
    status->started_ms = container->started_ms;
    status->finished_ms = container->finished_ms;
    status->title = rm_message_text(arena, container->title);
    status->memory_peak_bytes = container->totals.memory_peak_bytes;
    status->cpu_time_us = container->totals.cpu_time_us;
    status->retry_elsewhere = container->retry_elsewhere;
    return status;
}

Creel__TaskCounts *rm_task_counts(struct arena *arena, const struct app *app)
{
    Creel__TaskCounts *counts = arena_new0(arena, Creel__TaskCounts);

    creel__task_counts__init(counts);
    counts->total = app->tasks[0];
    counts->running = app->tasks[1];
    counts->succeeded = app->tasks[2];
    counts->failed = app->tasks[3];
    counts->killed = app->tasks[4];
    if (app->array && counts->running > 0)
        counts->queued = app->array->waiting_count;
    return counts;
}
