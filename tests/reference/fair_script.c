/* SPDX-License-Identifier: Apache-2.0 */
/* fair_script.c - runs conformance cases of the fair scheduler on the reference fair scheduler (see
 * script.h) */
#include <stdio.h>
#include <string.h>

#include "rm/sched/fair/config.h"
#include "tests/reference/fair_script.h"

int fair_script_queue(const struct fair_script *script, const char *name)
{
    for (int q = 0; q < script->slow.config.queue_count; q++)
        if (strcmp(script->paths[q], name) == 0 || strcmp(script->paths[q] + 5, name) == 0)
            return q;
    return -1;
}

/* --- settings ----------------------------------------------------------------------- */

static bool copy_queue(struct fair_script *script, struct slow_config *config,
                       const struct fair_settings *settings)
{
    struct slow_queue_config *queue = &config->queues[config->queue_count];
    const char *last = strrchr(settings->path, '.');

    if (config->queue_count == SLOW_QUEUES || strlen(settings->path) >= SCRIPT_NAME ||
        settings->maximum->relative)
        return false;
    *queue = (struct slow_queue_config){
        .parent = -1,
        .leaf = settings->leaf,
        .policy = settings->policy,
        .weight = settings->weight,
        .am_share = settings->max_am_share,
        .threshold = settings->fair_share_threshold,
        .minimum = fair_settings_minimum(settings),
        .maximum = settings->maximum->value,
        .max_running = settings->max_running_apps,
        .minimum_timeout_ms = settings->min_share_timeout_ms,
        .fair_timeout_ms = settings->fair_share_timeout_ms,
        .preemptable = settings->allow_preemption_from,
    };
    if (settings->container_maximum->value[0] != FAIR_UNBOUNDED)
        queue->container = *settings->container_maximum;
    snprintf(queue->name, sizeof(queue->name), "%.31s", last ? last + 1 : settings->path);
    for (int q = 0; settings->parent && q < config->queue_count; q++)
        if (strcmp(script->paths[q], settings->parent->path) == 0)
            queue->parent = q;
    memcpy(script->paths[config->queue_count++], settings->path, strlen(settings->path) + 1);
    return true;
}

/* Adds the queue PATH that a submission creates, and missing parents. */
static bool make_queue(struct fair_script *script, struct slow_config *config,
                       const struct fair_allocations *allocations, const char *path, bool leaf)
{
    const struct fair_settings *parent, *known = fair_allocations_find(allocations, path);
    struct fair_settings *settings;
    char above[SCRIPT_NAME];
    bool taken;

    for (int q = 0; q < config->queue_count; q++)
        if (strcmp(script->paths[q], path) == 0)
            return config->queues[q].leaf == leaf;
    if (known || strrchr(path, '.') == NULL || strlen(path) >= SCRIPT_NAME)
        return false;
    snprintf(above, sizeof(above), "%.*s", (int)(strrchr(path, '.') - path), path);
    parent = fair_allocations_find(allocations, above);
    if (parent == NULL)
        return false; /* two levels at once are not supported */
    settings = fair_settings_new(allocations, parent, path, leaf);
    taken = copy_queue(script, config, settings);
    fair_settings_free(settings);
    return taken;
}

static bool copy_queues(struct fair_script *script, struct slow_config *config,
                        const struct fair_allocations *allocations)
{
    const struct case_script *source = &script->common.test->script;
    const struct fair_settings *settings;
    char path[256];

    STAILQ_FOREACH(settings, &allocations->queues, link)
        if (!copy_queue(script, config, settings))
            return false;
    for (size_t i = 0; i < source->step_count; i++) {
        const struct case_step *step = &source->steps[i];

        if ((step->op != OP_SUBMIT && step->op != OP_MOVE) || step->refused)
            continue;
        snprintf(path, sizeof(path), "%s%.200s", strncmp(step->queue, "root.", 5) == 0 ? "" : "root.",
                 step->queue);
        if (!make_queue(script, config, allocations, path, true))
            return false;
    }
    return true;
}

