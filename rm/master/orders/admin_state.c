/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin_state.c - the administrative state of a node, as text and as a message
 *
 * Besides its operational state (running, lost) a node has an administrative state: in service, drained or
 * decommissioned. drain.c changes that state.
 */
#include "rm/master/orders/admin_state.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

const char *rm_format_admin_state(struct master *m, const struct node *node)
{
    static const char *const verbs[ADMIN_STATES] = {
        [ADMIN_SERVING] = "is in service",
        [ADMIN_DRAINING] = "is being drained",
        [ADMIN_DRAINED] = "was drained",
        [ADMIN_DECOMMISSIONING] = "is being decommissioned",
        [ADMIN_DECOMMISSIONED] = "was decommissioned",
    };
    const struct admin *admin = &node->admin;
    bool given = !rm_text_is_empty(admin->reason);

    if (rm_node_serves(node))
        return verbs[ADMIN_SERVING];
    return arena_printf(m->out->arena, "%s by %s%s%s", verbs[admin->state],
                        admin->by ? admin->by : "somebody", given ? ": " : "", given ? admin->reason : "");
}

uint32_t rm_admin_apps(const struct master *m, const struct node *node)
{
    struct app_node *on_node;
    uint32_t count = 0;
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps) {
        if (rm_app_is_over(app))
            continue;
        HASH_FIND_STR(app->nodes, node->id, on_node);
        count += on_node != NULL;
    }
    return count;
}

static int64_t later(int64_t a_ms, int64_t b_ms)
{
    return a_ms > b_ms ? a_ms : b_ms;
}

/* Returns the time at which the agent gets an order to stop at the latest: with its next heartbeat. */
static int64_t ordered_ms(const struct master *m, const struct node *node)
{
    int64_t from_ms = node->admin.forced ? node->admin.forced_ms : m->now_ms;

    return later(from_ms + m->config.heartbeat_interval_ms, m->now_ms);
}

/* Returns the time at which CONTAINER gets SIGTERM at the latest, by a notice or a stop; 0: has neither. */
static int64_t stop_ms(const struct master *m, const struct container *container)
{
    if (container->stopping_ms != 0)
        return container->stopping_ms;
    if (container->state == CONTAINER_STOPPING)
        return ordered_ms(m, container->node);
    return container->evicting ? later(container->preempt_ms, m->now_ms) + m->config.heartbeat_interval_ms
                               : 0;
}

/* Returns the time after which no container runs on NODE, but for those that are stuck; 0: it is unknown, or
 * only such containers are left. It is the latest of the times of its containers: those that have a notice
 * keep it if the deadline is changed. */
static int64_t containers_end_ms(const struct master *m, const struct node *node)
{
    const struct admin *admin = &node->admin;
    const struct container *container;
    int64_t end_ms = 0, planned_ms = 0, at_ms;

    if (admin->forced)
        planned_ms = ordered_ms(m, node);
    else if (admin->deadline_ms != 0)
        planned_ms = later(admin->deadline_ms, m->now_ms) + m->config.evict_notice_ms +
                     m->config.heartbeat_interval_ms;
    TAILQ_FOREACH(container, &node->containers, of_node) {
        if (container->stuck != NULL)
            continue;
        at_ms = stop_ms(m, container);
        if (at_ms == 0 && planned_ms == 0)
            return 0;
        end_ms = later(end_ms, at_ms != 0 ? at_ms : planned_ms);
    }
    if (end_ms == 0 && node->stuck_count > 0)
        return 0;
    if (end_ms == 0)
        end_ms = planned_ms;
    return end_ms != 0 ? end_ms + node->kill_delay_ms : 0;
}

Creel__NodeAdminState *rm_admin_message(struct master *m, const struct node *node)
{
    struct arena *arena = m->out->arena;
    const struct admin *admin = &node->admin;
    const struct container *container;
    Creel__NodeAdminState *message;

    if (rm_node_serves(node))
        return NULL;
    message = arena_new0(arena, Creel__NodeAdminState);
    creel__node_admin_state__init(message);
    message->by = rm_message_text(arena, admin->by);
    message->reason = rm_message_text(arena, admin->reason);
    message->since_ms = admin->since_ms;
    message->deadline_ms = admin->forced ? 0 : admin->deadline_ms; /* no notice is given any more */
    message->end_ms = containers_end_ms(m, node);
    message->by_file = admin->by_file;
    message->leaving = admin->state == ADMIN_DECOMMISSIONING || admin->state == ADMIN_DECOMMISSIONED;
    TAILQ_FOREACH(container, &node->containers, of_node)
        message->containers_notified += container->evicting || container->state == CONTAINER_STOPPING;
    if (admin->state == ADMIN_DECOMMISSIONING)
        message->apps_left = rm_admin_apps(m, node);
    return message;
}
