/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin_state.c - the administrative state of a node, as text and as a message
 *
 * Besides its operational state (running, lost) a node has an administrative state: in service, drained or
 * decommissioned. drain.c changes that state.
 */
#include "rm/master/admin_state.h"
#include "rm/master/copy.h"
#include "rm/master/index.h"

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
    message->deadline_ms = admin->deadline_ms;
    if (admin->deadline_ms != 0)
        message->end_ms = admin->deadline_ms + m->config.evict_notice_ms + node->kill_delay_ms;
    message->by_file = admin->by_file;
    message->leaving = admin->state == ADMIN_DECOMMISSIONING || admin->state == ADMIN_DECOMMISSIONED;
    TAILQ_FOREACH(container, &node->containers, of_node)
        message->containers_notified += container->evicting || container->state == CONTAINER_STOPPING;
    if (admin->state == ADMIN_DECOMMISSIONING)
        message->apps_left = rm_admin_apps(m, node);
    return message;
}
