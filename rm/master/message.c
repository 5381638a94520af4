/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - from our structs to the schema's and back; who may do what */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/internal.h"

/* --- small things ---------------------------------------------------------- */

bool rm_text_is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

void rm_text_set(char **field, const char *text)
{
    char *copy = rm_text_is_empty(text) ? NULL : mem_strdup(text);

    free(*field);
    *field = copy;
}

char *rm_message_text(struct arena *arena, const char *text)
{
    return arena_strdup(arena, text ? text : "");
}

/* --- copies: packed and unpacked, so that they are whole --------------------- */

ProtobufCMessage *rm_message_copy(const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    scoped_free uint8_t *packed = mem_alloc(size + 1);
    ProtobufCMessage *copy;

    protobuf_c_message_pack(message, packed);
    copy = protobuf_c_message_unpack(message->descriptor, NULL, size, packed);
    if (copy == NULL)
        abort();                        /* what was packed here unpacks, or memory ran out */
    return copy;
}

static void *arena_allocate(void *arena, size_t size)
{
    return arena_alloc0(arena, size);
}

static void arena_release(void *arena, void *pointer)
{
    (void)arena;
    (void)pointer;
}

ProtobufCMessage *rm_message_copy_in(struct arena *arena, const ProtobufCMessage *message)
{
    ProtobufCAllocator allocator = { arena_allocate, arena_release, arena };
    size_t size = protobuf_c_message_get_packed_size(message);
    scoped_free uint8_t *packed = mem_alloc(size + 1);
    ProtobufCMessage *copy;

    protobuf_c_message_pack(message, packed);
    copy = protobuf_c_message_unpack(message->descriptor, &allocator, size, packed);
    if (copy == NULL)
        abort();
    return copy;
}

/* --- users ----------------------------------------------------------------- */

bool rm_user_list_has(const char *list, const char *user)
{
    size_t length = strlen(user);
    const char *at = list ? list : "";

    while (*at) {
        size_t word = strcspn(at, ", \t\n");

        if ((word == 1 && *at == '*') || (word == length && strncmp(at, user, word) == 0))
            return true;
        at += word;
        at += strspn(at, ", \t\n");
    }
    return false;
}

const char *rm_acting_user(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *envelope)
{
    const char *as = envelope->as_user;

    if (rm_text_is_empty(as) || strcmp(as, peer->principal) == 0)
        return peer->principal;
    if (rm_user_list_has(m->config.proxy_users, peer->principal))
        return as;
    rm_reply_error(m, peer, envelope->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                "user %s may not act for %s: it is not among creel.proxy-users", peer->principal,
                as);
    return NULL;
}

const char *rm_administrator(struct master *m, const struct master_peer *peer,
                             const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);

    if (user == NULL || rm_user_list_has(m->config.admin_users, user))
        return user;
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                "user %s is not an administrator of this cluster (yarn.admin.acl)", user);
    return NULL;
}

bool rm_may_administer(struct master *m, const char *user, const struct app *app)
{
    return !m->config.acl_enable || text_equal(user, app->user) ||
           rm_user_list_has(m->config.admin_users, user) ||
           rm_queues_may_administer(m, user, app->queue);
}

bool rm_may_see(struct master *m, const char *user, const struct app *app)
{
    return rm_may_administer(m, user, app);
}

/* --- containers ------------------------------------------------------------ */

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
    grant->master = container->master;
    return grant;
}

Creel__ContainerReport *rm_container_report(struct master *m, const struct container *container)
{
    struct arena *arena = m->out->arena;
    Creel__ContainerReport *report = arena_new0(arena, Creel__ContainerReport);

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
    report->master = container->master;
    report->memory_peak_bytes = container->memory_peak_bytes;
    report->cpu_time_us = container->cpu_time_us;
    report->read_bytes = container->read_bytes;
    report->written_bytes = container->written_bytes;
    report->pids_peak = container->pids_peak;
    if (container->shown != CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        report->memory_bytes = container->memory_bytes;
        report->pids = container->pids;
        report->figures_ms = container->figures_ms;
    }
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
    status->memory_peak_bytes = container->memory_peak_bytes;
    status->cpu_time_us = container->cpu_time_us;
    return status;
}

/* --- apps ------------------------------------------------------------------ */

