/* SPDX-License-Identifier: Apache-2.0 */
/* query.c - requests that only read: applications, containers, nodes, the cluster; lists in pages (page.h) */
#include <errno.h>
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/jobs/array.h"
#include "rm/master/nodes/clock.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/nodes/labels.h"
#include "rm/master/nodes/node_faults.h"
#include "rm/master/parts/format.h"
#include "rm/master/parts/trend.h"
#include "rm/master/queries/report.h"
#include "rm/master/queries/why.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/liveness.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/resolve.h"
#include "rm/master/services/user_limits.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/state/measure.h"
#include "rm/master/state/message.h"
#include "rm/master/state/page.h"

/* --- apps ------------------------------------------------------------------ */

static bool list_has_state(const Creel__ListApps *body, Creel__AppState state)
{
    for (size_t i = 0; i < body->n_states; i++)
        if (body->states[i] == state || body->states[i] == CREEL__APP_STATE__APP_STATE_ANY)
            return true;
    return body->n_states == 0;
}

static bool app_matches(const struct master *m, const struct app *app, const Creel__ListApps *body)
{
    bool user = body->n_users == 0, queue = body->n_queues == 0;

    if (app->array_id.seq > 0 && !body->tasks)
        return false;

    for (size_t i = 0; i < body->n_users && !user; i++)
        user = text_equal(body->users[i], app->user);
    for (size_t i = 0; i < body->n_queues && !queue; i++)
        queue = sched_queue_is(m->sched, body->queues[i], app->queue) ||
                text_equal(body->queues[i], format_queue(app->queue));
    return user && queue && list_has_state(body, app->shown);
}

static void fill_apps(struct master *m, const char *user, const Creel__Envelope *in, Creel__AppList *list)
{
    const Creel__ListApps *body = in->list_apps;
    struct app_id after = { .seq = 0 };
    struct app first = { .id = { .seq = 0 } }, *app, *last = NULL;
    struct page page = page_begin_brief(m, body->limit, body->brief);

    if (!rm_text_is_empty(body->after) && app_id_parse(body->after, &after))
        first.id.seq = after.seq + 1;
    if (after.seq == UINT32_MAX)
        return;
    for (app = RB_NFIND(rm_app_tree, &m->apps, &first); app;
         last = app, app = RB_NEXT(rm_app_tree, &m->apps, app)) {
        Creel__AppReport *report;

        if (!page_examine(&page)) {
            list->next = arena_strdup(m->out->arena, last->text);
            return;
        }
        if (!app_matches(m, app, body))
            continue;
        report = rm_app_report(m, app, user, in->no_long_commands);
        if (body->launch)
            rm_report_launch(m, user, app, report);
        page_add(&page, &report->base);
        page_append(m->out->arena, (void ***)&list->apps, &list->n_apps, report);
    }
}

static Creel__AppReport *report_one_app(struct master *m, const char *user, const Creel__ListApps *body,
                                        const struct app *app)
{
    Creel__AppReport *report = rm_app_report(m, app, user, false);

    report->may_change =
        rm_authz_app(m, user, AUTHZ_CHANGE_APP, app) && rm_authz_app(m, user, AUTHZ_KILL_APP, app);
    report->failed_tasks = rm_array_failed_tasks(m->out->arena, app);
    rm_report_launch(m, user, app, report);
    if (body->requests)
        rm_app_report_requests(m, app, user, report);
    return report;
}

