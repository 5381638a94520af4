/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_lists_apply.c - applies changed lists of hosts to nodes: decommission, take back, forget
 */
#include <errno.h>
#include <string.h>

#include "rm/master/nodes/hosts.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/services/drain.h"
#include "rm/master/state/index.h"

static int64_t time_of(const struct master *m, const struct node *node, const struct master_reload *reload,
                       const struct host *host)
{
    int64_t timeout_ms = m->hosts.timeout_ms;
    bool running = node->admin.state == ADMIN_DECOMMISSIONING;

    if (reload->kind == CREEL__REFRESH_KIND__REFRESH_CLIENT)
        return 0; /* the client sends another request later */
    if (host && host->timed)
        timeout_ms = host->timeout_ms;
    else if (reload->timeout_given)
        timeout_ms = reload->timeout_ms;
    if (timeout_ms < 0)
        return 0;
    /* A new timeout counts from the start of the decommissioning. */
    timeout_ms += running ? node->admin.since_ms : m->now_ms;
    return timeout_ms > 0 ? timeout_ms : 1;
}

static void exclude(struct master *m, struct node *node, const struct master_reload *reload,
                    const struct host *host, const char *why)
{
    struct drain_order order = {
        .event = ADMIN_EVENT_DECOMMISSION,
        .by = reload->user,
        .reason = why,
        .by_file = true,
        .forced = reload->kind == CREEL__REFRESH_KIND__REFRESH_NORMAL,
        .deadline_given = true,
    };

    if (node->admin.state == ADMIN_DECOMMISSIONED ||
        (node->admin.state == ADMIN_DECOMMISSIONING && !node->admin.by_file && !order.forced))
        return; /* already done, or ordered by an administrator with another deadline */
    if (!order.forced)
        order.deadline_ms = time_of(m, node, reload, host);
    rm_drain_order(m, node, &order);
}

/* Returns true if NODE was excluded and may register again from now on. */
bool rm_hosts_apply(struct master *m, struct node *node, const struct master_reload *reload)
{
    const struct host *host;
    const char *why = rm_hosts_refusal(m, node->id, node->address, &host);
    const struct drain_order order = { .event = ADMIN_EVENT_RESTORE, .by_file = true };

    if (why) {
        exclude(m, node, reload, host, why);
        return false;
    }
    if (!node->admin.by_file)
        return false;
    rm_drain_order(m, node, &order);
    return true;
}

void rm_hosts_forget(struct master *m, struct node *node)
{
    if (!rm_hosts_untracked(m, node))
        return;
    rm_drain_forget(m, node);
    rm_node_free(m, node);
    m->nodes_changed = true;
}

/* The lists may have been changed while the resource manager was down. Excluded nodes are then decommissioned
 * at once, as at the start of YARN; but a graceful decommissioning continues. */
void rm_hosts_recovered(struct master *m)
{
    const struct master_reload start = {
        .user = "the start of the resource manager",
        .kind = CREEL__REFRESH_KIND__REFRESH_NORMAL,
    };
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (node->admin.state == ADMIN_DECOMMISSIONING && node->admin.by_file &&
            rm_hosts_refusal(m, node->id, node->address, NULL))
            continue;
        rm_hosts_apply(m, node, &start);
        rm_hosts_watch(m, node);
    }
}