Creel__TaskCounts *rm_task_counts(struct arena *arena, const struct app *app)
{
    Creel__TaskCounts *counts = arena_new0(arena, Creel__TaskCounts);

    creel__task_counts__init(counts);
    counts->total = app->tasks[0];
    counts->running = app->tasks[1];
    counts->succeeded = app->tasks[2];
    counts->failed = app->tasks[3];
    return counts;
}

static void report_figures(struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct sched_app_figures figures = { .containers = 0 };
    int64_t passed = m->now_ms > app->held_since_ms ? m->now_ms - app->held_since_ms : 0;

    if (app->sched)
        sched_app_figures(m->sched, app->sched, &figures);
    report->running_containers = app->running;
    report->pending_containers = figures.pending_containers > UINT32_MAX
                                     ? UINT32_MAX : (uint32_t)figures.pending_containers;
    report->allocated = rm_resource_message(m, &app->held);
    report->pending = rm_resource_message(m, &figures.pending);
    report->memory_mb_seconds =
        (app->memory_mb_ms + (uint64_t)(app->held.value[RESOURCE_MEMORY_MB] * passed)) / 1000;
    report->vcore_seconds =
        (app->vcore_ms + (uint64_t)(app->held.value[RESOURCE_VCORES] * passed)) / 1000;
}

static void report_reason(struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;
    const struct attempt *attempt = app->attempt;
    struct sched_why why = { .reason = SCHED_REASON_NONE };

    if (app->sched == NULL)
        return;
    if (attempt && attempt->master && attempt->master->node->state == NODE_STATE_NEW &&
        !rm_attempt_is_over(attempt)) {
        report->reason_code = rm_message_text(arena, "RmRecovering");
        report->reason = arena_printf(arena, "waits for node %s, where it ran, to come back",
                                      attempt->master->node->id);
        return;
    }
    rm_why_ask(m, app, &why);
    if (why.reason == SCHED_REASON_NONE)
        return;
    report->reason_code = rm_message_text(arena, sched_reason_name(why.reason));
    report->reason = rm_message_text(arena, rm_why_text(m, &why));
    report->reason_short = rm_message_text(arena, rm_why_short(m, &why));
}

static void report_attempt(struct master *m, const struct app *app, Creel__AppReport *report,
                           bool whole)
{
    const struct attempt *attempt = app->attempt;
    struct arena *arena = m->out->arena;

    if (attempt == NULL)
        return;
    report->attempt = attempt->id.attempt;
    if (!whole)
        return;
    report->tracking_url = rm_message_text(arena, attempt->tracking_url);
    if (attempt->master) {
        report->master_container_id = rm_message_text(arena, attempt->master->text);
        report->master_node_id = rm_message_text(arena, attempt->master->node->id);
    }
}

static void report_job(struct master *m, const struct app *app, Creel__AppReport *report,
                       bool whole)
{
    struct arena *arena = m->out->arena;
    const Creel__JobSpec *job = app->job;
    struct resource resource = rm_resource_from(m, job->resource);

    /* As its containers have it; it may have been submitted under other limits. */
    sched_normalise(m->sched, &resource, &resource, NULL);
    report->name = rm_message_text(arena, job->name);
    report->type = rm_message_text(arena, rm_text_is_empty(job->type) ? "CREEL" : job->type);
    report->priority = app->priority;
    report->label = rm_message_text(arena, job->label);
    report->expires_ms = app->expires_ms;
    report->kind = job->kind;
    report->max_attempts = rm_app_max_attempts(m, app);
    report->resource = rm_resource_message(m, &resource);
    report->tags = arena_array0(arena, job->n_tags + 1, sizeof(char *));
    for (size_t i = 0; i < job->n_tags; i++)
        report->tags[report->n_tags++] = arena_strdup(arena, job->tags[i]);
    if (!whole || job->launch == NULL)
        return;
    report->command = arena_array0(arena, job->launch->n_command + 1, sizeof(char *));
    for (size_t i = 0; i < job->launch->n_command; i++)
        report->command[report->n_command++] = arena_strdup(arena, job->launch->command[i]);
}