Creel__Envelope *rm_query_apps(struct master *m, const char *user, const Creel__Envelope *in)
{
    const Creel__ListApps *body = in->list_apps;
    Creel__Envelope *envelope;
    Creel__AppList *list;
    struct err err;

    list = arena_new0(m->out->arena, Creel__AppList);
    creel__app_list__init(list);
    if (!rm_text_is_empty(body->app_id)) {
        struct app *app = rm_resolve_app(m, body->app_id, &err);

        if (app == NULL)
            return rm_error_envelope(m, in->request_id, &err);
        page_append(m->out->arena, (void ***)&list->apps, &list->n_apps, report_one_app(m, user, body, app));
    } else {
        fill_apps(m, user, in, list);
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    envelope->app_list = list;
    return envelope;
}

/* --- containers ------------------------------------------------------------ */

/* Returns true if USER may see CONTAINER. Containers of an application are consecutive: BEFORE is the
 * previous container and SEEN the result for it. */
static bool may_see(struct master *m, const char *user, const struct container *container,
                    const struct container *before, bool seen)
{
    if (before && before->app == container->app)
        return seen;
    return rm_authz_app(m, user, AUTHZ_LIST_CONTAINERS, container->app);
}

/* The next container of a list, in the order of their ids: of all containers, or of those of a node. */
struct walk {
    struct container *any, *live, *ended; /* next ones; ANY if there is no node */
};

static struct walk walk_from(struct master *m, struct node *node, bool live_only, struct container *first)
{
    struct walk walk = { .any = NULL };

    if (node == NULL)
        walk.any = RB_NFIND(rm_container_tree, &m->containers, first);
    else
        walk.live = RB_NFIND(rm_node_container_tree, &node->live, first);
    if (node && !live_only)
        walk.ended = RB_NFIND(rm_node_container_tree, &node->ended, first);
    return walk;
}

/* Returns the next container and moves on; NULL: there are no more. */
static struct container *walk_next(struct walk *walk)
{
    bool ended = walk->live == NULL || (walk->ended && rm_container_compare(walk->ended, walk->live) < 0);
    struct container **place = walk->any ? &walk->any : ended ? &walk->ended : &walk->live;
    struct container *container = *place;

    if (container)
        *place = walk->any ? RB_NEXT(rm_container_tree, NULL, container)
                           : RB_NEXT(rm_node_container_tree, NULL, container);
    return container;
}

static Creel__ContainerReport *container_report(struct master *m, const struct container *container)
{
    Creel__ContainerReport *report = rm_container_report(m, container);

    report->node_avoided = container->is_am && rm_failed_nodes_has(m, container->app, container->node->id);
    return report;
}

/* Fills the list, without containers of applications that USER may not see. */
static void fill_containers(struct master *m, const Creel__ListContainers *body, const char *user,
                            const struct app *app, struct node *node, Creel__ContainerList *list)
{
    struct container first = { .attempt = NULL }, *container, *last = NULL;
    struct walk walk;
    struct page page = page_begin(m, body->limit);
    struct container_id after;
    bool skip = !rm_text_is_empty(body->after) && container_id_parse(body->after, &after);
    bool seen = false;

    if (app)
        first.id.attempt.app = app->id;
    if (skip)
        first.id = after;
    walk = walk_from(m, node, body->live_only, &first);
    for (; (container = walk_next(&walk)) != NULL; last = container) {
        Creel__ContainerReport *report;

        if (app && container->app != app)
            break;
        if (!page_examine(&page)) {
            list->next = arena_strdup(m->out->arena, last->text);
            return;
        }
        seen = may_see(m, user, container, last, seen);
        if ((skip && container_id_compare(&container->id, &after) == 0) || !seen ||
            (body->live_only && container->state == CONTAINER_COMPLETED))
            continue;
        report = container_report(m, container);
        page_add(&page, &report->base);
        page_append(m->out->arena, (void ***)&list->containers, &list->n_containers, report);
    }
}

static int list_containers(struct master *m, const char *user, const Creel__ListContainers *body,
                           Creel__ContainerList *list, struct err *err)
{
    struct container *container;
    struct app *app = NULL;
    struct node *node = NULL;

    if (!rm_text_is_empty(body->container_id)) {
        container = rm_resolve_container(m, body->container_id, err);
        if (container == NULL || rm_authz_check_app(m, user, AUTHZ_LIST_CONTAINERS, container->app, err) < 0)
            return -err->code;
        page_append(m->out->arena, (void ***)&list->containers, &list->n_containers,
                    container_report(m, container));
        return 0;
    }
    if (!rm_text_is_empty(body->app_id) && ((app = rm_resolve_app(m, body->app_id, err)) == NULL ||
                                            rm_authz_check_app(m, user, AUTHZ_LIST_CONTAINERS, app, err) < 0))
        return -err->code;
    if (!rm_text_is_empty(body->node_id) && (node = rm_resolve_node(m, body->node_id, err)) == NULL)
        return -err->code;
    fill_containers(m, body, user, app, node, list);
    return 0;
}

Creel__Envelope *rm_query_containers(struct master *m, const char *user, const Creel__Envelope *in)
{
    Creel__ContainerList *list = arena_new0(m->out->arena, Creel__ContainerList);
    Creel__Envelope *envelope;
    struct err err;

    creel__container_list__init(list);
    if (list_containers(m, user, in->list_containers, list, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    envelope->container_list = list;
    return envelope;
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

/* Adds an excluded host, which is listed as in YARN even if it was never connected. */
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
    report->admin_state = arena_new0(arena, Creel__NodeAdminState);
    creel__node_admin_state__init(report->admin_state);
    report->admin_state->by_file = true;
    report->admin_state->reason =
        arena_strdup(arena, "is in the list of "
                            "yarn.resourcemanager.nodes.exclude-path, and was never "
                            "here");
    page_append(arena, (void ***)&unknown->list->nodes, &unknown->list->n_nodes, report);
}

static void fill_nodes(struct master *m, const Creel__ListNodes *body, Creel__NodeList *list)
{
    struct node first = { .id = body->after }, *node, *last = NULL;
    struct page page = page_begin_brief(m, body->limit, body->brief);

    for (node = RB_NFIND(rm_node_tree, &m->nodes, &first); node;
         last = node, node = RB_NEXT(rm_node_tree, &m->nodes, node)) {
        Creel__NodeReport *report;

        if (!page_examine(&page)) {
            list->next = arena_strdup(m->out->arena, last->id);
            return;
        }
        if (!rm_node_is_listed(node) || text_equal(node->id, body->after) ||
            !node_matches(body, rm_node_shown(node)))
            continue;
        report = rm_node_report(m, node);
        page_add(&page, &report->base);
        page_append(m->out->arena, (void ***)&list->nodes, &list->n_nodes, report);
    }
    if (node_matches(body, CREEL__NODE_STATE__NODE_DECOMMISSIONED)) {
        struct unknown unknown = { m, list };

        rm_hosts_each_unknown(m, add_unknown, &unknown);
    }
}

/* Every user may see nodes. */
Creel__Envelope *rm_query_nodes(struct master *m, const char *user, const Creel__Envelope *in)
{
    const Creel__ListNodes *body = in->list_nodes;
    Creel__NodeList *list = arena_new0(m->out->arena, Creel__NodeList);
    Creel__Envelope *envelope;
    struct err err;

    creel__node_list__init(list);
    list->may_change = rm_authz_cluster(m, user, AUTHZ_CHANGE_CLUSTER);
    if (!rm_text_is_empty(body->node_id)) {
        struct node *node = rm_resolve_node(m, body->node_id, &err);

        if (node == NULL)
            return rm_error_envelope(m, in->request_id, &err);
        page_append(m->out->arena, (void ***)&list->nodes, &list->n_nodes, rm_node_report(m, node));
    } else {
        fill_nodes(m, body, list);
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_NODE_LIST);
    list->now_ms = m->now_ms;
    envelope->node_list = list;
    return envelope;
}

/* --- the cluster ----------------------------------------------------------- */

static void count_nodes(const struct master *m, Creel__ClusterInfo *info)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes) {
        if (!rm_node_is_listed(node))
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
        case CREEL__NODE_STATE__NODE_SHUT_DOWN:
            info->nodes_shut_down++;
            break;
        default:
            break;
        }
    }
}

