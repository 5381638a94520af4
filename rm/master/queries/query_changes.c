/* SPDX-License-Identifier: Apache-2.0 */
/* query_changes.c - GetChanges: the changes since the client's previous request */
#include <errno.h>

#include "rm/master/queries/report.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/page.h"

static void append_id(struct arena *arena, char ***list, size_t *count, const char *id)
{
    page_append(arena, (void ***)list, count, arena_strdup(arena, id));
}

static void add_node(struct master *m, struct page *page, const struct node *node, Creel__Changes *reply)
{
    Creel__NodeReport *report;

    if (!rm_node_is_listed(node)) { /* not listed any more */
        append_id(m->out->arena, &reply->nodes_gone, &reply->n_nodes_gone, node->id);
        return;
    }
    report = rm_node_report(m, node);
    page_add(page, &report->base);
    page_append(m->out->arena, (void ***)&reply->nodes, &reply->n_nodes, report);
}

static void add_queue(struct master *m, struct page *page, struct queue_change *queue, Creel__Changes *reply)
{
    struct sched_queue_figures figures;
    Creel__QueueReport *report;

    if (!sched_queue_at_path(m->sched, queue->path,
                             &figures)) { /* the number of all queues has changed, too */
        rm_changes_forget_queue(m, queue);
        return;
    }
    report = rm_queue_report(m, &figures);
    page_add(page, &report->base);
    page_append(m->out->arena, (void ***)&reply->queues, &reply->n_queues, report);
}

static void add(struct master *m, const char *user, const Creel__Envelope *in, struct page *page,
                const struct change *change, Creel__Changes *reply)
{
    struct arena *arena = m->out->arena;
    Creel__AppReport *app;

    switch (change->kind) {
    case CHANGE_APP:
        app = rm_app_report(m, change->owner, user, in->no_long_commands);
        page_add(page, &app->base);
        page_append(arena, (void ***)&reply->apps, &reply->n_apps, app);
        break;
    case CHANGE_NODE:
        add_node(m, page, change->owner, reply);
        break;
    case CHANGE_QUEUE:
        if (in->get_changes->queues)
            add_queue(m, page, change->owner, reply);
        break;
    case CHANGE_APP_GONE:
        append_id(arena, &reply->apps_gone, &reply->n_apps_gone, ((const struct gone *)change->owner)->id);
        break;
    case CHANGE_NODE_GONE:
        append_id(arena, &reply->nodes_gone, &reply->n_nodes_gone, ((const struct gone *)change->owner)->id);
        break;
    }
}

static void fill(struct master *m, const char *user, const Creel__Envelope *in, Creel__Changes *reply)
{
    const Creel__GetChanges *body = in->get_changes;
    struct page page = page_begin_brief(m, 0, true);
    struct change *change, *next;

    for (change = rm_changes_after(m, body->since); change != NULL; change = next) {
        if (!page_examine(&page)) {
            reply->more = true;
            return;
        }
        reply->version = change->version;
        next = RB_NEXT(rm_change_tree, &m->changes.tree, change);
        add(m, user, in, &page, change, reply); /* may free CHANGE */
    }
    reply->version = m->changes.version;
    reply->more = body->queues && sched_queue_any_changed(m->sched);
}

Creel__Envelope *rm_query_changes(struct master *m, const char *user, const Creel__Envelope *in)
{
    const Creel__GetChanges *body = in->get_changes;
    Creel__Changes *reply = arena_new0(m->out->arena, Creel__Changes);
    Creel__Envelope *envelope;
    struct err err;

    if (!rm_authz_cluster(m, user, AUTHZ_FOLLOW_CHANGES)) {
        err_set(&err, EPERM,
                "user %s may not follow the changes of all applications and nodes: it is not "
                "among creel.security.proxy-users, and no administrator (yarn.admin.acl)",
                user);
        return rm_error_envelope(m, in->request_id, &err);
    }
    creel__changes__init(reply);
    rm_changes_ask(m);
    rm_changes_move_queues(m);
    reply->session = m->changes.session;
    reply->queues_version = sched_queues_version(m->sched);
    reply->newest = m->changes.version;
    if (rm_changes_known(m, body->session, body->since)) {
        fill(m, user, in, reply);
    } else {
        reply->reset = true;
        reply->version = m->changes.version;
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_CHANGES);
    envelope->changes = reply;
    return envelope;
}