static void copy_site(struct fair_script *script, struct slow_config *config, const struct fair_config *site)
{
    config->minimum = site->minimum;
    config->maximum = site->maximum;
    config->increment = site->increment;
    config->reservation_multiple = site->reservation_multiple;
    config->reservable_nodes = site->reservable_nodes;
    config->multiple = site->assign_multiple;
    config->dynamic_max = site->dynamic_max_assign;
    config->max_assign = site->max_assign;
    config->size_based = site->size_based_weight;
    config->locality_node = site->locality_node;
    config->locality_rack = site->locality_rack;
    config->preemption = site->preemption;
    config->am_preemption = site->am_preemption;
    config->threshold = site->preemption_threshold;
    config->wait_kill_ms = site->wait_before_kill_ms;
    config->wait_check_ms = site->wait_before_check_ms;
    config->heartbeat_ms = site->heartbeat_ms;
    for (int u = 0; u < script->common.users.count; u++)
        config->user_max[u] = fair_allocations_user_max_apps(site->allocations, script->common.users.name[u]);
}

/* Returns false if the case cannot run on the reference. */
static bool configure(struct fair_script *script, const char *text, struct slow_config *config)
{
    const struct case_properties *site = &script->common.test->script.site;
    struct conf *conf = conf_new_defaults();
    struct fair_config *loaded = NULL;
    struct err err;
    bool good = text == NULL || strstr(text, "queuePlacementPolicy") == NULL;

    *config = (struct slow_config){ .types = 2 };
    for (size_t i = 0; good && i < site->count; i++)
        good = conf_set(conf, site->items[i].name, site->items[i].value, &err) == 0;
    good = good && fair_config_load(conf, "fair-scheduler.xml", text, text ? strlen(text) : 0, NULL, NULL,
                                    &loaded, &err) == 0;
    if (good) {
        copy_site(script, config, loaded);
        good = !loaded->continuous && loaded->am_rule_count == 0 &&
               copy_queues(script, config, loaded->allocations);
    }
    fair_config_free(loaded);
    conf_free(conf);
    return good;
}

/* --- can the case run on the reference? ------------------------------------------------- */

static bool fits_step(struct fair_script *script, const struct case_step *step)
{
    if (step->op == OP_DRAIN_NODE || step->op == OP_RESUME_NODE || step->op == OP_PREEMPT ||
        step->op == OP_RESIZE || step->op == OP_REFRESH)
        return false;
    if (step->op == OP_SUBMIT && (step->queue == NULL || strcmp(step->queue, "default") == 0))
        return false;
    return script_add_names(&script->common, step);
}

static bool is_for_it(struct fair_script *script)
{
    const struct case_script *source = &script->common.test->script;
    bool fits = script->common.test->kind == CASE_SCHEDULER && strcmp(source->scheduler, "fair") == 0 &&
                !source->load_refused && script->common.test->type_count <= 2 && source->step_count > 0;

    for (size_t i = 0; i < source->step_count && fits; i++)
        fits = fits_step(script, &source->steps[i]);
    return fits;
}

/* --- steps ------------------------------------------------------------------------------ */

static int newest(const struct script_common *common, int app, int node)
{
    const struct slow *slow = &((const struct fair_script *)common)->slow;
    int found = -1;

    for (int c = 0; c < slow->container_top; c++) {
        const struct slow_container *container = &slow->containers[c];

        if (container->here && container->app == app && (node < 0 || container->node == node) &&
            (found < 0 || container->order > slow->containers[found].order))
            found = c;
    }
    return found;
}

static void end_container(struct script_common *common, int container)
{
    slow_container_end(&((struct fair_script *)common)->slow, container);
}

static bool has_app(const struct script_common *common, int app)
{
    return ((const struct fair_script *)common)->slow.apps[app].here;
}

static void remove_app(struct script_common *common, int app)
{
    slow_app_remove(&((struct fair_script *)common)->slow, app);
}

static void avoid(struct script_common *common, int app, int node, bool avoids)
{
    ((struct fair_script *)common)->slow.apps[app].avoids[node] = avoids;
}

static void offer(struct script_common *common, int node)
{
    struct slow *slow = &((struct fair_script *)common)->slow;

    if (slow->nodes[node].here)
        slow_heartbeat(slow, node);
    slow->decision_count = 0;
}

static bool remove_node(struct fair_script *script, int node)
{
    for (int c = script->slow.container_top; c-- > 0;)
        if (script->slow.containers[c].here && script->slow.containers[c].node == node)
            slow_container_end(&script->slow, c);
    slow_node_remove(&script->slow, node);
    return true;
}

