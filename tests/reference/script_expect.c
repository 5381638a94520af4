/* SPDX-License-Identifier: Apache-2.0 */
/* script_expect.c - what a case expects, against the figures of the reference */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/reference/script.h"

static void whole(struct script *script, const struct case_claim *claim, const char *what,
                  int64_t got)
{
    if (claim->whole != got)
        script_differs(script, claim->line, "%s: expected %" PRId64 ", got %" PRId64, what,
                       claim->whole, got);
}

static void fraction(struct script *script, const struct case_claim *claim, const char *what,
                     double got)
{
    if (fabs(claim->real - got) > 1e-4 * fmax(fabs(claim->real), fabs(got)))
        script_differs(script, claim->line, "%s: expected %.7g, got %.7g", what, claim->real, got);
}

static void text(struct script *script, const struct case_claim *claim, const char *what,
                 const char *got)
{
    const char *wanted = claim->text ? claim->text : "null";

    if (strcmp(wanted, got) != 0)
        script_differs(script, claim->line, "%s: expected %s, got %s", what, wanted, got);
}

static void amount(struct script *script, const struct case_step *step,
                   const struct case_claim *claim, const char *what, struct resource got)
{
    for (int t = 0; t < script->test->type_count; t++) {
        int64_t apart = claim->resource.amount.value[t] - got.value[t];

        if ((claim->resource.given & 1u << t) != 0 &&
            (apart > step->tolerance || apart < -step->tolerance))
            script_differs(script, claim->line, "%s: %s: expected %" PRId64 ", got %" PRId64, what,
                           script->test->types[t], claim->resource.amount.value[t], got.value[t]);
    }
}

static int64_t count_containers(const struct script *script, int app, int node, int queue)
{
    const struct reference *ref = &script->ref;
    int64_t count = 0;

    for (int c = 0; c < REF_CONTAINERS; c++)
        count += ref->containers[c].here && (app < 0 || ref->containers[c].app == app) &&
                 (node < 0 || ref->containers[c].node == node) &&
                 (queue < 0 || ref_below(ref, ref->apps[ref->containers[c].app].queue, queue));
    return count;
}

static int64_t count_reserved(const struct script *script, int app)
{
    int64_t count = 0;

    for (int n = 0; n < REF_NODES; n++)
        count += script->ref.nodes[n].here && script->ref.nodes[n].reserved &&
                 script->ref.nodes[n].reserved_app == app;
    return count;
}

/* --- queues ------------------------------------------------------------------- */

static float absolute_used(const struct reference *ref, int queue)
{
    struct resource total = ref_total(ref);

    return resource_is_zero(&total)
               ? 0 : ref_divide(ref, total, ref_queue_used(ref, queue, -1), total);
}

/* The pending requests of waiting apps, too, as YARN shows them? The cases leave them out. */
static struct resource pending_of_active(const struct reference *ref, int queue, int app)
{
    struct resource sum = resource_of(0, 0);

    for (int a = 0; a < REF_APPS; a++)
        for (int k = 0; k < REF_KEYS; k++)
            if (ref->apps[a].here && ref->apps[a].active && (app < 0 || a == app) &&
                ref_below(ref, ref->apps[a].queue, queue))
                sum = resource_add(sum, ref_multiply(ref->apps[a].keys[k].size,
                                                     ref->apps[a].keys[k].any.count));
    return sum;
}

static void check_queue(struct script *script, const struct case_step *step,
                        const struct case_claim *claim, const char *what)
{
    const struct reference *ref = &script->ref;
    int queue = script_queue(script, claim->name), order[REF_APPS];
    const struct ref_queue *figures = &ref->queues[queue < 0 ? 0 : queue];

    if (claim->figure == FIGURE_EXISTS && claim->truth != (queue >= 0))
        script_differs(script, claim->line, "%s: expected otherwise", what);
    if (claim->figure == FIGURE_EXISTS)
        return;
    if (queue < 0) {
        script_differs(script, claim->line, "%s: there is no such queue", what);
        return;
    }
    switch (claim->figure) {
    case FIGURE_USED:
        amount(script, step, claim, what, ref_queue_used(ref, queue, -1));
        return;
    case FIGURE_PENDING:
        amount(script, step, claim, what, pending_of_active(ref, queue, -1));
        return;
    case FIGURE_RESERVED:
        amount(script, step, claim, what, ref_queue_reserved(ref, queue));
        return;
    case FIGURE_MIN_SHARE:
        amount(script, step, claim, what, figures->guarantee);
        return;
    case FIGURE_MAX_SHARE:
        amount(script, step, claim, what, figures->most);
        return;
    case FIGURE_ABSOLUTE_CAPACITY:
        fraction(script, claim, what, (double)figures->absolute);
        return;
    case FIGURE_ABSOLUTE_MAX_CAPACITY:
        fraction(script, claim, what, (double)figures->absolute_maximum);
        return;
    case FIGURE_ABSOLUTE_USED:
        fraction(script, claim, what, (double)absolute_used(ref, queue));
        return;
    case FIGURE_USED_CAPACITY:
        fraction(script, claim, what, (double)ref_used_capacity(ref, queue));
        return;
    case FIGURE_MAX_APPS:
        whole(script, claim, what, ref_max_apps(ref, queue));
        return;
    case FIGURE_MAX_APPS_PER_USER:
        whole(script, claim, what, ref_max_apps_per_user(ref, queue));
        return;
    case FIGURE_AM_LIMIT:
        amount(script, step, claim, what, ref_am_limit(ref, queue));
        return;
    case FIGURE_AM_USED:
        amount(script, step, claim, what, ref_am_used(ref, queue, -1));
        return;
    case FIGURE_USER_LIMIT:
        amount(script, step, claim, what, ref_user_limit(ref, queue, -1));
        return;
    case FIGURE_ACTIVE_APPS:
        whole(script, claim, what, ref_order_apps(ref, queue, true, order));
        return;
    case FIGURE_PENDING_APPS:
        whole(script, claim, what, ref_order_apps(ref, queue, false, order));
        return;
    case FIGURE_RUNNING_CONTAINERS:
        whole(script, claim, what, count_containers(script, -1, -1, queue));
        return;
    default:
        return;                         /* states and orders are no figures of the model */
    }
}

