/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - runs the steps of a conformance case on the reference capacity scheduler */
#include "tests/reference/script.h"

#include <string.h>

int script_queue(const struct script *script, const char *name)
{
    const struct ref_config *config = &script->ref.config;

    for (int q = 0; q < config->queue_count; q++) {
        const char *last = strrchr(config->queues[q].path, '.');

        if (strcmp(config->queues[q].path, name) == 0 ||
            (last != NULL && strcmp(last + 1, name) == 0 && config->queues[q].leaf))
            return q;
    }
    return -1;
}

/* --- can the case run on the reference? --------------------------------------------- */

/* Returns the number of the label that a step or request names. */
static int label_of(const struct script *script, const char *label)
{
    return label == NULL ? REF_NO_NAME : script_find(&script->labels, label);
}

static bool has_labels(const struct script *script, const struct case_step *step)
{
    for (size_t i = 0; i < step->request_count; i++)
        if (step->requests[i].label && script_find(&script->labels, step->requests[i].label) < 0)
            return false;
    return step->label == NULL || script_find(&script->labels, step->label) >= 0;
}

static const char *unfit_step(struct script *script, const struct case_step *step)
{
    if (step->op == OP_DRAIN_NODE || step->op == OP_RESUME_NODE || step->op == OP_PREEMPT ||
        step->op == OP_RESIZE)
        return case_op_name(step->op);
    if (step->op == OP_SUBMIT && step->queue == NULL)
        return "placement rules";
    return script_add_names(&script->common, step) ? NULL : "more than the arrays of the model take";
}

static bool is_for_it(struct script *script, char why[128])
{
    const struct case_script *source = &script->common.test->script;
    const char *unfit = NULL;

    if (script->common.test->kind != CASE_SCHEDULER || strcmp(source->scheduler, "capacity") != 0)
        unfit = "another kind";
    else if (source->load_refused)
        unfit = "refused configurations";
    for (size_t i = 0; i < source->step_count && !unfit; i++)
        unfit = unfit_step(script, &source->steps[i]);
    if (unfit)
        snprintf(why, 128, "%s", unfit);
    return unfit == NULL;
}

/* --- containers --------------------------------------------------------------------- */

static int newest(const struct script_common *common, int app, int node)
{
    const struct script *script = (const struct script *)common;
    int found = -1;

    for (int c = 0; c < REF_CONTAINERS; c++) {
        const struct ref_container *container = &script->ref.containers[c];

        if (container->here && container->app == app && (node < 0 || container->node == node) &&
            (found < 0 || container->order > script->ref.containers[found].order))
            found = c;
    }
    return found;
}

static void end_container(struct script_common *common, int container)
{
    ref_container_end(&((struct script *)common)->ref, container);
}

/* --- nodes ----------------------------------------------------------------------------- */

static bool add_node(struct script *script, const struct case_step *step)
{
    int node = script_find(&script->common.nodes, step->node);
    int rack = script_find(&script->common.racks, step->rack ? step->rack : "/default-rack");

    ref_node_add(&script->ref, node, rack, step->label ? label_of(script, step->label) : 0,
                 step->resource.amount);
    return true;
}

static bool remove_node(struct script *script, int node)
{
    if (script->ref.nodes[node].reserved)
        ref_unreserve(&script->ref, node);
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (script->ref.containers[c].here && script->ref.containers[c].node == node)
            ref_container_end(&script->ref, c);
    ref_node_remove(&script->ref, node);
    return true;
}

static void offer(struct script_common *common, int node)
{
    struct script *script = (struct script *)common;

    if (script->ref.nodes[node].here)
        ref_heartbeat(&script->ref, node);
    script->ref.decision_count = 0;
}

/* --- apps ------------------------------------------------------------------------------- */

static bool submit(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->common.apps, step->app), queue = script_queue(script, step->queue);
    struct ref_app_spec spec = { .user = script_find(&script->common.users, step->user),
                                 .queue = queue,
                                 .priority = (int32_t)step->priority,
                                 .label = label_of(script, step->label),
                                 .master = step->am_given ? &step->am.amount : NULL };
    bool taken = queue >= 0 && script->ref.config.queues[queue].leaf && ref_app_add(&script->ref, app, &spec);

    script->common.states[app] = taken ? SCRIPT_THERE : SCRIPT_REJECTED;
    return taken;
}

static struct ref_row *row_of(const struct script *script, struct ref_key *key, const char *where)
{
    if (strcmp(where, "*") == 0)
        return &key->any;
    return *where == '/' ? &key->rack[script_find(&script->common.racks, where)]
                         : &key->node[script_find(&script->common.nodes, where)];
}

/* Applies all requests of a call or none: if one request is too large, the whole call is refused. */
static bool ask(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->common.apps, step->app);
    struct ref_key keys[REF_KEYS] = { { .missed = 0 } };
    bool given[REF_KEYS] = { false };
    struct resource largest = ref_largest(&script->ref);

    for (int k = 0; k < REF_KEYS; k++)
        keys[k].label = REF_NO_NAME;
    if (app < 0 || !script->ref.apps[app].here)
        return false;
    for (size_t i = 0; i < step->request_count; i++) {
        const struct case_request *request = &step->requests[i];
        int k = script_key(&script->common, request->priority);

        if (!resource_fits(&request->resource.amount, &largest))
            return false;
        given[k] = true;
        keys[k].size = request->resource.amount;
        if (strcmp(request->where, "*") == 0)
            keys[k].label = label_of(script, request->label);
        *row_of(script, &keys[k], request->where) =
            (struct ref_row){ .given = true, .strict = !request->relax, .count = (uint32_t)request->count };
    }
    for (int k = 0; k < REF_KEYS; k++)
        if (given[k])
            ref_ask(&script->ref, app, k, &keys[k]);
    return true;
}