static bool submit(struct fair_script *script, const struct case_step *step)
{
    int app = script_find(&script->common.apps, step->app), queue = fair_script_queue(script, step->queue);
    bool taken = queue >= 0 && script->slow.config.queues[queue].leaf &&
                 slow_app_add(&script->slow, app, script_find(&script->common.users, step->user), queue,
                              (int32_t)step->priority, step->am_given ? &step->am.amount : NULL);

    script->common.states[app] = taken ? SCRIPT_THERE : SCRIPT_REJECTED;
    return taken;
}

static bool ask(struct fair_script *script, const struct case_step *step)
{
    int app = script_find(&script->common.apps, step->app);
    struct slow_key keys[SLOW_KEYS] = { { .any = { .given = false } } };
    bool given[SLOW_KEYS] = { false }, taken = app >= 0 && script->slow.apps[app].here;

    for (size_t i = 0; taken && i < step->request_count; i++) {
        const struct case_request *request = &step->requests[i];
        int k = script_key(&script->common, request->priority);
        struct slow_row *row = &keys[k].any;

        if (*request->where == '/')
            row = &keys[k].rack[script_find(&script->common.racks, request->where)];
        else if (strcmp(request->where, "*") != 0)
            row = &keys[k].node[script_find(&script->common.nodes, request->where)];
        *row =
            (struct slow_row){ .given = true, .strict = !request->relax, .count = (uint32_t)request->count };
        given[k] = true;
        keys[k].size = request->resource.amount;
    }
    for (int k = 0; k < SLOW_KEYS && taken; k++)
        taken = !given[k] || slow_ask(&script->slow, app, k, &keys[k]);
    return taken;
}

static bool advance(struct fair_script *script, const struct case_step *step)
{
    script->slow.now_ms += step->ms;
    slow_kill_due(&script->slow);
    for (int d = 0; d < script->slow.decision_count; d++)
        if (script->slow.decisions[d].kind == SCHED_KILL)
            slow_container_end(&script->slow, script->slow.decisions[d].container);
    return true;
}

static bool run(struct script_common *common, const struct case_step *step)
{
    struct fair_script *script = (struct fair_script *)common;
    int node = step->node ? script_find(&script->common.nodes, step->node) : -1, app, queue;

    script->slow.decision_count = 0;
    switch (step->op) {
    case OP_ADD_NODE:
        slow_node_add(&script->slow, node,
                      script_find(&script->common.racks, step->rack ? step->rack : "/default-rack"),
                      step->resource.amount);
        return true;
    case OP_REMOVE_NODE:
        return remove_node(script, node);
    case OP_UPDATE_NODE:
        script->slow.nodes[node].total = step->resource.amount;
        return true;
    case OP_SUBMIT:
        return submit(script, step);
    case OP_ASK:
        return ask(script, step);
    case OP_MOVE:
        app = script_find(&script->common.apps, step->app);
        queue = fair_script_queue(script, step->queue);
        return app >= 0 && queue >= 0 && script->slow.config.queues[queue].leaf &&
               slow_app_move(&script->slow, app, queue);
    case OP_ADVANCE:
        return advance(script, step);
    case OP_UPDATE:
        slow_update(&script->slow);
        return true;
    default:
        return true;
    }
}

enum script_result script_run_fair(const struct test_case *test, FILE *report)
{
    static const struct script_model model = {
        .nodes = SLOW_NODES,
        .racks = SLOW_RACKS,
        .apps = SLOW_APPS,
        .users = SLOW_USERS,
        .keys = SLOW_KEYS,
        .run = run,
        .check = fair_script_check,
        .offer = offer,
        .avoid = avoid,
        .newest = newest,
        .count = fair_script_count,
        .end_container = end_container,
        .has_app = has_app,
        .remove_app = remove_app,
    };
    static struct fair_script script;
    struct slow_config config;

    script = (struct fair_script){
        .common = { .test = test, .model = &model, .report = report, .first_key = 1, .key_count = 1 }
    };
    if (!is_for_it(&script) || !configure(&script, test->script.fair, &config))
        return SCRIPT_NOT_FOR_IT;
    slow_init(&script.slow, &config);
    script_steps(&script.common);
    return script.common.failures == 0 ? SCRIPT_PASSED : SCRIPT_FAILED;
}
