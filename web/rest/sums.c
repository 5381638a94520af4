/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - adds up what nodes use and applications request */
#include "web/rest/sums.h"

#include "web/rest/lists.h"

static void sum_nodes(const struct web_model *model, struct arena *arena, struct rest_sums *sums)
{
    struct web_node_filter filter = { .states = 0 };
    const Creel__NodeReport **nodes;
    size_t count = rest_list_nodes(model, arena, &filter, &nodes);

    for (size_t i = 0; i < count; i++) {
        const Creel__NodeReport *node = nodes[i];

        sums->physical_mb +=
            (int64_t)((node->node_memory_bytes > 0 ? node->node_memory_bytes : node->used_memory_bytes) >>
                      20);
        sums->millicores += node->node_cpu_millicores;
    }
}

static void sum_apps(const struct web_model *model, struct arena *arena, struct rest_sums *sums)
{
    const Creel__AppReport **apps;
    size_t count = rest_list_active_apps(model, arena, &apps);

    for (size_t i = 0; i < count; i++) {
        sums->containers_pending += apps[i]->pending_containers;
        sums->containers_reserved += apps[i]->reserved_containers;
    }
}

struct rest_sums rest_sums_of(const struct web_model *model, struct arena *arena)
{
    struct rest_sums sums = { .physical_mb = 0 };

    sum_nodes(model, arena, &sums);
    sum_apps(model, arena, &sums);
    return sums;
}

int64_t rest_sums_vcores(const struct rest_sums *sums)
{
    return (int64_t)((sums->millicores + 500) / 1000);
}
