/* SPDX-License-Identifier: Apache-2.0 */
/* script_expect.c - compares the expectations of a case with the figures of the reference capacity
 * scheduler */
#include <math.h>
#include <string.h>

#include "tests/reference/script.h"

static void fraction(struct script *script, const struct case_claim *claim, const char *what, double got)
{
    if (fabs(claim->real - got) > 1e-4 * fmax(fabs(claim->real), fabs(got)))
        script_differs(&script->common, claim->line, "%s: expected %.7g, got %.7g", what, claim->real, got);
}

int64_t script_count(const struct script_common *common, int app, int node)
{
    const struct reference *ref = &((const struct script *)common)->ref;
    int64_t count = 0;

    for (int c = 0; c < REF_CONTAINERS; c++)
        count += ref->containers[c].here && (app < 0 || ref->containers[c].app == app) &&
                 (node < 0 || ref->containers[c].node == node);
    return count;
}

static int64_t count_below(const struct script *script, int queue)
{
    const struct reference *ref = &script->ref;
    int64_t count = 0;

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref_below(ref, ref->apps[a].queue, queue))
            count += script_count(&script->common, a, -1);
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

/* Returns the pending requests of active applications. YARN shows the requests of waiting applications, too,
 * but the cases do not include them. */
static struct resource pending_of_active(const struct reference *ref, int queue, int app, int label)
{
    struct resource sum = resource_of(0, 0);

    for (int a = 0; a < REF_APPS; a++)
        for (int k = 0; k < REF_KEYS; k++)
            if (ref->apps[a].here && ref->apps[a].active && (app < 0 || a == app) &&
                (label < 0 || ref->apps[a].keys[k].label == label) &&
                ref_below(ref, ref->apps[a].queue, queue))
                sum = resource_add(sum,
                                   ref_multiply(ref->apps[a].keys[k].size, ref->apps[a].keys[k].any.count));
    return sum;
}

/* Compares a figure of a queue in the partition of a label. */
static void check_label(struct script *script, const struct case_step *step, const struct case_claim *claim,
                        int queue, const char *what)
{
    const struct reference *ref = &script->ref;
    int label = script_find(&script->labels, claim->label);
    const struct ref_part *part = &ref->queues[queue].part[label < 0 ? 0 : label];

    if (label <= 0)
        script_differs(&script->common, claim->line, "%s: there is no such label", what);
    else if (claim->figure == FIGURE_ACCESSIBLE && claim->truth != ref_may_name(ref, queue, label))
        script_differs(&script->common, claim->line, "%s: expected otherwise", what);
    else if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, ref_queue_used(ref, queue, label, -1));
    else if (claim->figure == FIGURE_RESERVED)
        script_amount(&script->common, step, claim, what, ref_queue_reserved(ref, queue, label));
    else if (claim->figure == FIGURE_PENDING)
        script_amount(&script->common, step, claim, what, pending_of_active(ref, queue, -1, label));
    else if (claim->figure == FIGURE_MIN_SHARE)
        script_amount(&script->common, step, claim, what, part->guarantee);
    else if (claim->figure == FIGURE_MAX_SHARE)
        script_amount(&script->common, step, claim, what, part->most);
    else if (claim->figure == FIGURE_CAPACITY)
        fraction(script, claim, what, (double)part->capacity);
    else if (claim->figure == FIGURE_ABSOLUTE_CAPACITY)
        fraction(script, claim, what, (double)part->absolute);
    else if (claim->figure == FIGURE_ABSOLUTE_MAX_CAPACITY)
        fraction(script, claim, what, (double)part->absolute_maximum);
    else if (claim->figure == FIGURE_ABSOLUTE_USED)
        fraction(script, claim, what, (double)ref_absolute_used(ref, queue, label));
    else if (claim->figure == FIGURE_USED_CAPACITY)
        fraction(script, claim, what, (double)ref_used_capacity(ref, queue, label));
    else if (claim->figure == FIGURE_AM_LIMIT)
        script_amount(&script->common, step, claim, what, ref_am_limit(ref, queue, label));
    else if (claim->figure == FIGURE_AM_USED)
        script_amount(&script->common, step, claim, what, ref_am_used(ref, queue, label, -1));
}

