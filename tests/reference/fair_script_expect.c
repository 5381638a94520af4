/* SPDX-License-Identifier: Apache-2.0 */
/* fair_script_expect.c - compares the expectations of a case with the figures of the reference fair
 * scheduler */
#include <string.h>

#include "tests/reference/fair_script.h"

int64_t fair_script_count(const struct script_common *common, int app, int node)
{
    const struct slow *slow = &((const struct fair_script *)common)->slow;
    int64_t count = 0;

    for (int c = 0; c < slow->container_top; c++)
        count += slow->containers[c].here && (app < 0 || slow->containers[c].app == app) &&
                 (node < 0 || slow->containers[c].node == node);
    return count;
}

/* Returns the resource reserved for APP, or for all applications in QUEUE, and the number of reservations. */
static struct resource reserved(const struct fair_script *script, int app, int queue, int64_t *count)
{
    const struct slow *slow = &script->slow;
    struct resource sum = resource_of(0, 0);

    *count = 0;
    for (int n = 0; n < SLOW_NODES; n++)
        if (slow->nodes[n].here && slow->nodes[n].reserved &&
            (app < 0 || slow->nodes[n].reserved_app == app) &&
            (queue < 0 || slow_below(slow, slow->apps[slow->nodes[n].reserved_app].queue, queue))) {
            sum = resource_add(sum, slow->nodes[n].reserved_size);
            ++*count;
        }
    return sum;
}

static void check_queue(struct fair_script *script, const struct case_step *step,
                        const struct case_claim *claim, const char *what)
{
    const struct slow *slow = &script->slow;
    int queue = fair_script_queue(script, claim->name);
    int64_t count;

    if (queue < 0)
        return; /* a queue of the file, or root.default, without applications */
    if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, slow_queue_used(slow, queue));
    else if (claim->figure == FIGURE_DEMAND)
        script_amount(&script->common, step, claim, what, slow->queues[queue].demand);
    else if (claim->figure == FIGURE_FAIR_SHARE)
        script_amount(&script->common, step, claim, what, slow->queues[queue].share);
    else if (claim->figure == FIGURE_RESERVED)
        script_amount(&script->common, step, claim, what, reserved(script, -1, queue, &count));
    else if (claim->figure == FIGURE_ACTIVE_APPS)
        script_whole(&script->common, claim, what, slow_running(slow, queue));
}

static void check_app(struct fair_script *script, const struct case_step *step,
                      const struct case_claim *claim, const char *what)
{
    const struct slow *slow = &script->slow;
    int app = script_find(&script->common.apps, claim->name);
    int64_t count;

    if (claim->figure == FIGURE_STATE)
        script_state(&script->common, claim, what, app, slow->apps[app].state == SLOW_RUNS);
    else if (claim->figure == FIGURE_CONTAINERS)
        script_whole(&script->common, claim, what, fair_script_count(&script->common, app, -1));
    else if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, slow_app_used(slow, app));
    else if (claim->figure == FIGURE_PENDING && slow->apps[app].here)
        script_amount(&script->common, step, claim, what, slow_app_pending(slow, app));
    else if (claim->figure == FIGURE_FAIR_SHARE && slow->apps[app].here)
        script_amount(&script->common, step, claim, what, slow->apps[app].share);
    else if (claim->figure == FIGURE_RESERVED)
        script_amount(&script->common, step, claim, what, reserved(script, app, -1, &count));
    else if (claim->figure == FIGURE_RESERVED_CONTAINERS) {
        reserved(script, app, -1, &count);
        script_whole(&script->common, claim, what, count);
    } else if (claim->figure == FIGURE_ON)
        script_on(&script->common, claim, what, app);
}

static void check_node(struct fair_script *script, const struct case_step *step,
                       const struct case_claim *claim, const char *what)
{
    int n = script_find(&script->common.nodes, claim->name);
    const struct slow_node *node = &script->slow.nodes[n < 0 ? 0 : n];
    struct resource left;

    if (n < 0 || !node->here) {
        script_differs(&script->common, claim->line, "%s: there is no such node", what);
        return;
    }
    left = slow_node_free(&script->slow, n);
    if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, resource_subtract(node->total, left));
    else if (claim->figure == FIGURE_AVAILABLE)
        script_amount(&script->common, step, claim, what, left);
    else if (claim->figure == FIGURE_CONTAINERS)
        script_whole(&script->common, claim, what, fair_script_count(&script->common, -1, n));
    else if (claim->figure == FIGURE_RESERVED_BY)
        script_reserved_by(&script->common, claim, what, node->reserved ? node->reserved_app : -1);
}

void fair_script_check(struct script_common *common, const struct case_step *step,
                       const struct case_claim *claim, const char *what)
{
    struct fair_script *script = (struct fair_script *)common;

    if (claim->subject == SUBJECT_QUEUE)
        check_queue(script, step, claim, what);
    else if (claim->subject == SUBJECT_APP)
        check_app(script, step, claim, what);
    else if (claim->subject == SUBJECT_NODE)
        check_node(script, step, claim, what);
}
