/* SPDX-License-Identifier: Apache-2.0 */
/* report_cluster.c - converts ClusterInfo into the public struct of creel.h */
#include "client/libcreel/record.h"
#include "client/libcreel/result.h"
#include "common/record/cluster_fields.h"

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
    const Creel__ClusterInfo *report = pages->items[0]->cluster_info;
    struct creel_cluster *shown = RESULT_NEW(struct creel_cluster, pages);

    *shown = (struct creel_cluster){ CLUSTER_FIELDS(RECORD_COPY) };
    shown->labels = reports_labels(shown, report->labels, report->n_labels);
    shown->label_count = report->n_labels;
    shown->checks = list_checks(shown, report);
    shown->check_count = report->n_checks;
    shown->near_limits = list_limits(shown, report);
    shown->near_limit_count = report->n_near_limits;
    return shown;
}

CREEL_EXPORT
void creel_cluster_free(struct creel_cluster *cluster)
{
    result_free(cluster);
}
