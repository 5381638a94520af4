/* SPDX-License-Identifier: Apache-2.0 */
/* node_fields.c - nodes and partitions in the formats of sinfo */
#include "client/slurm-client/node_fields.h"

#include <stdlib.h>
#include <string.h>

#include "client/slurm-client/duration.h"
#include "client/slurm-client/job_list.h"
#include "common/base/host_range.h"
#include "common/base/mem.h"
#include "yarn/queue.h"

enum use { USE_ALLOCATED, USE_IDLE, USE_OTHER, USE_TOTAL, USES };

static const struct creel_node *first_of(const void *item)
{
    const struct node_group *group = item;

    return group->count > 0 ? group->nodes[0] : NULL;
}

/* --- states ----------------------------------------------------------------------------- */

static bool is_full(const struct creel_node *node)
{
    return node->used.memory_mb >= node->total.memory_mb || node->used.vcores >= node->total.vcores;
}

const char *node_state(const struct creel_node *node, bool is_long)
{
    switch (node->state) {
    case CREEL_NODE_RUNNING:
        if (node->used.memory_mb == 0 && node->containers == 0)
            return "idle";
        return is_full(node) ? (is_long ? "allocated" : "alloc") : (is_long ? "mixed" : "mix");
    case CREEL_NODE_DRAINING:
    case CREEL_NODE_DECOMMISSIONING:
        return is_long ? "draining" : "drng";
    case CREEL_NODE_DRAINED:
    case CREEL_NODE_DECOMMISSIONED:
        return is_long ? "drained" : "drain";
    case CREEL_NODE_WAITING:
        return is_long ? "unknown" : "unk";
    case CREEL_NODE_UNHEALTHY:
    case CREEL_NODE_LOST:
    case CREEL_NODE_REBOOTED:
    case CREEL_NODE_SHUT_DOWN:
    default:
        return "down";
    }
}

bool node_serves(const struct creel_node *node, const struct creel_queue *queue)
{
    if (!*node->label)
        return true;
    for (const char *const *label = queue->labels; label && *label; label++)
        if (!strcmp(*label, "*") || !strcmp(*label, node->label))
            return true;
    return false;
}

const char *node_host(const struct creel_node *node, struct arena *arena)
{
    const char *port = strrchr(node->id, ':');

    return arena_printf(arena, "%.*s", port ? (int)(port - node->id) : (int)strlen(node->id), node->id);
}

/* --- partitions -------------------------------------------------------------------------- */

static void put_partition(struct text_builder *text, const void *item)
{
    text_builder_add(text, job_partition(((const struct node_group *)item)->queue->path));
}

/* The queue of jobs that name none is marked. */
static void put_marked_partition(struct text_builder *text, const void *item)
{
    const char *last = strrchr(((const struct node_group *)item)->queue->path, '.');

    put_partition(text, item);
    if (last && !strcmp(last, ".default"))
        text_builder_add(text, "*");
}

static void put_available(struct text_builder *text, const void *item)
{
    bool runs = !strcmp(((const struct node_group *)item)->queue->state, YARN_QUEUE_RUNNING);

    text_builder_add(text, runs ? "up" : "drain");
}

static void put_limit(struct text_builder *text, const void *item)
{
    int64_t limit_s = ((const struct node_group *)item)->queue->maximum_lifetime_s;

    if (limit_s <= 0)
        text_builder_add(text, "infinite");
    else
        duration_put(text, limit_s, true);
}

/* --- nodes --------------------------------------------------------------------------------- */

static void put_count(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%zu", ((const struct node_group *)item)->count);
}

/* Adds the list of hosts, "n[1-3]". */
static void node_put_list(struct text_builder *text, const void *item)
{
    const struct node_group *group = item;
    struct arena *arena = arena_new();
    const char **hosts = arena_array0(arena, group->count + 1, sizeof(*hosts));
    scoped_free char *folded = NULL;

    for (size_t i = 0; i < group->count; i++)
        hosts[i] = node_host(group->nodes[i], arena);
    folded = host_range_fold(hosts, group->count);
    text_builder_add(text, folded);
    arena_free(arena);
}

static void put_host(struct text_builder *text, const void *item)
{
    struct arena *arena = arena_new();

    if (first_of(item))
        text_builder_add(text, node_host(first_of(item), arena));
    arena_free(arena);
}

static void put_state(struct text_builder *text, const void *item)
{
    text_builder_add(text, first_of(item) ? node_state(first_of(item), false) : "n/a");
}

static void put_long_state(struct text_builder *text, const void *item)
{
    text_builder_add(text, first_of(item) ? node_state(first_of(item), true) : "n/a");
}

static void put_cpus(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%lld", first_of(item) ? (long long)first_of(item)->total.vcores : 0);
}

static void put_memory(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%lld", first_of(item) ? (long long)first_of(item)->total.memory_mb : 0);
}

static void put_allocated_memory(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%lld", first_of(item) ? (long long)first_of(item)->used.memory_mb : 0);
}

static void put_free_memory(struct text_builder *text, const void *item)
{
    const struct creel_node *node = first_of(item);

    if (node)
        text_builder_printf(text, "%lld", (long long)(node->total.memory_mb - node->used.memory_mb));
    else
        text_builder_add(text, "0");
}

static void put_load(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%.2f", first_of(item) ? first_of(item)->node_cpu_millicores / 1000.0 : 0);
}

static void put_features(struct text_builder *text, const void *item)
{
    text_builder_add(text, first_of(item) && *first_of(item)->label ? first_of(item)->label : "(null)");
}

static void put_reason(struct text_builder *text, const void *item)
{
    const struct creel_node *node = first_of(item);

    text_builder_add(text, node && !node->in_service && node->admin_state.reason && *node->admin_state.reason
                               ? node->admin_state.reason
                               : "none");
}