static void count_apps(const struct master *m, Creel__ClusterInfo *info)
{
    info->apps_running = m->apps_shown[CREEL__APP_STATE__APP_RUNNING];
    info->apps_pending = rm_trend_apps_pending(m);
    info->apps_finished = m->total_finished;
    info->apps_failed = m->total_failed;
    info->apps_killed = m->total_killed;
}

static void report_amounts(struct master *m, Creel__ClusterInfo *info)
{
    struct sched_queue_figures root = { .path = NULL };

    if (!sched_queue_find_figures(m->sched, "root", &root))
        return;
    info->reserved = rm_resource_message(m, &root.reserved);
    info->pending = rm_resource_message(m, &root.pending);
}

static void report_types(struct master *m, Creel__ClusterInfo *info)
{
    struct arena *arena = m->out->arena;

    info->types = arena_array0(arena, m->types.count, sizeof(*info->types));
    for (size_t t = 0; t < m->types.count; t++) {
        Creel__ResourceType *type = arena_new0(arena, Creel__ResourceType);

        creel__resource_type__init(type);
        type->name = arena_strdup(arena, m->types.type[t].name);
        type->unit = arena_strdup(arena, m->types.type[t].unit);
        info->types[info->n_types++] = type;
    }
}

static const char *queue_model_name(const struct master *m)
{
    static const char *const names[] = {
        [SCHED_QUEUES_PLAIN] = "plain",
        [SCHED_QUEUES_CAPACITY] = "capacity",
        [SCHED_QUEUES_FAIR] = "fair",
    };

    return names[m->features.queues];
}

