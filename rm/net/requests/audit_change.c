/* SPDX-License-Identifier: Apache-2.0 */
/* audit_change.c - the DESCRIPTION of audit lines: to what a request changes its object */
#include "rm/net/requests/audit_change.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name

/* "512 MiB, 4 vcores, 1 of licence": the amounts that are given. */
static void add_amounts(struct text_builder *text, const Creel__Resource *resource)
{
    if (resource->memory_mb != 0)
        text_builder_printf(text, "%" PRId64 " MiB", resource->memory_mb);
    if (resource->vcores != 0) {
        text_builder_separate(text, ", ");
        text_builder_printf(text, "%" PRId64 " vcore%s", resource->vcores, resource->vcores == 1 ? "" : "s");
    }
    for (size_t i = 0; i < resource->n_others; i++) {
        text_builder_separate(text, ", ");
        text_builder_printf(text, "%" PRId64 "%s of %s", resource->others[i]->amount,
                            resource->others[i]->unit, resource->others[i]->name);
    }
}

static void add_lifetime(struct text_builder *text, const Creel__SetLifetime *body)
{
    char when[TEXT_SIZE_MAX];

    if (body->time_limit_s > 0)
        text_builder_printf(text, "time limit %" PRId64 " s", body->time_limit_s);
    else if (body->time_limit_s < 0 || body->expires_ms == 0)
        text_builder_add(text, "no time limit");
    else
        text_builder_printf(text, "ends by %s", text_format_utc(body->expires_ms, when));
}

static void add_at_once(struct text_builder *text, const Creel__SetArray *body)
{
    if (body->at_once > 0)
        text_builder_printf(text, "at most %" PRIu32 " tasks at once", body->at_once);
    else
        text_builder_add(text, "no limit of tasks at once");
}

/* The changes of one application. */
static void add_app_change(struct text_builder *text, const Creel__ChangeApp *body)
{
    if (body->move != NULL)
        text_builder_printf(text, "queue %s", body->move->queue);
    if (body->priority != NULL) {
        text_builder_separate(text, ", ");
        text_builder_printf(text, "priority %" PRId32, body->priority->priority);
    }
    if (body->lifetime != NULL) {
        text_builder_separate(text, ", ");
        add_lifetime(text, body->lifetime);
    }
    if (body->array != NULL) {
        text_builder_separate(text, ", ");
        add_at_once(text, body->array);
    }
    if (body->release != NULL) {
        text_builder_separate(text, ", ");
        text_builder_add(text, "release");
    }
    if (body->hold != NULL) {
        text_builder_separate(text, ", ");
        text_builder_add(text, "hold");
    }
    if (body->name != NULL) { /* the user's text is last: nothing can follow from it */
        text_builder_separate(text, ", ");
        text_builder_printf(text, "name %s", body->name->name);
    }
}

static const char *node_change(Creel__NodeChange change)
{
    switch (change) {
    case CREEL__NODE_CHANGE__NODE_DRAIN:
        return "drain";
    case CREEL__NODE_CHANGE__NODE_UNDRAIN:
        return "undrain";
    case CREEL__NODE_CHANGE__NODE_DECOMMISSION:
        return "decommission";
    case CREEL__NODE_CHANGE__NODE_RECOMMISSION:
        return "recommission";
    default:
        return "";
    }
}

/* The first change of a key, with the number of the others. */
static void add_scheduler_conf(struct text_builder *text, const Creel__ChangeSchedulerConf *body)
{
    size_t count = 0;

    for (size_t i = 0; i < body->n_edits; i++) {
        const Creel__SchedulerConfEdit *edit = body->edits[i];

        if (i == 0 && edit->part == CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_REMOVE_QUEUE)
            text_builder_add(text, "queue removed");
        if (i == 0 && edit->n_keys > 0)
            text_builder_printf(text, "%s=%.200s", edit->keys[0]->key,
                                edit->keys[0]->removed ? "" : edit->keys[0]->value);
        count += edit->n_keys > 0 ? edit->n_keys : 1;
    }
    if (count > 1)
        text_builder_printf(text, " and %zu more", count - 1);
}

/* Adds what an administrator sets. Returns false for other requests. */
static bool add_admin_change(struct text_builder *text, const Creel__Envelope *request)
{
    static const char *const levels[] = { "", "error", "warn", "info", "debug" };
    const Creel__Resource *total;

    switch (request->body_case) {
    case BODY(SET_QUEUE_STATE):
        text_builder_add(text, request->set_queue_state->running ? "start" : "stop");
        return true;
    case BODY(CHANGE_SCHEDULER_CONF):
        add_scheduler_conf(text, request->change_scheduler_conf);
        return true;
    case BODY(CHANGE_LABELS):
        text_builder_add(text, request->change_labels->remove ? "remove" : "add");
        return true;
    case BODY(SET_NODE_LABEL):
        text_builder_printf(text, *request->set_node_label->label ? "label %s" : "no label",
                            request->set_node_label->label);
        return true;
    case BODY(CHANGE_NODES):
        text_builder_add(text, node_change(request->change_nodes->change));
        return true;
    case BODY(SET_NODE_RESOURCES):
        if ((total = request->set_node_resources->total) != NULL)
            add_amounts(text, total);
        else
            text_builder_add(text, "what the agent offers");
        return true;
    case BODY(SET_LOG_LEVEL):
        if ((size_t)request->set_log_level->level < sizeof(levels) / sizeof(levels[0]))
            text_builder_add(text, levels[request->set_log_level->level]);
        return true;
    default:
        return false;
    }
}

static void add_user_change(struct text_builder *text, const Creel__Envelope *request)
{
    switch (request->body_case) {
    case BODY(RESIZE_CONTAINER):
        if (request->resize_container->cancel)
            text_builder_add(text, "cancel");
        else if (request->resize_container->resource != NULL)
            add_amounts(text, request->resize_container->resource);
        break;
    case BODY(MOVE_APP):
        text_builder_printf(text, "queue %s", request->move_app->queue);
        break;
    case BODY(SET_PRIORITY):
        text_builder_printf(text, "priority %" PRId32, request->set_priority->priority);
        break;
    case BODY(SET_LIFETIME):
        add_lifetime(text, request->set_lifetime);
        break;
    case BODY(SET_NAME):
        text_builder_printf(text, "name %s", request->set_name->name);
        break;
    case BODY(SET_ARRAY):
        add_at_once(text, request->set_array);
        break;
    case BODY(KILL_TASKS):
        text_builder_printf(text, "tasks %s", request->kill_tasks->tasks);
        break;
    case BODY(CHANGE_APP):
        add_app_change(text, request->change_app);
        break;
    default:
        break;
    }
}

void audit_change_describe(const Creel__Envelope *request, char *text, size_t size)
{
    scoped_text_builder struct text_builder builder = TEXT_BUILDER_MALLOC;

    if (!add_admin_change(&builder, request))
        add_user_change(&builder, request);
    snprintf(text, size, "%s", text_builder_text(&builder));
}