static void put_version(struct text_builder *text, const void *item)
{
    text_builder_add(text, first_of(item) ? first_of(item)->version : "unknown");
}

static void put_resources(struct text_builder *text, const void *item)
{
    const struct creel_node *node = first_of(item);

    for (size_t i = 0; node && i < node->total.other_count; i++) {
        const struct creel_amount *other = &node->total.others[i];

        text_builder_separate(text, ",");
        text_builder_printf(text, "%s:%lld", !strcmp(other->name, "yarn.io/gpu") ? "gpu" : other->name,
                            (long long)other->amount);
    }
    if (text->length == 0)
        text_builder_add(text, "(null)");
}

/* Creel knows processors, not the sockets, cores and threads that they are. */
static void put_shape(struct text_builder *text, const void *item)
{
    put_cpus(text, item);
    text_builder_add(text, ":1:1");
}

static void put_job_sizes(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "1-infinite");
}

static void put_no(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "no");
}

static void put_all(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "all");
}

static void put_zero(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "0");
}

static void put_one(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "1");
}

/* Jobs share their nodes. */
static void put_shared(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "OK");
}

/* --- sums ------------------------------------------------------------------------------------ */

/* Adds "allocated/idle/other/total". */
static void add_uses(struct text_builder *text, const int64_t uses[USES])
{
    text_builder_printf(text, "%lld/%lld/%lld/%lld", (long long)uses[USE_ALLOCATED],
                        (long long)uses[USE_IDLE], (long long)uses[USE_OTHER], (long long)uses[USE_TOTAL]);
}

static void put_cpu_uses(struct text_builder *text, const void *item)
{
    const struct node_group *group = item;
    int64_t uses[USES] = { 0 };

    for (size_t i = 0; i < group->count; i++) {
        const struct creel_node *node = group->nodes[i];
        bool serves = node->state == CREEL_NODE_RUNNING;

        uses[USE_ALLOCATED] += node->used.vcores;
        uses[serves ? USE_IDLE : USE_OTHER] += node->total.vcores - node->used.vcores;
        uses[USE_TOTAL] += node->total.vcores;
    }
    add_uses(text, uses);
}

static void count_nodes(const struct node_group *group, int64_t uses[USES])
{
    for (size_t i = 0; i < group->count; i++) {
        const struct creel_node *node = group->nodes[i];
        bool idle = !strcmp(node_state(node, false), "idle");

        uses[node->state != CREEL_NODE_RUNNING ? USE_OTHER : idle ? USE_IDLE : USE_ALLOCATED]++;
        uses[USE_TOTAL]++;
    }
}

static void put_node_uses(struct text_builder *text, const void *item)
{
    int64_t uses[USES] = { 0 };

    count_nodes(item, uses);
    add_uses(text, uses);
}

static void put_two_uses(struct text_builder *text, const void *item)
{
    int64_t uses[USES] = { 0 };

    count_nodes(item, uses);
    text_builder_printf(text, "%lld/%lld", (long long)uses[USE_ALLOCATED], (long long)uses[USE_IDLE]);
}

bool node_field_is_sum(field_put *put)
{
    field_put *const sums[] = { put_count, node_put_list, put_cpu_uses, put_node_uses, put_two_uses };

    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        if (put == sums[i])
            return true;
    return false;
}

const struct field sinfo_fields[] = {
    { 'P', "Partition", "PARTITION", 0, put_marked_partition },
    { 'R', "PartitionName", "PARTITION", 0, put_partition },
    { 'a', "Available", "AVAIL", 0, put_available },
    { 'l', "Time", "TIMELIMIT", 0, put_limit },
    { 'D', "Nodes", "NODES", 0, put_count },
    { 'N', "NodeList", "NODELIST", 0, node_put_list },
    { 'n', "NodeHost", "HOSTNAMES", 0, put_host },
    { 'o', "NodeAddr", "NODE_ADDR", 0, put_host },
    { 't', "StateCompact", "STATE", 0, put_state },
    { 'T', "StateLong", "STATE", 0, put_long_state },
    { 'c', "CPUs", "CPUS", 0, put_cpus },
    { 'm', "Memory", "MEMORY", 0, put_memory },
    { 'e', "FreeMem", "FREE_MEM", 0, put_free_memory },
    { 0, "AllocMem", "ALLOCMEM", 0, put_allocated_memory },
    { 'C', "CPUsState", "CPUS(A/I/O/T)", 0, put_cpu_uses },
    { 'F', "NodeAIOT", "NODES(A/I/O/T)", 0, put_node_uses },
    { 'A', "NodeAI", "NODES(A/I)", 0, put_two_uses },
    { 'O', "CPUsLoad", "CPU_LOAD", 0, put_load },
    { 'f', "Features", "AVAIL_FEATURES", 0, put_features },
    { 'b', "Features_act", "ACTIVE_FEATURES", 0, put_features },
    { 'G', "Gres", "GRES", 0, put_resources },
    { 'E', "Reason", "REASON", 0, put_reason },
    { 'v', "Version", "VERSION", 0, put_version },
    { 'd', "Disk", "TMP_DISK", 0, put_zero },
    { 'w', "Weight", "WEIGHT", 0, put_one },
    { 'g', "Groups", "GROUPS", 0, put_all },
    { 'h', "OverSubscribe", "OVERSUBS", 0, put_shared },
    { 'r', "Root", "ROOT", 0, put_no },
    { 's', "Size", "JOB_SIZE", 0, put_job_sizes },
    { 'z', "SocketCoreThread", "S:C:T", 0, put_shape },
    { 0 },
};
