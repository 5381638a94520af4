/* SPDX-License-Identifier: Apache-2.0 */
/* report_cluster.c - converts ClusterInfo into the public struct of creel.h */
#include <errno.h>
#include <stdlib.h>

#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/base/mem.h"

struct cluster_box {
    struct creel_cluster shown;
    struct pages pages;
};

/* The texts are borrowed; the caller frees the list. */
static const char *const *list_causes(const Creel__HealthCheck *check)
{
    const char **list = mem_array0(check->n_causes + 1, sizeof(*list));

    for (size_t i = 0; i < check->n_causes; i++)
        list[i] = check->causes[i];
    return list;
}

/* The order is that of Creel__HealthResult. */
static const struct creel_check *list_checks(Creel__HealthCheck *const *checks, size_t count)
{
    struct creel_check *list = mem_array0(count + 1, sizeof(*list));

    for (size_t i = 0; i < count; i++)
        list[i] = (struct creel_check){
            .name = checks[i]->name,
            .result = (enum creel_health)checks[i]->result,
            .text = checks[i]->text,
            .remedy = checks[i]->remedy,
            .since_ms = checks[i]->since_ms,
            .causes = list_causes(checks[i]),
        };
    return list;
}

static const struct creel_user_limit *list_limits(Creel__UserLimit *const *limits, size_t count)
{
    struct creel_user_limit *list = mem_array0(count + 1, sizeof(*list));

    for (size_t i = 0; i < count; i++)
        list[i] =
            (struct creel_user_limit){ limits[i]->user, limits[i]->key, limits[i]->used, limits[i]->limit };
    return list;
}

int reports_cluster(struct pages *pages, struct creel_cluster **ret, struct err *err)
{
    const Creel__ClusterInfo *info = pages->items[0]->cluster_info;
    struct cluster_box *box = calloc(1, sizeof(*box));

    if (!box)
        return err_set(err, ENOMEM, "out of memory");
    box->shown = (struct creel_cluster){
        .cluster_ms = info->cluster_ms,
        .started_ms = info->started_ms,
        .now_ms = info->now_ms,
        .epoch = info->epoch,
        .version = info->version,
        .scheduler = info->scheduler,
        .total = reports_resource(info->total),
        .used = reports_resource(info->used),
        .minimum_allocation = reports_resource(info->minimum_allocation),
        .maximum_allocation = reports_resource(info->maximum_allocation),
        .nodes_running = info->nodes_running,
        .nodes_lost = info->nodes_lost,
        .nodes_unhealthy = info->nodes_unhealthy,
        .nodes_draining = info->nodes_draining,
        .nodes_drained = info->nodes_drained,
        .nodes_decommissioning = info->nodes_decommissioning,
        .nodes_decommissioned = info->nodes_decommissioned,
        .nodes_waiting = info->nodes_waiting,
        .apps_pending = info->apps_pending,
        .apps_running = info->apps_running,
        .apps_finished = info->apps_finished,
        .apps_failed = info->apps_failed,
        .apps_killed = info->apps_killed,
        .containers = info->containers,
        .user = info->user,
        .refreshed_ms = info->refreshed_ms,
        .refreshed_by = info->refreshed_by,
        .refresh_error = info->refresh_error,
        .labels = reports_labels(info->labels, info->n_labels),
        .label_count = info->n_labels,
        .nodes_silent = info->nodes_silent,
        .silent_node = info->silent_node,
        .clock_node = info->clock_node,
        .clock_skew_ms = info->clock_skew_ms,
        .nodes_skewed = info->nodes_skewed,
        .history_problem = info->history_problem,
        .checks = list_checks(info->checks, info->n_checks),
        .check_count = info->n_checks,
        .near_limits = list_limits(info->near_limits, info->n_near_limits),
        .near_limit_count = info->n_near_limits,
    };
    pages_move(&box->pages, pages);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_cluster_free(struct creel_cluster *cluster)
{
    struct cluster_box *box = (struct cluster_box *)(void *)cluster;

    if (!box)
        return;
    free((void *)(uintptr_t)box->shown.labels);
    for (size_t i = 0; i < box->shown.check_count; i++)
        free((void *)(uintptr_t)box->shown.checks[i].causes);
    free((void *)(uintptr_t)box->shown.checks);
    free((void *)(uintptr_t)box->shown.near_limits);
    pages_done(&box->pages);
    free(box);
}
