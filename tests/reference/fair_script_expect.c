/* SPDX-License-Identifier: Apache-2.0 */
/* fair_script_expect.c - what a case expects, against the figures of the slow fair scheduler */
#include <inttypes.h>
#include <string.h>

#include "tests/reference/fair_script.h"

static void whole(struct fair_script *script, const struct case_claim *claim, const char *what,
                  int64_t got)
{
    if (claim->whole != got)
        fair_script_differs(script, claim->line, "%s: expected %" PRId64 ", got %" PRId64, what, claim->whole,
                got);
}

static void amount(struct fair_script *script, const struct case_step *step,
                   const struct case_claim *claim, const char *what, struct resource got)
{
    for (int t = 0; t < script->test->type_count; t++) {
        int64_t apart = claim->resource.amount.value[t] - got.value[t];

        if ((claim->resource.given & 1u << t) != 0 &&
            (apart > step->tolerance || apart < -step->tolerance))
            fair_script_differs(script, claim->line, "%s: %s: expected %" PRId64 ", got %" PRId64, what,
                    script->test->types[t], claim->resource.amount.value[t], got.value[t]);
    }
}

static int64_t count_containers(const struct fair_script *script, int app, int node)
{
    int64_t count = 0;

    for (int c = 0; c < script->slow.container_top; c++)
        count += script->slow.containers[c].here && (app < 0 || script->slow.containers[c].app == app) &&
                 (node < 0 || script->slow.containers[c].node == node);
    return count;
}

/* Reserved by APP, or by all in QUEUE. */
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
        return;                         /* of the file, or root.default, and without apps */
    if (claim->figure == FIGURE_USED)
        amount(script, step, claim, what, slow_queue_used(slow, queue));
    else if (claim->figure == FIGURE_DEMAND)
        amount(script, step, claim, what, slow->queues[queue].demand);
    else if (claim->figure == FIGURE_FAIR_SHARE)
        amount(script, step, claim, what, slow->queues[queue].share);
    else if (claim->figure == FIGURE_RESERVED)
        amount(script, step, claim, what, reserved(script, -1, queue, &count));
    else if (claim->figure == FIGURE_ACTIVE_APPS)
        whole(script, claim, what, slow_running(slow, queue));
}

static const char *state_of(const struct fair_script *script, int app)
{
    switch (script->states[app]) {
    case SCRIPT_REJECTED:
        return "rejected";
    case SCRIPT_FINISHED:
        return "finished";
    case SCRIPT_KILLED:
        return "killed";
    default:
        return script->slow.apps[app].state == SLOW_RUNS ? "active" : "pending";
    }
}

static void check_app(struct fair_script *script, const struct case_step *step,
                      const struct case_claim *claim, const char *what)
{
    const struct slow *slow = &script->slow;
    int app = script_find(&script->apps, claim->name);
    int64_t count;

    if (claim->figure == FIGURE_STATE && strcmp(claim->text, state_of(script, app)) != 0)
        fair_script_differs(script, claim->line, "%s: expected %s, got %s", what, claim->text,
                state_of(script, app));
    else if (claim->figure == FIGURE_CONTAINERS)
        whole(script, claim, what, count_containers(script, app, -1));
    else if (claim->figure == FIGURE_USED)
        amount(script, step, claim, what, slow_app_used(slow, app));
    else if (claim->figure == FIGURE_PENDING && slow->apps[app].here)
        amount(script, step, claim, what, slow_app_pending(slow, app));
    else if (claim->figure == FIGURE_FAIR_SHARE && slow->apps[app].here)
        amount(script, step, claim, what, slow->apps[app].share);
    else if (claim->figure == FIGURE_RESERVED)
        amount(script, step, claim, what, reserved(script, app, -1, &count));
    else if (claim->figure == FIGURE_RESERVED_CONTAINERS) {
        reserved(script, app, -1, &count);
        whole(script, claim, what, count);
    } else if (claim->figure == FIGURE_ON)
        for (size_t i = 0; i < claim->counts.count; i++) {
            int node = script_find(&script->nodes, claim->counts.items[i].name);

            if (count_containers(script, app, node) != claim->counts.items[i].count)
                fair_script_differs(script, claim->line, "%s %s: expected %" PRId64 ", got %" PRId64, what,
                        claim->counts.items[i].name, claim->counts.items[i].count,
                        count_containers(script, app, node));
        }
}

static void check_node(struct fair_script *script, const struct case_step *step,
                       const struct case_claim *claim, const char *what)
{
    int n = script_find(&script->nodes, claim->name);
    const struct slow_node *node = &script->slow.nodes[n < 0 ? 0 : n];
    struct resource left;
    const char *by;

    if (n < 0 || !node->here) {
        fair_script_differs(script, claim->line, "%s: there is no such node", what);
        return;
    }
    left = slow_node_free(&script->slow, n);
    by = node->reserved ? script->apps.name[node->reserved_app] : "null";
    if (claim->figure == FIGURE_USED)
        amount(script, step, claim, what, resource_subtract(node->total, left));
    else if (claim->figure == FIGURE_AVAILABLE)
        amount(script, step, claim, what, left);
    else if (claim->figure == FIGURE_CONTAINERS)
        whole(script, claim, what, count_containers(script, -1, n));
    else if (claim->figure == FIGURE_RESERVED_BY &&
             strcmp(claim->text ? claim->text : "null", by) != 0)
        fair_script_differs(script, claim->line, "%s: expected %s, got %s", what,
                claim->text ? claim->text : "null", by);
}

void fair_script_expect(struct fair_script *script, const struct case_step *step)
{
    for (size_t i = 0; i < step->claim_count; i++) {
        const struct case_claim *claim = &step->claims[i];
        char what[256];

        snprintf(what, sizeof(what), "%s %s", claim->name ? claim->name : "cluster",
                 case_figure_name(claim->figure));
        if (claim->subject == SUBJECT_QUEUE)
            check_queue(script, step, claim, what);
        else if (claim->subject == SUBJECT_APP)
            check_app(script, step, claim, what);
        else if (claim->subject == SUBJECT_NODE)
            check_node(script, step, claim, what);
    }
}
