/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - adds up what nodes use and applications request */
#include "web/rest/parts/sums.h"

#include "web/rest/parts/lists.h"
#include "yarn/node.h"

static void sum_nodes(const struct web_model *model, struct arena *arena, struct rest_sums *sums)
{
    struct web_node_filter filter = { .states = 0 };
    const Creel__NodeReport **nodes;
    size_t count = rest_list_nodes(model, arena, &filter, &nodes);

    for (size_t i = 0; i < count; i++) {
        sums->physical_mb += yarn_node_used_mb(nodes[i]->node_memory_bytes, nodes[i]->used_memory_bytes);
        sums->millicores += nodes[i]->node_cpu_millicores;
    }
}

static void sum_apps(const struct web_model *model, struct arena *arena, struct rest_sums *sums)
{
    const Creel__AppReport **apps;
    size_t count = rest_list_active_apps(model, arena, &apps);

    for (size_t i = 0; i < count; i++) {
        sums->containers_pending += apps[i]->pending_containers - apps[i]->labelled_pending_containers;
        sums->containers_reserved += apps[i]->reserved_containers - apps[i]->labelled_reserved_containers;
    }
}

struct rest_sums rest_sums_of(const struct web_model *model, struct arena *arena)
{
    const Creel__QueueReport *root = web_model_queue(model, "root");
    struct rest_sums sums = { .containers_labelled = root != NULL ? root->labelled_containers : 0 };

    sum_nodes(model, arena, &sums);
    sum_apps(model, arena, &sums);
    return sums;
}

int64_t rest_sums_vcores(const struct rest_sums *sums)
{
    return (int64_t)((sums->millicores + 500) / 1000);
}
