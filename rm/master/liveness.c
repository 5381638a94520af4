/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.c - detects nodes that send no heartbeats any more */
#include "rm/master/cutoff.h"
#include "rm/master/evict.h"
#include "rm/master/hosts.h"
#include "rm/master/index.h"
#include "rm/master/liveness.h"
#include "rm/master/node.h"
#include "rm/master/node_record.h"

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