static void check_queue(struct script *script, const struct case_step *step, const struct case_claim *claim,
                        const char *what)
{
    const struct reference *ref = &script->ref;
    int queue = script_queue(script, claim->name), order[REF_APPS];
    const struct ref_part *figures = &ref->queues[queue < 0 ? 0 : queue].part[0];

    if (claim->figure == FIGURE_EXISTS && claim->truth != (queue >= 0))
        script_differs(&script->common, claim->line, "%s: expected otherwise", what);
    if (claim->figure == FIGURE_EXISTS)
        return;
    if (queue < 0) {
        script_differs(&script->common, claim->line, "%s: there is no such queue", what);
        return;
    }
    if (claim->label != NULL) {
        check_label(script, step, claim, queue, what);
        return;
    }
    switch (claim->figure) {
    case FIGURE_USED:
        script_amount(&script->common, step, claim, what, ref_queue_used(ref, queue, 0, -1));
        return;
    case FIGURE_PENDING:
        script_amount(&script->common, step, claim, what, pending_of_active(ref, queue, -1, 0));
        return;
    case FIGURE_RESERVED:
        script_amount(&script->common, step, claim, what, ref_queue_reserved(ref, queue, 0));
        return;
    case FIGURE_MIN_SHARE:
        script_amount(&script->common, step, claim, what, figures->guarantee);
        return;
    case FIGURE_MAX_SHARE:
        script_amount(&script->common, step, claim, what, figures->most);
        return;
    case FIGURE_ABSOLUTE_CAPACITY:
        fraction(script, claim, what, (double)figures->absolute);
        return;
    case FIGURE_ABSOLUTE_MAX_CAPACITY:
        fraction(script, claim, what, (double)figures->absolute_maximum);
        return;
    case FIGURE_ABSOLUTE_USED:
        fraction(script, claim, what, (double)ref_absolute_used(ref, queue, 0));
        return;
    case FIGURE_USED_CAPACITY:
        fraction(script, claim, what, (double)ref_used_capacity(ref, queue, 0));
        return;
    case FIGURE_MAX_APPS:
        script_whole(&script->common, claim, what, ref_max_apps(ref, queue));
        return;
    case FIGURE_MAX_APPS_PER_USER:
        script_whole(&script->common, claim, what, ref_max_apps_per_user(ref, queue));
        return;
    case FIGURE_AM_LIMIT:
        script_amount(&script->common, step, claim, what, ref_am_limit(ref, queue, 0));
        return;
    case FIGURE_AM_USED:
        script_amount(&script->common, step, claim, what, ref_am_used(ref, queue, 0, -1));
        return;
    case FIGURE_USER_LIMIT:
        script_amount(&script->common, step, claim, what, ref_user_limit(ref, queue, 0, -1, false));
        return;
    case FIGURE_ACTIVE_APPS:
        script_whole(&script->common, claim, what, ref_order_apps(ref, queue, true, order));
        return;
    case FIGURE_PENDING_APPS:
        script_whole(&script->common, claim, what, ref_order_apps(ref, queue, false, order));
        return;
    case FIGURE_RUNNING_CONTAINERS:
        script_whole(&script->common, claim, what, count_below(script, queue));
        return;
    default:
        return; /* the reference has no states and orders as figures */
    }
}

/* --- apps and the rest ---------------------------------------------------------- */

static bool has_master(const struct reference *ref, int app)
{
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (ref->containers[c].here && ref->containers[c].app == app && ref->containers[c].master)
            return true;
    return false;
}

static void check_app_label(struct script *script, const struct case_step *step,
                            const struct case_claim *claim, int app, const char *what)
{
    const struct reference *ref = &script->ref;
    int label = script_find(&script->labels, claim->label);

    if (label <= 0)
        script_differs(&script->common, claim->line, "%s: there is no such label", what);
    else if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, ref_app_used(ref, app, label));
    else if (claim->figure == FIGURE_RESERVED)
        script_amount(&script->common, step, claim, what, ref_app_reserved(ref, app, label));
    else if (claim->figure == FIGURE_PENDING)
        script_amount(&script->common, step, claim, what, pending_of_active(ref, 0, app, label));
}

