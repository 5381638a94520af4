/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.c - resources of the cluster and of queues, as YARN counts them */
#include "web/rest/parts/amounts.h"

#include "common/base/text.h"
#include "yarn/resource.h"

/* In YARN's fair and FIFO schedulers, reserved resources count as available. */
static bool reserved_is_available(const Creel__ClusterInfo *cluster)
{
    return !text_equal(cluster->queue_model, "capacity");
}

const Creel__Resource *rest_allocated(struct arena *arena, const Creel__ClusterInfo *cluster,
                                      const Creel__Resource *used, const Creel__Resource *reserved)
{
    return text_equal(cluster->queue_model, "fair") ? used : yarn_difference(arena, used, reserved);
}

static const Creel__Resource *available(struct arena *arena, const Creel__ClusterInfo *cluster,
                                        const struct rest_amounts *amounts)
{
    const Creel__Resource *left = yarn_difference(arena, amounts->total, amounts->allocated);

    return reserved_is_available(cluster) ? left : yarn_difference(arena, left, amounts->reserved);
}

struct rest_amounts rest_cluster_amounts(struct arena *arena, const struct web_model *model)
{
    const Creel__ClusterInfo *cluster = web_model_cluster(model);
    const Creel__QueueReport *root = web_model_queue(model, "root");
    struct rest_amounts amounts = {
        .total = cluster->total,
        .allocated = cluster->used,
        .reserved = cluster->reserved,
        .pending = cluster->pending,
    };

    for (size_t i = 0; root != NULL && i < root->n_partitions; i++) {
        amounts.reserved = yarn_sum(arena, amounts.reserved, root->partitions[i]->reserved);
        amounts.pending = yarn_sum(arena, amounts.pending, root->partitions[i]->pending);
    }
    amounts.available = available(arena, cluster, &amounts);
    return amounts;
}

const Creel__Resource *rest_unlabelled_total(struct arena *arena, const Creel__ClusterInfo *cluster)
{
    const Creel__Resource *rest = cluster->total;

    for (size_t i = 0; i < cluster->n_labels; i++)
        rest = yarn_difference(arena, rest, cluster->labels[i]->total);
    return rest;
}

struct rest_amounts rest_shown_amounts(struct arena *arena, const struct web_model *model)
{
    const Creel__ClusterInfo *cluster = web_model_cluster(model);
    const Creel__QueueReport *root = web_model_queue(model, "root");
    struct rest_amounts amounts;

    if (root == NULL || cluster->n_labels == 0 || !text_equal(cluster->queue_model, "capacity"))
        return rest_cluster_amounts(arena, model);
    amounts = (struct rest_amounts){
        .total = rest_unlabelled_total(arena, cluster),
        .allocated = rest_allocated(arena, cluster, root->used, root->reserved),
        .reserved = root->reserved,
        .pending = root->pending,
    };
    amounts.available = available(arena, cluster, &amounts);
    return amounts;
}