static void avoid(struct script_common *common, int app, int node, bool avoids)
{
    ref_blacklist(&((struct script *)common)->ref, app, node, avoids);
}

static bool has_app(const struct script_common *common, int app)
{
    return ((const struct script *)common)->ref.apps[app].here;
}

static void remove_app(struct script_common *common, int app)
{
    ref_app_remove(&((struct script *)common)->ref, app);
}

static bool move(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->common.apps, step->app), queue = script_queue(script, step->queue);

    return app >= 0 && queue >= 0 && script->ref.config.queues[queue].leaf &&
           ref_app_move(&script->ref, app, queue);
}

/* --- configuration ------------------------------------------------------------------------ */

static bool same_queues(const struct ref_config *a, const struct ref_config *b)
{
    if (a->queue_count != b->queue_count)
        return false;
    for (int q = 0; q < a->queue_count; q++)
        if (strcmp(a->queues[q].path, b->queues[q].path) != 0)
            return false;
    return true;
}

/* Returns true if the reference can apply all refreshes. It does not check whether configurations are
 * valid. */
static bool can_refresh(struct script *script, char why[128])
{
    for (size_t i = 0; i < script->common.test->script.step_count; i++) {
        const struct case_step *step = &script->common.test->script.steps[i];
        struct ref_config config;

        if (step->op != OP_REFRESH)
            continue;
        snprintf(why, 128, "refused configurations");
        if (step->refused || script_configure(script, &step->capacity, &config, why) < 0)
            return false;
        if (!same_queues(&config, &script->ref.config)) {
            snprintf(why, 128, "queues come or go");
            return false;
        }
    }
    return true;
}

static bool refresh(struct script *script, const struct case_step *step)
{
    struct ref_config config;
    char why[128];

    script_configure(script, &step->capacity, &config, why);
    ref_refresh(&script->ref, &config);
    return true;
}

/* --- steps ---------------------------------------------------------------------------------- */

static bool run(struct script_common *common, const struct case_step *step)
{
    struct script *script = (struct script *)common;
    int queue = step->queue ? script_queue(script, step->queue) : -1;

    script->ref.decision_count = 0;
    switch (step->op) {
    case OP_ADD_NODE:
        return add_node(script, step);
    case OP_REMOVE_NODE:
        return remove_node(script, script_find(&script->common.nodes, step->node));
    case OP_UPDATE_NODE:
        ref_node_update(&script->ref, script_find(&script->common.nodes, step->node), step->resource.amount);
        return true;
    case OP_SET_LABEL:
        ref_node_set_label(&script->ref, script_find(&script->common.nodes, step->node),
                           label_of(script, step->label));
        return true;
    case OP_SUBMIT:
        return submit(script, step);
    case OP_ASK:
        return ask(script, step);
    case OP_MOVE:
        return move(script, step);
    case OP_SET_PRIORITY:
        ref_app_set_priority(&script->ref, script_find(&script->common.apps, step->app),
                             (int32_t)step->priority);
        return true;
    case OP_REFRESH:
        return refresh(script, step);
    case OP_STOP_QUEUE:
    case OP_START_QUEUE:
        script->ref.config.queues[queue].stopped = step->op == OP_STOP_QUEUE;
        return true;
    default:
        return true; /* the clock, and updates of the fair scheduler: no effect */
    }
}

enum script_result script_run(const struct test_case *test, FILE *report, char why[128])
{
    static const struct script_model model = {
        .nodes = REF_NODES,
        .racks = REF_RACKS,
        .apps = REF_APPS,
        .users = REF_USERS,
        .keys = REF_KEYS,
        .run = run,
        .check = script_check,
        .offer = offer,
        .avoid = avoid,
        .newest = newest,
        .count = script_count,
        .end_container = end_container,
        .has_app = has_app,
        .remove_app = remove_app,
    };
    static struct script script;
    struct ref_config config;

    script = (struct script){ .common = { .test = test, .model = &model, .report = report, .key_count = 1 } };
    snprintf(why, 128, "its settings");
    if (!is_for_it(&script, why) || script_configure(&script, &test->script.capacity, &config, why) < 0)
        return SCRIPT_NOT_FOR_IT;
    ref_init(&script.ref, &config);
    if (!can_refresh(&script, why))
        return SCRIPT_NOT_FOR_IT;
    snprintf(why, 128, "labels");
    for (size_t i = 0; i < test->script.step_count; i++)
        if (!has_labels(&script, &test->script.steps[i]))
            return SCRIPT_NOT_FOR_IT;
    script_steps(&script.common);
    return script.common.failures == 0 ? SCRIPT_PASSED : SCRIPT_FAILED;
}