static void add_health(struct master *m, Creel__ClusterInfo *info)
{
    struct master_stopped_queues stopped;
    struct master_node_faults faults;

    if (m->config.health == NULL)
        return;
    rm_node_faults_find(m, &faults);
    rm_queues_find_stopped(m, &stopped);
    m->config.health(m->config.context, m->out->arena, &faults, &stopped, info);
}

/* Takes what creel-web reports of itself. */
static void take_report(struct master *m, const char *user, const Creel__GetClusterInfo *body)
{
    bool reports = body->n_certificates > 0 || *body->service != '\0';

    if (!reports || !rm_authz_cluster(m, user, AUTHZ_FOLLOW_CHANGES))
        return;
    rm_certificates_report(m, body->certificates, body->n_certificates);
    if (*body->service != '\0')
        rm_web_services_heard(m, body->service, body->stops);
}

/* Returns why the last refreshes were refused; "": none was. */
static char *list_refused(const struct master *m, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    if (m->refresh_error != NULL)
        text_builder_add(&text, m->refresh_error);
    for (size_t i = 0; i < MASTER_PARTS; i++) {
        if (m->part_errors[i] == NULL)
            continue;
        text_builder_separate(&text, "; ");
        text_builder_add(&text, m->part_errors[i]);
    }
    return text_builder_finish(&text);
}

Creel__Envelope *rm_query_cluster(struct master *m, const char *user, const Creel__Envelope *in)
{
    struct arena *arena = m->out->arena;
    struct sched_cluster cluster;
    Creel__ClusterInfo *info;
    Creel__LabelList *labels;
    Creel__Envelope *envelope;

    take_report(m, user, in->get_cluster_info);
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
    rm_liveness_summarise(m, info);
    report_amounts(m, info);
    report_types(m, info);
    rm_trend_update(m); /* a query is no step */
    rm_trend_report(m, in->get_cluster_info->samples_since, info);
    info->counters = rm_counters_message(m, arena);
    info->accepts_escaped = true;
    info->acl_enabled = m->config.acl_enable;
    info->queue_model = rm_message_text(arena, queue_model_name(m));
    info->containers = cluster.containers;
    info->now_ms = m->now_ms;
    info->user = rm_message_text(arena, user);
    info->refreshed_ms = m->refreshed_ms;
    info->refreshed_by = rm_message_text(arena, m->refreshed_by);
    info->refresh_error = list_refused(m, arena);
    rm_user_limits_report(m, info);
    add_health(m, info);
    labels = rm_labels_list(m);
    info->labels = labels->labels;
    info->n_labels = labels->n_labels;
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_CLUSTER_INFO);
    envelope->cluster_info = info;
    return envelope;
}

/* --- explanations -------------------------------------------------------- */

Creel__Envelope *rm_query_why(struct master *m, const char *user, const Creel__Envelope *in)
{
    Creel__AppExplanation *reply;
    Creel__Envelope *envelope;
    struct app *app;
    struct err err;

    app = rm_resolve_app(m, in->explain_app->app_id, &err);
    if (app == NULL && err.code == EBUSY) /* a task that has not begun: the array explains why */
        app = rm_resolve_array(m, in->explain_app->app_id);
    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_EXPLAIN_APP, app, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    reply = arena_new0(m->out->arena, Creel__AppExplanation);
    creel__app_explanation__init(reply);
    reply->app = rm_app_report(m, app, user, in->no_long_commands);
    rm_why_explain(m, app, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_APP_EXPLANATION);
    envelope->app_explanation = reply;
    return envelope;
}

/* --- labels ---------------------------------------------------------------- */

Creel__Envelope *rm_query_labels(struct master *m, const char *user, const Creel__Envelope *in)
{
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_LABEL_LIST);

    (void)user; /* every user may see labels */
    envelope->label_list = rm_labels_list(m);
    return envelope;
}
