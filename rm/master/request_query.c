/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_query.c - requests that only read: applications, containers, nodes, the cluster
 *
 * Lists come in pages that stay far below a frame's limit.
 */
#include <string.h>

#include "rm/master/amounts.h"
#include "rm/master/authz.h"
#include "rm/master/clock.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/hosts.h"
#include "rm/master/index.h"
#include "rm/master/labels.h"
#include "rm/master/message.h"
#include "rm/master/report.h"
#include "rm/master/requests.h"
#include "rm/master/resolve.h"
#include "rm/master/why.h"
#include "rm/master/words.h"

struct page {
    uint32_t limit;
    size_t count, bytes;
};

static struct page page_begin(uint32_t limit)
{
    return (struct page){ .limit = limit ? limit : UINT32_MAX };
}

/* May one more go into the page? */
static bool page_has_room(const struct page *page)
{
    return page->count < page->limit && page->bytes < MESSAGE_BYTES_MAX;
}

static void page_add(struct page *page, const ProtobufCMessage *item)
{
    page->count++;
    page->bytes += protobuf_c_message_get_packed_size(item);
}

/* A list that grows within the arena. */
static void append(struct arena *arena, void ***list, size_t *count, void *item)
{
    if ((*count & (*count - 1)) == 0) { /* 0 and the powers of two: full */
        void **grown = arena_array0(arena, *count ? *count * 2 : 1, sizeof(*grown));

        if (*count > 0)
            memcpy(grown, *list, *count * sizeof(*grown));
        *list = grown;
    }
    (*list)[(*count)++] = item;
}

/* --- apps ------------------------------------------------------------------ */

static bool list_has_state(const Creel__ListApps *body, Creel__AppState state)
{
    for (size_t i = 0; i < body->n_states; i++)
        if (body->states[i] == state || body->states[i] == CREEL__APP_STATE__APP_STATE_ANY)
            return true;
    return body->n_states == 0;
}

static bool app_matches(const struct master *m, const struct app *app,
                        const Creel__ListApps *body)
{
    bool user = body->n_users == 0, queue = body->n_queues == 0;

    for (size_t i = 0; i < body->n_users && !user; i++)
        user = text_equal(body->users[i], app->user);
    for (size_t i = 0; i < body->n_queues && !queue; i++)
        queue = sched_queue_is(m->sched, body->queues[i], app->queue) ||
                text_equal(body->queues[i], words_queue(app->queue));
    return user && queue && list_has_state(body, app->shown);
}

static void fill_apps(struct master *m, const Creel__ListApps *body, const char *user,
                      Creel__AppList *list)
{
    struct app_id after = { .seq = 0 };
    struct app first = { .id = { .seq = 0 } }, *app;
    struct page page = page_begin(body->limit);

    if (!rm_text_is_empty(body->after) && app_id_parse(body->after, &after))
        first.id.seq = after.seq + 1;
    for (app = RB_NFIND(rm_app_tree, &m->apps, &first); app;
         app = RB_NEXT(rm_app_tree, &m->apps, app)) {
        Creel__AppReport *report;

        if (after.seq == UINT32_MAX || !app_matches(m, app, body))
            continue;
        if (!page_has_room(&page)) {
            list->next = list->apps[list->n_apps - 1]->app_id;
            return;
        }
        report = rm_app_report(m, app, user);
        page_add(&page, &report->base);
        append(m->out->arena, (void ***)&list->apps, &list->n_apps, report);
    }
}

void rm_on_list_apps(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__ListApps *body = in->list_apps;
    const char *user = rm_acting_user(m, peer, in);
    Creel__Envelope *envelope;
    Creel__AppList *list;

    if (user == NULL)
        return;
    list = arena_new0(m->out->arena, Creel__AppList);
    creel__app_list__init(list);
    if (!rm_text_is_empty(body->app_id)) {
        struct app *app = rm_resolve_app(m, peer, in->request_id, body->app_id);

        if (app == NULL)
            return;
        append(m->out->arena, (void ***)&list->apps, &list->n_apps, rm_app_report(m, app, user));
    } else {
        fill_apps(m, body, user, list);
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    envelope->app_list = list;
    rm_reply_to(m, peer, envelope);
}

/* --- containers ------------------------------------------------------------ */

/* Those of applications that USER may not see are left out. */
static void fill_containers(struct master *m, const Creel__ListContainers *body,
                            const char *user, const struct app *app, const struct node *node,
                            Creel__ContainerList *list)
{
    struct container first = { .attempt = NULL }, *container;
    struct page page = page_begin(body->limit);
    struct container_id after;
    bool skip = !rm_text_is_empty(body->after) && container_id_parse(body->after, &after);

    if (app)
        first.id.attempt.app = app->id;
    if (skip)
        first.id = after;
    for (container = RB_NFIND(rm_container_tree, &m->containers, &first); container;
         container = RB_NEXT(rm_container_tree, &m->containers, container)) {
        Creel__ContainerReport *report;

        if (app && container->app != app)
            break;
        if ((skip && container_id_compare(&container->id, &after) == 0) ||
            (node && container->node != node) || !rm_may_see(m, user, container->app) ||
            (body->live_only && container->state == CONTAINER_COMPLETED))
            continue;
        if (!page_has_room(&page)) {
            list->next = list->containers[list->n_containers - 1]->container_id;
            return;
        }
        report = rm_container_report(m, container);
        page_add(&page, &report->base);
        append(m->out->arena, (void ***)&list->containers, &list->n_containers, report);
    }
}

static bool may_list(struct master *m, const struct master_peer *peer, uint64_t request_id,
                     const char *user, const struct app *app)
{
    if (rm_may_see(m, user, app))
        return true;
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                   "%s belongs to %s: user %s may not see its containers", app->text, app->user,
                   user);
    return false;
}

