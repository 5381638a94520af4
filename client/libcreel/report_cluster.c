/* SPDX-License-Identifier: Apache-2.0 */
/* report_cluster.c - converts ClusterInfo into the public struct of creel.h */
#include "client/libcreel/reports.h"
#include "client/libcreel/result.h"

/* The order is that of Creel__HealthResult. */
static const struct creel_check *list_checks(struct creel_cluster *shown, const Creel__ClusterInfo *info)
{
    struct creel_check *list = RESULT_ARRAY(shown, info->n_checks, struct creel_check);

    for (size_t i = 0; i < info->n_checks; i++) {
        const Creel__HealthCheck *check = info->checks[i];

        list[i] = (struct creel_check){
            .name = check->name,
            .result = (enum creel_health)check->result,
            .text = check->text,
            .remedy = check->remedy,
            .since_ms = check->since_ms,
            .causes = result_texts(shown, check->causes, check->n_causes),
        };
    }
    return list;
}

static const struct creel_user_limit *list_limits(struct creel_cluster *shown, const Creel__ClusterInfo *info)
{
    struct creel_user_limit *list = RESULT_ARRAY(shown, info->n_near_limits, struct creel_user_limit);

    for (size_t i = 0; i < info->n_near_limits; i++) {
        const Creel__UserLimit *limit = info->near_limits[i];

        list[i] = (struct creel_user_limit){ limit->user, limit->key, limit->used, limit->limit };
    }
    return list;
}

struct creel_cluster *reports_cluster(struct pages *pages)
{
    const Creel__ClusterInfo *info = pages->items[0]->cluster_info;
    struct creel_cluster *shown = RESULT_NEW(struct creel_cluster, pages);

    *shown = (struct creel_cluster){
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
        .labels = reports_labels(shown, info->labels, info->n_labels),
        .label_count = info->n_labels,
        .nodes_silent = info->nodes_silent,
        .silent_node = info->silent_node,
        .clock_node = info->clock_node,
        .clock_skew_ms = info->clock_skew_ms,
        .nodes_skewed = info->nodes_skewed,
        .history_problem = info->history_problem,
        .checks = list_checks(shown, info),
        .check_count = info->n_checks,
        .near_limits = list_limits(shown, info),
        .near_limit_count = info->n_near_limits,
    };
    return shown;
}

CREEL_EXPORT
void creel_cluster_free(struct creel_cluster *cluster)
{
    result_free(cluster);
}
