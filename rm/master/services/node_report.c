/* SPDX-License-Identifier: Apache-2.0 */
/* node_report.c - what a node reports of its containers, in registrations and heartbeats */
#include "rm/master/services/node_report.h"

#include "common/base/id.h"
#include "rm/master/machines/container.h"
#include "rm/master/nodes/avoid.h"
#include "rm/master/nodes/failing.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"

/* Maximum of unknown containers, and of unknown applications, that are kept for an agent: as many as fit on
 * its node, within these bounds. */
#define ORPHANS_LEAST 1000
#define ORPHANS_MOST 10000

/* (The minimum allocation may have been lower when the containers were started: hence ORPHANS_LEAST.) */
static unsigned orphans_max(const struct master *m, const struct node *node)
{
    int64_t each_mb = m->minimum.value[RESOURCE_MEMORY_MB];
    int64_t count = node->offered.value[RESOURCE_MEMORY_MB] / (each_mb > 0 ? each_mb : 1);

    if (count > ORPHANS_MOST)
        return ORPHANS_MOST;
    return count < ORPHANS_LEAST ? ORPHANS_LEAST : (unsigned)count;
}

/* Handles the end of a container on NODE: orders NODE to clean up after the application if that has ended or
 * was forgotten, even if NODE only refused to start the container. */
static void settle_app(struct master *m, struct node *node, const struct app_id *id)
{
    struct app *app = id->cluster_ms == m->cluster_ms ? rm_app_find(m, id->seq) : NULL;
    char text[ID_TEXT_MAX];

    if (app == NULL) {
        if (HASH_COUNT(node->finished) < orphans_max(m, node))
            rm_node_finish_app(m, node, app_id_format(id, text));
        else
            node->ignored++;
    } else if (rm_app_is_over(app) && rm_app_node_get(app, node->id)->live == 0) {
        rm_node_finish_app(m, node, app->text);
    }
}

static void report_one(struct master *m, struct node *node, const Creel__ContainerStatus *status)
{
    bool complete = status->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    struct container *container = rm_container_find(m, status->container_id);
    struct container_id id;

    if (!container_id_parse(status->container_id, &id))
        return;
    if (complete)
        rm_node_orphan_gone(m, node, status->container_id);
    if (container && container->node == node) {
        rm_avoid_count(m, container, status);
        rm_failing_count(m, container, status);
        rm_common_faults_count(m, container, status);
        rm_missing_accounts_count(m, container, status);
        rm_container_report_status(m, container, status);
        rm_events_run(m);
        /* The resource manager does not know the container, or knows it on another node. Containers beyond
         * orphans_max are reported again at the next registration; no honest agent has more. */
    } else if (!complete && HASH_COUNT(node->orphans) < orphans_max(m, node)) {
        rm_node_stop_orphan(m, node, status->container_id, CONTAINER_EXIT_APP_OVER,
                            "the resource manager does not know it");
    } else if (!complete) {
        node->ignored++;
    }
    if (!complete)
        rm_node_orphan_stuck(m, node, status->container_id, status->stuck);
    if (complete)
        settle_app(m, node, &id.attempt.app);
}

void rm_node_report_figures(struct master *m, const struct node *node, Creel__ContainerFigures **figures,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct container *container = rm_container_find(m, figures[i]->container_id);

        if (container != NULL && container->node == node)
            rm_container_report_figures(m, container, figures[i]);
    }
}

void rm_node_report_containers(struct master *m, struct node *node, Creel__ContainerStatus **statuses,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        report_one(m, node, statuses[i]);
}