/* False: was refused. */
static bool list_containers(struct master *m, const struct master_peer *peer,
                            const Creel__Envelope *in, const char *user,
                            Creel__ContainerList *list)
{
    const Creel__ListContainers *body = in->list_containers;
    struct app *app = NULL;
    struct node *node = NULL;

    if (!rm_text_is_empty(body->container_id)) {
        struct container *container = rm_resolve_container(m, peer, in->request_id,
                                                           body->container_id);

        if (container == NULL || !may_list(m, peer, in->request_id, user, container->app))
            return false;
        append(m->out->arena, (void ***)&list->containers, &list->n_containers,
               rm_container_report(m, container));
        return true;
    }
    if (!rm_text_is_empty(body->app_id) &&
        ((app = rm_resolve_app(m, peer, in->request_id, body->app_id)) == NULL ||
         !may_list(m, peer, in->request_id, user, app)))
        return false;
    if (!rm_text_is_empty(body->node_id) &&
        (node = rm_resolve_node(m, peer, in->request_id, body->node_id)) == NULL)
        return false;
    fill_containers(m, body, user, app, node, list);
    return true;
}

void rm_on_list_containers(struct master *m, const struct master_peer *peer,
                           const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    Creel__ContainerList *list;
    Creel__Envelope *envelope;

    if (user == NULL)
        return;
    list = arena_new0(m->out->arena, Creel__ContainerList);
    creel__container_list__init(list);
    if (!list_containers(m, peer, in, user, list))
        return;
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    envelope->container_list = list;
    rm_reply_to(m, peer, envelope);
}

/* --- nodes ----------------------------------------------------------------- */

static bool node_matches(const Creel__ListNodes *body, Creel__NodeState state)
{
    for (size_t i = 0; i < body->n_states; i++)
        if (body->states[i] == state || body->states[i] == CREEL__NODE_STATE__NODE_STATE_ANY)
            return true;
    return body->n_states == 0;
}

struct unknown {
    struct master *m;
    Creel__NodeList *list;
};

/* As in YARN, who is excluded is listed even if it was never here. */
static void add_unknown(void *context, const char *name)
{
    struct unknown *unknown = context;
    struct arena *arena = unknown->m->out->arena;
    struct resource nothing = resource_of(0, 0);
    Creel__NodeReport *report = arena_new0(arena, Creel__NodeReport);

    creel__node_report__init(report);
    report->node_id = arena_strdup(arena, name);
    report->state = CREEL__NODE_STATE__NODE_DECOMMISSIONED;
    report->total = report->used = rm_resource_message(unknown->m, &nothing);
    report->duty = arena_new0(arena, Creel__NodeDuty);
    creel__node_duty__init(report->duty);
    report->duty->by_file = true;
    report->duty->reason = arena_strdup(arena, "is in the list of "
                                        "yarn.resourcemanager.nodes.exclude-path, and was never "
                                        "here");
    append(arena, (void ***)&unknown->list->nodes, &unknown->list->n_nodes, report);
}

static void fill_nodes(struct master *m, const Creel__ListNodes *body, Creel__NodeList *list)
{
    struct node first = { .id = body->after }, *node;
    struct page page = page_begin(body->limit);

    for (node = RB_NFIND(rm_node_tree, &m->nodes, &first); node;
         node = RB_NEXT(rm_node_tree, &m->nodes, node)) {
        Creel__NodeReport *report;

        if ((node->state == NODE_STATE_NEW && rm_duty_serves(node) && node->waiting == NULL) ||
            text_equal(node->id, body->after))
            continue;
        report = rm_node_report(m, node);
        if (!node_matches(body, report->state))
            continue;
        if (!page_has_room(&page)) {
            list->next = list->nodes[list->n_nodes - 1]->node_id;
            return;
        }
        page_add(&page, &report->base);
        append(m->out->arena, (void ***)&list->nodes, &list->n_nodes, report);
    }
    if (node_matches(body, CREEL__NODE_STATE__NODE_DECOMMISSIONED)) {
        struct unknown unknown = { m, list };

        rm_hosts_each_unknown(m, add_unknown, &unknown);
    }
}