static void check_app(struct script *script, const struct case_step *step, const struct case_claim *claim,
                      const char *what)
{
    const struct reference *ref = &script->ref;
    int app = script_find(&script->common.apps, claim->name);

    if (app < 0) {
        script_differs(&script->common, claim->line, "%s: there is no such app", what);
        return;
    }
    if (claim->label != NULL) {
        check_app_label(script, step, claim, app, what);
        return;
    }
    switch (claim->figure) {
    case FIGURE_STATE:
        script_state(&script->common, claim, what, app, ref->apps[app].active);
        return;
    case FIGURE_QUEUE:
        if (script_queue(script, claim->text) != ref->apps[app].queue)
            script_text(&script->common, claim, what, ref->config.queues[ref->apps[app].queue].path);
        return;
    case FIGURE_CONTAINERS:
        script_whole(&script->common, claim, what, script_count(&script->common, app, -1));
        return;
    case FIGURE_USED:
        script_amount(&script->common, step, claim, what, ref_app_used(ref, app, -1));
        return;
    case FIGURE_PENDING:
        script_amount(&script->common, step, claim, what, pending_of_active(ref, 0, app, -1));
        return;
    case FIGURE_RESERVED:
        script_amount(&script->common, step, claim, what, ref_app_reserved(ref, app, -1));
        return;
    case FIGURE_RESERVED_CONTAINERS:
        script_whole(&script->common, claim, what, count_reserved(script, app));
        return;
    case FIGURE_HEADROOM:
        script_amount(&script->common, step, claim, what, ref_headroom(ref, app));
        return;
    case FIGURE_ON:
        script_on(&script->common, claim, what, app);
        return;
    case FIGURE_AM_RUNNING:
        if (claim->truth != has_master(ref, app))
            script_differs(&script->common, claim->line, "%s: expected otherwise", what);
        return;
    default:
        return;
    }
}

static void check_node(struct script *script, const struct case_step *step, const struct case_claim *claim,
                       const char *what)
{
    const struct reference *ref = &script->ref;
    int n = script_find(&script->common.nodes, claim->name);
    const struct ref_node *node = &ref->nodes[n < 0 ? 0 : n];
    struct resource used = resource_of(0, 0);

    if (n < 0 || !node->here) {
        script_differs(&script->common, claim->line, "%s: there is no such node", what);
        return;
    }
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (ref->containers[c].here && ref->containers[c].node == n)
            used = resource_add(used, ref->containers[c].size);
    if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, used);
    else if (claim->figure == FIGURE_AVAILABLE)
        script_amount(&script->common, step, claim, what, resource_subtract(node->total, used));
    else if (claim->figure == FIGURE_CONTAINERS)
        script_whole(&script->common, claim, what, script_count(&script->common, -1, n));
    else if (claim->figure == FIGURE_RESERVED_BY)
        script_reserved_by(&script->common, claim, what, node->reserved ? node->reserved_app : -1);
}

static void check_user(struct script *script, const struct case_step *step, const struct case_claim *claim,
                       const char *what)
{
    const struct reference *ref = &script->ref;
    int user = script_find(&script->common.users, claim->name), queue = script_queue(script, claim->queue);
    int64_t active = 0, waiting = 0;

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].user == user && ref->apps[a].queue == queue) {
            active += ref->apps[a].active;
            waiting += !ref->apps[a].active;
        }
    if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, ref_queue_used(ref, queue, 0, user));
    else
        script_whole(&script->common, claim, what, claim->figure == FIGURE_ACTIVE_APPS ? active : waiting);
}

static void check_cluster(struct script *script, const struct case_step *step, const struct case_claim *claim,
                          const char *what)
{
    const struct reference *ref = &script->ref;
    struct resource used = resource_subtract(ref_queue_used(ref, 0, -1, -1), ref_queue_reserved(ref, 0, -1));

    if (claim->figure == FIGURE_RESOURCE)
        script_amount(&script->common, step, claim, what, ref_total(ref));
    else if (claim->figure == FIGURE_USED)
        script_amount(&script->common, step, claim, what, used);
}

void script_check(struct script_common *common, const struct case_step *step, const struct case_claim *claim,
                  const char *what)
{
    struct script *script = (struct script *)common;

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