/* Who may not see an application learns that it is there, whose it is and what it takes, as in
 * YARN; not what it runs, where, and what came of it in words. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker)
{
    struct arena *arena = m->out->arena;
    Creel__AppReport *report = arena_new0(arena, Creel__AppReport);
    bool whole = rm_may_see(m, asker, app);

    creel__app_report__init(report);
    report->app_id = rm_message_text(arena, app->text);
    report->user = rm_message_text(arena, app->user);
    report->queue = rm_message_text(arena, app->queue);
    report->state = app->shown;
    report->final_status = app->final_status;
    report->exit_status = app->exit_status;
    report->progress = app->progress;
    report->diagnostics = rm_message_text(arena, whole ? app->diagnostics : NULL);
    report->submitted_ms = app->submitted_ms;
    report->started_ms = app->started_ms;
    report->finished_ms = app->finished_ms;
    report->version = app->version;
    report->tasks = rm_task_counts(arena, app);
    report_figures(m, app, report);
    report_attempt(m, app, report, whole);
    report_job(m, app, report, whole);
    report_reason(m, app, report);
    /* In FINAL_SAVING the outcome is known here but may yet be lost: not a word of it. */
    if (app->state == APP_STATE_FINAL_SAVING) {
        report->final_status = CREEL__FINAL_STATUS__FINAL_UNDEFINED;
        report->exit_status = EXIT_NONE;
        report->finished_ms = 0;
    }
    return report;
}

/* --- nodes ----------------------------------------------------------------- */

/* That a node is lost is said before anything that it was to do. */
Creel__NodeState rm_node_shown(const struct node *node)
{
    static const Creel__NodeState states[NODE_STATES] = {
        [NODE_STATE_NEW] = CREEL__NODE_STATE__NODE_LOST,
        [NODE_STATE_RUNNING] = CREEL__NODE_STATE__NODE_RUNNING,
        [NODE_STATE_UNHEALTHY] = CREEL__NODE_STATE__NODE_UNHEALTHY,
        [NODE_STATE_LOST] = CREEL__NODE_STATE__NODE_LOST,
        [NODE_STATE_RETIRED] = CREEL__NODE_STATE__NODE_SHUT_DOWN,
    };
    static const Creel__NodeState duties[DUTY_STATES] = {
        [DUTY_DRAINING] = CREEL__NODE_STATE__NODE_DRAINING,
        [DUTY_DRAINED] = CREEL__NODE_STATE__NODE_DRAINED,
        [DUTY_DECOMMISSIONING] = CREEL__NODE_STATE__NODE_DECOMMISSIONING,
        [DUTY_DECOMMISSIONED] = CREEL__NODE_STATE__NODE_DECOMMISSIONED,
    };

    if (node->waiting != NULL)
        return CREEL__NODE_STATE__NODE_WAITING;
    if (rm_duty_serves(node) || node->state == NODE_STATE_LOST)
        return states[node->state];
    return duties[node->duty.state];
}

Creel__NodeReport *rm_node_report(struct master *m, const struct node *node)
{
    struct arena *arena = m->out->arena;
    Creel__NodeReport *report = arena_new0(arena, Creel__NodeReport);
    struct resource used = resource_of(0, 0);

    creel__node_report__init(report);
    report->node_id = rm_message_text(arena, node->id);
    report->rack = rm_message_text(arena, node->rack);
    report->state = rm_node_shown(node);
    report->containers = node->waiting != NULL ? node->waiting_containers : node->container_count;
    if (node->sched)
        used = sched_node_used(node->sched);
    report->total = rm_resource_message(m, &node->total);
    report->used = rm_resource_message(m, &used);
    report->last_heartbeat_ms = node->seen_ms;
    report->version = rm_message_text(arena, node->version);
    report->health_report = rm_message_text(arena, node->health_report);
    report->cgroup_mode = rm_message_text(arena, node->cgroup_mode);
    report->address = rm_message_text(arena, node->address);
    report->agent_key = rm_message_text(arena, node->agent_key);
    report->registered_ms = node->registered_ms;
    report->used_memory_bytes = node->used_memory_bytes;
    report->label = rm_message_text(arena, node->label);
    rm_clock_report(node, report);
    report->duty = rm_duty_message(m, node);
    if (node->size.by) {
        report->offered = rm_resource_message(m, &node->offered);
        report->resources_until_ms = node->size.until_ms;
        report->resources_by = rm_message_text(arena, node->size.by);
    }
    return report;
}