/* --- apps and the rest ---------------------------------------------------------- */

static const char *state_of(const struct script *script, int app)
{
    switch (script->states[app]) {
    case SCRIPT_REJECTED:
        return "rejected";
    case SCRIPT_FINISHED:
        return "finished";
    case SCRIPT_KILLED:
        return "killed";
    default:
        return script->ref.apps[app].active ? "active" : "pending";
    }
}

static bool has_master(const struct reference *ref, int app)
{
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (ref->containers[c].here && ref->containers[c].app == app && ref->containers[c].master)
            return true;
    return false;
}

static void check_on(struct script *script, const struct case_claim *claim, const char *what,
                     int app)
{
    for (size_t i = 0; i < claim->counts.count; i++) {
        const struct case_count *wanted = &claim->counts.items[i];
        int64_t got = count_containers(script, app, script_find(&script->nodes, wanted->name), -1);

        if (got != wanted->count)
            script_differs(script, claim->line, "%s %s: expected %" PRId64 ", got %" PRId64, what,
                           wanted->name, wanted->count, got);
    }
}

static void check_app(struct script *script, const struct case_step *step,
                      const struct case_claim *claim, const char *what)
{
    const struct reference *ref = &script->ref;
    int app = script_find(&script->apps, claim->name);

    if (app < 0) {
        script_differs(script, claim->line, "%s: there is no such app", what);
        return;
    }
    switch (claim->figure) {
    case FIGURE_STATE:
        text(script, claim, what, state_of(script, app));
        return;
    case FIGURE_QUEUE:
        if (script_queue(script, claim->text) != ref->apps[app].queue)
            text(script, claim, what, ref->config.queues[ref->apps[app].queue].path);
        return;
    case FIGURE_CONTAINERS:
        whole(script, claim, what, count_containers(script, app, -1, -1));
        return;
    case FIGURE_USED:
        amount(script, step, claim, what, ref_app_used(ref, app));
        return;
    case FIGURE_PENDING:
        amount(script, step, claim, what, pending_of_active(ref, 0, app));
        return;
    case FIGURE_RESERVED:
        amount(script, step, claim, what, ref_app_reserved(ref, app));
        return;
    case FIGURE_RESERVED_CONTAINERS:
        whole(script, claim, what, count_reserved(script, app));
        return;
    case FIGURE_HEADROOM:
        amount(script, step, claim, what, ref_headroom(ref, app));
        return;
    case FIGURE_ON:
        check_on(script, claim, what, app);
        return;
    case FIGURE_AM_RUNNING:
        if (claim->truth != has_master(ref, app))
            script_differs(script, claim->line, "%s: expected otherwise", what);
        return;
    default:
        return;
    }
}

static void check_node(struct script *script, const struct case_step *step,
                       const struct case_claim *claim, const char *what)
{
    const struct reference *ref = &script->ref;
    int n = script_find(&script->nodes, claim->name);
    const struct ref_node *node = &ref->nodes[n < 0 ? 0 : n];
    struct resource used = resource_of(0, 0);

    if (n < 0 || !node->here) {
        script_differs(script, claim->line, "%s: there is no such node", what);
        return;
    }
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (ref->containers[c].here && ref->containers[c].node == n)
            used = resource_add(used, ref->containers[c].size);
    if (claim->figure == FIGURE_USED)
        amount(script, step, claim, what, used);
    else if (claim->figure == FIGURE_AVAILABLE)
        amount(script, step, claim, what, resource_subtract(node->total, used));
    else if (claim->figure == FIGURE_CONTAINERS)
        whole(script, claim, what, count_containers(script, -1, n, -1));
    else if (claim->figure == FIGURE_RESERVED_BY)
        text(script, claim, what, node->reserved ? script->apps.name[node->reserved_app] : "null");
}

static void check_user(struct script *script, const struct case_step *step,
                       const struct case_claim *claim, const char *what)
{
    const struct reference *ref = &script->ref;
    int user = script_find(&script->users, claim->name), queue = script_queue(script, claim->queue);
    int64_t active = 0, waiting = 0;

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].user == user && ref->apps[a].queue == queue) {
            active += ref->apps[a].active;
            waiting += !ref->apps[a].active;
        }
    if (claim->figure == FIGURE_USED)
        amount(script, step, claim, what, ref_queue_used(ref, queue, user));
    else
        whole(script, claim, what, claim->figure == FIGURE_ACTIVE_APPS ? active : waiting);
}

static void check_cluster(struct script *script, const struct case_step *step,
                          const struct case_claim *claim, const char *what)
{
    const struct reference *ref = &script->ref;
    struct resource used = resource_subtract(ref_queue_used(ref, 0, -1), ref_queue_reserved(ref, 0));

    if (claim->figure == FIGURE_RESOURCE)
        amount(script, step, claim, what, ref_total(ref));
    else if (claim->figure == FIGURE_USED)
        amount(script, step, claim, what, used);
}

void script_expect(struct script *script, const struct case_step *step)
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
        else if (claim->subject == SUBJECT_USER)
            check_user(script, step, claim, what);
        else if (claim->subject == SUBJECT_CLUSTER)
            check_cluster(script, step, claim, what);
    }
}
