/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin_state.c - what administrators want of a node, in words and as a message
 *
 * Beside its state (running, lost) a node has an administrative state: in service, drained,
 * decommissioned. drain.c changes it.
 */
#include "rm/master/admin_state.h"
#include "rm/master/copy.h"
#include "rm/master/index.h"

const char *rm_duty_words(struct master *m, const struct node *node)
{
    static const char *const verbs[DUTY_STATES] = {
        [DUTY_SERVING] = "is in service", [DUTY_DRAINING] = "is being drained",
        [DUTY_DRAINED] = "was drained", [DUTY_DECOMMISSIONING] = "is being decommissioned",
        [DUTY_DECOMMISSIONED] = "was decommissioned",
    };
    const struct duty *duty = &node->duty;
    bool said = !rm_text_is_empty(duty->reason);

    if (rm_duty_serves(node))
        return verbs[DUTY_SERVING];
    return arena_printf(m->out->arena, "%s by %s%s%s", verbs[duty->state],
                        duty->by ? duty->by : "somebody", said ? ": " : "",
                        said ? duty->reason : "");
}

uint32_t rm_duty_apps(const struct master *m, const struct node *node)
{
    struct app_node *place;
    uint32_t count = 0;
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps) {
        if (rm_app_is_over(app))
            continue;
        HASH_FIND_STR(app->nodes, node->id, place);
        count += place != NULL;
    }
    return count;
}

Creel__NodeDuty *rm_duty_message(struct master *m, const struct node *node)
{
    struct arena *arena = m->out->arena;
    const struct duty *duty = &node->duty;
    const struct container *container;
    Creel__NodeDuty *message;

    if (rm_duty_serves(node))
        return NULL;
    message = arena_new0(arena, Creel__NodeDuty);
    creel__node_duty__init(message);
    message->by = rm_message_text(arena, duty->by);
    message->reason = rm_message_text(arena, duty->reason);
    message->since_ms = duty->since_ms;
    message->deadline_ms = duty->deadline_ms;
    message->by_file = duty->by_file;
    TAILQ_FOREACH(container, &node->containers, of_node)
        message->containers_told += container->evicting || container->state == CONTAINER_STOPPING;
    if (duty->state == DUTY_DECOMMISSIONING)
        message->apps_left = rm_duty_apps(m, node);
    return message;
}