void rm_on_list_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__ListNodes *body = in->list_nodes;
    Creel__NodeList *list = arena_new0(m->out->arena, Creel__NodeList);
    Creel__Envelope *envelope;

    creel__node_list__init(list);
    if (!rm_text_is_empty(body->node_id)) {
        struct node *node = rm_resolve_node(m, peer, in->request_id, body->node_id);

        if (node == NULL)
            return;
        append(m->out->arena, (void ***)&list->nodes, &list->n_nodes, rm_node_report(m, node));
    } else {
        fill_nodes(m, body, list);
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_NODE_LIST);
    list->now_ms = m->now_ms;
    envelope->node_list = list;
    rm_reply_to(m, peer, envelope);
}

/* --- the cluster ----------------------------------------------------------- */

static void count_nodes(const struct master *m, Creel__ClusterInfo *info)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes) {
        if (node->state == NODE_STATE_NEW && rm_duty_serves(node) && node->waiting == NULL)
            continue;
        switch (rm_node_shown(node)) {
        case CREEL__NODE_STATE__NODE_RUNNING:
            info->nodes_running++;
            break;
        case CREEL__NODE_STATE__NODE_LOST:
            info->nodes_lost++;
            break;
        case CREEL__NODE_STATE__NODE_UNHEALTHY:
            info->nodes_unhealthy++;
            break;
        case CREEL__NODE_STATE__NODE_DRAINING:
            info->nodes_draining++;
            break;
        case CREEL__NODE_STATE__NODE_DRAINED:
            info->nodes_drained++;
            break;
        case CREEL__NODE_STATE__NODE_DECOMMISSIONING:
            info->nodes_decommissioning++;
            break;
        case CREEL__NODE_STATE__NODE_DECOMMISSIONED:
            info->nodes_decommissioned++;
            break;
        case CREEL__NODE_STATE__NODE_WAITING:
            info->nodes_waiting++;
            break;
        default:
            break;
        }
    }
}

static void count_apps(const struct master *m, Creel__ClusterInfo *info)
{
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps) {
        if (app->shown == CREEL__APP_STATE__APP_RUNNING)
            info->apps_running++;
        else if (app->shown < CREEL__APP_STATE__APP_RUNNING)
            info->apps_pending++;
    }
    info->apps_finished = m->total_finished;
    info->apps_failed = m->total_failed;
    info->apps_killed = m->total_killed;
}

void rm_on_get_cluster_info(struct master *m, const struct master_peer *peer,
                            const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    struct arena *arena = m->out->arena;
    struct sched_cluster cluster;
    Creel__ClusterInfo *info;
    Creel__LabelList *labels;
    Creel__Envelope *envelope;

    if (user == NULL)
        return;
    info = arena_new0(arena, Creel__ClusterInfo);
    creel__cluster_info__init(info);
    sched_cluster(m->sched, &cluster);
    info->cluster_ms = m->cluster_ms;
    info->started_ms = m->started_ms;
    info->epoch = m->epoch;
    info->version = rm_message_text(arena, m->config.version);
    info->scheduler = rm_message_text(arena, m->config.scheduler);
    info->total = rm_resource_message(m, &cluster.total);
    info->used = rm_resource_message(m, &cluster.used);
    info->minimum_allocation = rm_resource_message(m, &m->minimum);
    info->maximum_allocation = rm_resource_message(m, &m->maximum);
    count_nodes(m, info);
    count_apps(m, info);
    rm_clock_summarise(m, info);
    info->containers = cluster.containers;
    info->now_ms = m->now_ms;
    info->user = rm_message_text(arena, user);
    info->refreshed_ms = m->refreshed_ms;
    info->refreshed_by = rm_message_text(arena, m->refreshed_by);
    info->refresh_error = rm_message_text(arena, m->refresh_error);
    labels = rm_labels_list(m);
    info->labels = labels->labels;
    info->n_labels = labels->n_labels;
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_CLUSTER_INFO);
    envelope->cluster_info = info;
    rm_reply_to(m, peer, envelope);
}

/* --- explanations -------------------------------------------------------- */

void rm_on_explain_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    Creel__AppExplanation *reply;
    Creel__Envelope *envelope;
    struct app *app;

    if (user == NULL)
        return;
    app = rm_resolve_app(m, peer, in->request_id, in->explain_app->app_id);
    if (app == NULL)
        return;
    if (!rm_may_see(m, user, app)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "%s belongs to %s: user %s may not see why it waits", app->text, app->user,
                       user);
        return;
    }
    reply = arena_new0(m->out->arena, Creel__AppExplanation);
    creel__app_explanation__init(reply);
    reply->app = rm_app_report(m, app, user);
    rm_why_explain(m, app, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_APP_EXPLANATION);
    envelope->app_explanation = reply;
    rm_reply_to(m, peer, envelope);
}
