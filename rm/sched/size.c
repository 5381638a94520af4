/* SPDX-License-Identifier: Apache-2.0 */
/*
 * size.c - checks the sizes of requested containers (yarn-behaviour 2.1)
 *
 * The maximum of one container is configured, for the cluster and by queue. In addition, no container may be
 * larger than the nodes: a request for more memory than the largest memory of a node, or more vcores than the
 * largest number of vcores, and so on, is refused (ClusterNodeTracker.getMaxAllowedAllocation). After the
 * start, while nodes register, only the configured maximum applies.
 *
 * Differs: a node that is closed counts with the size it had before. In YARN an unhealthy node does not
 * count, and a drained node counts with its present use, so that requests are refused that could be served
 * when the node is open again.
 */
#include <errno.h>
#include <string.h>

#include "rm/sched/internal.h"

/* --- the largest node --------------------------------------------------------- */

static void count(struct sched *sched, const struct sched_node *node)
{
    struct sched_largest *largest = &sched->largest;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++) {
        if (node->capacity.value[t] > largest->size.value[t]) {
            largest->size.value[t] = node->capacity.value[t];
            largest->nodes[t] = 0;
        }
        if (node->capacity.value[t] == largest->size.value[t])
            largest->nodes[t]++;
    }
}

void sched_size_node_removed(struct sched *sched, const struct sched_node *node)
{
    struct sched_node *other, *next;
    bool gone = false; /* the last of the largest nodes was removed */

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (node->capacity.value[t] == sched->largest.size.value[t] && --sched->largest.nodes[t] == 0)
            gone = true;
    if (!gone)
        return;
    memset(&sched->largest, 0, sizeof(sched->largest));
    HASH_ITER(hh, sched->nodes, other, next)
        if (other != node)
            count(sched, other);
}

void sched_size_node_added(struct sched *sched, struct sched_node *node)
{
    node->capacity = node->total;
    count(sched, node);
}

void sched_size_node_changed(struct sched *sched, struct sched_node *node)
{
    if (!node->open)
        return;
    sched_size_node_removed(sched, node);
    sched_size_node_added(sched, node);
}

bool sched_nodes_register(const struct sched *sched)
{
    return sched->node_count == 0 || sched->now_ms - sched->started_ms < sched->size_wait_ms;
}

static int refuse_type(const struct sched *sched, const struct resource *asked, int type, struct err *err)
{
    char text[RESOURCE_TYPES_TEXT_MAX], most[RESOURCE_TYPES_TEXT_MAX];
    const struct sched_node *node = sched->nodes;

    if (sched->largest.size.value[type] == 0 && type > RESOURCE_VCORES)
        return err_set(err, ERANGE, "asks for %s, but no node has %s",
                       resource_types_format(&sched->names, asked, text), sched->names.type[type].name);
    while (node->capacity.value[type] < sched->largest.size.value[type])
        node = node->hh.next;
    return err_set(err, ERANGE, "asks for %s, more %s than any node has: the largest, %s, has %s",
                   resource_types_format(&sched->names, asked, text),
                   type == RESOURCE_MEMORY_MB ? "memory"
                   : type == RESOURCE_VCORES  ? "vcores"
                                              : sched->names.type[type].name,
                   node->id, resource_types_format(&sched->names, &node->capacity, most));
}

int sched_size_check_for(const struct sched *sched, const struct sched_queue *queue,
                         const struct resource *asked, struct err *err)
{
    struct resource least = resource_max(*asked, sched->minimum);
    int r = sched_normalise_for(sched, queue, asked, NULL, err);

    if (r < 0 || sched_nodes_register(sched))
        return r;
    for (int t = 0; t < sched->calc.types; t++)
        if (asked->value[t] > sched->largest.size.value[t])
            return refuse_type(sched, &least, t, err);
    return 0;
}

int sched_size_check(const struct sched *sched, const struct resource *asked, struct err *err)
{
    return sched_size_check_for(sched, NULL, asked, err);
}

/* --- rounding ----------------------------------------------------------------- */

/* Sets ERR: ASKED is above MAXIMUM, of QUEUE (NULL: of the cluster). */
static int refuse_size(const struct sched *sched, const struct sched_queue *queue,
                       const struct resource *asked, const struct resource *maximum, struct err *err)
{
    struct resource shown = resource_max(*asked, sched->minimum), most = *maximum;
    char text[RESOURCE_TYPES_TEXT_MAX], limit[RESOURCE_TYPES_TEXT_MAX];

    for (int t = RESOURCE_VCORES + 1; t < RESOURCE_TYPES_MAX; t++)
        if (shown.value[t] == 0) /* none of this type is requested */
            most.value[t] = 0;
    return err_set(err, ERANGE, "asks for %s, above the maximum for one container%s%s, %s",
                   resource_types_format(&sched->names, &shown, text), queue ? " of " : "",
                   queue ? queue->path : "", resource_types_format(&sched->names, &most, limit));
}

/* Returns MAXIMUM limited to the largest node. Requests are not rounded up beyond this limit
 * (CapacityScheduler.normalizeResourceRequests). */
static struct resource cut_to_nodes(const struct sched *sched, const struct resource *maximum,
                                    const struct resource *asked)
{
    if (sched_nodes_register(sched))
        return *maximum;
    return resource_min(*maximum, resource_max(sched->largest.size, *asked));
}

int sched_normalise_for(const struct sched *sched, const struct sched_queue *queue,
                        const struct resource *asked, struct resource *normal, struct err *err)
{
    const struct resource *maximum = queue && queue->maximum ? queue->maximum : &sched->maximum;
    struct resource most;
    char text[RESOURCE_TYPES_TEXT_MAX];

    if (resource_any_negative(asked))
        return err_set(err, ERANGE, "asks for %s: an amount is negative",
                       resource_types_format(&sched->names, asked, text));
    if (!resource_fits(asked, maximum))
        return refuse_size(sched, maximum != &sched->maximum ? queue : NULL, asked, maximum, err);
    most = cut_to_nodes(sched, maximum, asked);
    if (normal)
        *normal = calc_normalise(&sched->calc, asked, &sched->minimum, &most, &sched->step);
    return 0;
}

int sched_normalise(const struct sched *sched, const struct resource *asked, struct resource *normal,
                    struct err *err)
{
    return sched_normalise_for(sched, NULL, asked, normal, err);
}
