/* SPDX-License-Identifier: Apache-2.0 */
/* host_changes.c - what a refresh of the lists of hosts has changed */
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/proto/value_name.h"
#include "rm/master/nodes/host_changes.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/index.h"

/* --- the lists --------------------------------------------------------------- */

static const struct host *find(const struct host *list, const char *name)
{
    const struct host *host;

    HASH_FIND_STR(list, name, host);
    return host;
}

/* Returns what LISTS say about the host NAME. */
static const char *listed(struct arena *arena, const struct hosts *lists, const char *name)
{
    const struct host *excluded = find(lists->exclude, name);
    const char *included = find(lists->include, name) != NULL ? "included" : "not listed";

    if (excluded == NULL)
        return included;
    included = find(lists->include, name) != NULL ? "included and " : "";
    if (!excluded->timed)
        return arena_printf(arena, "%sexcluded", included);
    return excluded->timeout_ms < 0 ? arena_printf(arena, "%sexcluded (no timeout)", included)
                                    : arena_printf(arena, "%sexcluded (timeout %s)", included,
                                                   format_duration(arena, excluded->timeout_ms));
}

static void compare_host(struct master *m, const struct hosts *old, const char *name,
                         struct text_list *changes)
{
    const char *before = listed(m->out->arena, old, name), *now = listed(m->out->arena, &m->hosts, name);

    if (!text_equal(before, now))
        text_list_add(changes, mem_printf("host %s: %s -> %s", name, before, now));
}

void rm_host_changes_of_lists(struct master *m, const struct hosts *old, struct text_list *changes)
{
    const struct host *lists[] = { m->hosts.include, m->hosts.exclude, old->include, old->exclude };

    if (old->timeout_ms != m->hosts.timeout_ms)
        text_list_add(changes,
                      mem_printf("yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs: "
                                 "\"%lld\" -> \"%lld\"",
                                 (long long)(old->timeout_ms < 0 ? -1 : old->timeout_ms / 1000),
                                 (long long)(m->hosts.timeout_ms < 0 ? -1 : m->hosts.timeout_ms / 1000)));
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (const struct host *host = lists[i]; host != NULL; host = host->hh.next) {
            bool done = false;

            for (size_t j = 0; j < i && !done; j++)
                done = find(lists[j], host->name) != NULL;
            if (!done)
                compare_host(m, old, host->name, changes);
        }
    }
}

/* --- the nodes --------------------------------------------------------------- */

struct node_before {
    Creel__NodeState state;
    bool forced;
    int64_t deadline_ms; /* 0: none */
};

static struct node_before shown(const struct node *node)
{
    struct node_before now = { .state = rm_node_shown(node) };

    if (now.state != CREEL__NODE_STATE__NODE_DECOMMISSIONING)
        return now;
    now.forced = node->admin.forced;
    now.deadline_ms = node->admin.deadline_ms;
    return now;
}

struct node_before *rm_host_changes_before(struct master *m)
{
    struct node_before *before;
    struct node *node;
    size_t count = 0;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        count++;
    before = arena_array0(m->out->arena, count + 1, sizeof(*before));
    count = 0;
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        before[count++] = shown(node);
    return before;
}

static const char *shown_text(struct master *m, const struct node_before *at)
{
    const char *name = value_name(&creel__node_state__descriptor, (int)at->state);
    struct arena *arena = m->out->arena;

    if (at->state != CREEL__NODE_STATE__NODE_DECOMMISSIONING)
        return name;
    if (at->forced)
        return arena_printf(arena, "%s (its containers are stopped)", name);
    if (at->deadline_ms == 0)
        return arena_printf(arena, "%s (no deadline)", name);
    return arena_printf(
        arena, "%s (ends in %s)", name,
        format_duration(arena, at->deadline_ms > m->now_ms ? at->deadline_ms - m->now_ms : 0));
}

void rm_host_changes_of_nodes(struct master *m, const struct node_before *before, struct text_list *changes)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        const struct node_before now = shown(node), *was = before++;

        if (now.state != was->state || now.forced != was->forced || now.deadline_ms != was->deadline_ms)
            text_list_add(changes,
                          mem_printf("node %s: %s -> %s", node->id, shown_text(m, was), shown_text(m, &now)));
    }
}
