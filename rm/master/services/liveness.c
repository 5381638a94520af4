/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.c - detects nodes that send no heartbeats any more */
#include "rm/master/machines/node.h"
#include "rm/master/nodes/cutoff.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/parts/format.h"
#include "rm/master/services/evict.h"
#include "rm/master/services/liveness.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

/* An agent that waits for an operator registers again every 10 s at the latest (nm-agent/core/link.c). It is
 * silent when two of these are missing, and the next one is late. */
#define WAITING_SILENCE_MS 25000

static bool is_silent(const struct master *m, const struct node *node)
{
    return node->silent || (node->waiting != NULL && m->now_ms - node->seen_ms >= WAITING_SILENCE_MS);
}

int64_t rm_liveness_lost_at_ms(const struct master *m, const struct node *node)
{
    int64_t at_ms = node->seen_ms + rm_cutoff_silence_ms(m, node);

    if (!is_silent(m, node))
        return 0;
    return node->expiry.armed && node->expiry.at_ms > at_ms ? node->expiry.at_ms : at_ms;
}

const char *rm_liveness_absence(struct master *m, const struct node *node)
{
    return node->waiting == NULL
               ? arena_printf(m->out->arena, "node %s, where it ran, has not registered again yet", node->id)
               : arena_printf(m->out->arena,
                              "node %s, where it ran, waits for state that the resource manager does not "
                              "have: an administrator has to act",
                              node->id);
}

const char *rm_liveness_of_app(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    const struct node *node, *first = NULL;
    const struct app_node *on_node;
    uint32_t count = 0;

    TAILQ_FOREACH(node, &m->contacts.silent, in_contact) {
        HASH_FIND_STR(app->nodes, node->id, on_node);
        if (on_node == NULL || on_node->live == 0)
            continue;
        if (count++ == 0)
            first = node;
    }
    if (count == 0)
        return NULL;
    return arena_printf(arena,
                        "node %s, where it has containers, is silent for %s and counts as lost in %s%s",
                        first->id, format_duration(arena, m->now_ms - first->seen_ms),
                        format_duration(arena, rm_liveness_lost_at_ms(m, first) - m->now_ms),
                        count > 1 ? arena_printf(arena, "; %u more of its nodes are silent", count - 1) : "");
}

void rm_liveness_summarise(const struct master *m, Creel__ClusterInfo *info)
{
    const struct node *first = TAILQ_FIRST(&m->contacts.silent);

    info->nodes_silent = m->contacts.silent_count;
    if (first == NULL)
        first = TAILQ_FIRST(&m->contacts.heard);
    if (first != NULL)
        info->oldest_heartbeat_ms = first->seen_ms;
    if (m->contacts.silent_count > 0)
        info->silent_node = rm_message_text(m->out->arena, first->id);
}

void rm_liveness_on_timer(struct master *m, struct node *node)
{
    int64_t at = node->seen_ms + rm_cutoff_silence_ms(m, node);

    if (at > m->now_ms) {
        rm_deadline_set(m, &node->expiry, at);
        return;
    }
    rm_node_forget_history(node);
    rm_node_event(m, node, NODE_EVENT_EXPIRE);
    rm_evict_check(m, node);
    rm_node_mark_for_check(m, node);
    rm_hosts_watch(m, node);
}
