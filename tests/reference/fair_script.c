/* SPDX-License-Identifier: Apache-2.0 */
/* fair_script.c - conformance cases of the fair scheduler on the slow fair scheduler (see script.h) */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rm/sched/fair/config.h"
#include "tests/reference/fair_script.h"

void fair_script_differs(struct fair_script *script, int line, const char *format, ...)
{
    va_list args;

    script->failures++;
    fprintf(script->report, "  line %d: ", line);
    va_start(args, format);
    vfprintf(script->report, format, args);
    va_end(args);
    fputc('\n', script->report);
}

int fair_script_queue(const struct fair_script *script, const char *name)
{
    for (int q = 0; q < script->slow.config.queue_count; q++)
        if (strcmp(script->paths[q], name) == 0 || strcmp(script->paths[q] + 5, name) == 0)
            return q;
    return -1;
}

/* --- settings ----------------------------------------------------------------------- */

static bool take_queue(struct fair_script *script, struct slow_config *config,
                       const struct fair_settings *settings)
{
    struct slow_queue_config *queue = &config->queues[config->queue_count];
    const char *last = strrchr(settings->path, '.');

    if (config->queue_count == SLOW_QUEUES || strlen(settings->path) >= SCRIPT_NAME ||
        settings->maximum->relative)
        return false;
    *queue = (struct slow_queue_config){
        .parent = -1, .leaf = settings->leaf, .policy = settings->policy,
        .weight = settings->weight, .am_share = settings->max_am_share,
        .threshold = settings->fair_share_threshold,
        .minimum = fair_settings_minimum(settings), .maximum = settings->maximum->value,
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

/* The queue that a submission to PATH makes, and those above it. */
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
        return false;                   /* two levels at once are too much for this */
    settings = fair_settings_new(allocations, parent, path, leaf);
    taken = take_queue(script, config, settings);
    fair_settings_free(settings);
    return taken;
}

static bool take_queues(struct fair_script *script, struct slow_config *config,
                        const struct fair_allocations *allocations)
{
    const struct case_script *source = &script->test->script;
    const struct fair_settings *settings;
    char path[256];

    STAILQ_FOREACH(settings, &allocations->queues, link)
        if (!take_queue(script, config, settings))
            return false;
    for (size_t i = 0; i < source->step_count; i++) {
        const struct case_step *step = &source->steps[i];

        if ((step->op != OP_SUBMIT && step->op != OP_MOVE) || step->refused)
            continue;
        snprintf(path, sizeof(path), "%s%.200s",
                 strncmp(step->queue, "root.", 5) == 0 ? "" : "root.", step->queue);
        if (!make_queue(script, config, allocations, path, true))
            return false;
    }
    return true;
}

static void take_site(struct fair_script *script, struct slow_config *config,
                      const struct fair_config *site)
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
    for (int u = 0; u < script->users.count; u++)
        config->user_max[u] = fair_allocations_user_max_apps(site->allocations,
                                                             script->users.name[u]);
}

/* False: not for the model. */
static bool configure(struct fair_script *script, const char *text, struct slow_config *config)
{
    const struct case_properties *site = &script->test->script.site;
    struct conf *conf = conf_new_defaults();
    struct fair_config *loaded = NULL;
    struct err err;
    bool good = text == NULL || strstr(text, "queuePlacementPolicy") == NULL;

    *config = (struct slow_config){ .types = 2 };
    for (size_t i = 0; good && i < site->count; i++)
        good = conf_set(conf, site->items[i].name, site->items[i].value, &err) == 0;
    good = good && fair_config_load(conf, "fair-scheduler.xml", text, text ? strlen(text) : 0, NULL,
                                    NULL, &loaded, &err) == 0;
    if (good) {
        take_site(script, config, loaded);
        good = !loaded->continuous && loaded->am_rule_count == 0 &&
               take_queues(script, config, loaded->allocations);
    }
    fair_config_free(loaded);
    conf_free(conf);
    return good;
}

/* --- is it for the model? -------------------------------------------------------------- */

static int key_of(const struct fair_script *script, int64_t priority)
{
    for (int k = 1; k < script->key_count; k++)
        if (script->priorities[k] == priority)
            return k;
    return -1;
}

static bool add_priority(struct fair_script *script, int64_t priority)
{
    int at = script->key_count;

    if (key_of(script, priority) >= 0)
        return true;
    if (at == SLOW_KEYS)
        return false;
    for (; at > 1 && script->priorities[at - 1] > priority; at--)
        script->priorities[at] = script->priorities[at - 1];
    script->priorities[at] = priority;
    script->key_count++;
    return true;
}

static bool add_location(struct fair_script *script, const char *name)
{
    if (strcmp(name, "*") == 0)
        return true;
    if (*name == '/')
        return script_index(&script->racks, name, SLOW_RACKS) >= 0;
    return script_index(&script->nodes, name, SLOW_NODES) >= 0;
}

static bool fits_step(struct fair_script *script, const struct case_step *step)
{
    switch (step->op) {
    case OP_DRAIN_NODE:
    case OP_RESUME_NODE:
    case OP_PREEMPT:
    case OP_REFRESH:
        return false;
    case OP_ADD_NODE:
        return add_location(script, step->node) &&
               add_location(script, step->rack ? step->rack : "/default-rack");
    case OP_SUBMIT:
        return step->queue != NULL && strcmp(step->queue, "default") != 0 &&
               script_index(&script->apps, step->app, SLOW_APPS) >= 0 &&
               script_index(&script->users, step->user, SLOW_USERS) >= 0;
    case OP_ASK:
        for (size_t i = 0; i < step->request_count; i++)
            if (!add_location(script, step->requests[i].where) ||
                !add_priority(script, step->requests[i].priority))
                return false;
        return true;
    default:
        return true;
    }
}

static bool is_for_it(struct fair_script *script)
{
    const struct case_script *source = &script->test->script;
    bool fits = script->test->kind == CASE_SCHEDULER && strcmp(source->scheduler, "fair") == 0 &&
                !source->load_refused && script->test->type_count <= 2 && source->step_count > 0;

    script->key_count = 1;
    for (size_t i = 0; i < source->step_count && fits; i++)
        fits = fits_step(script, &source->steps[i]);
    return fits;
}

/* --- steps ------------------------------------------------------------------------------ */

static int newest(const struct fair_script *script, int app, int node)
{
    int found = -1;

    for (int c = 0; c < script->slow.container_top; c++) {
        const struct slow_container *container = &script->slow.containers[c];

        if (container->here && container->app == app && (node < 0 || container->node == node) &&
            (found < 0 || container->order > script->slow.containers[found].order))
            found = c;
    }
    return found;
}

static bool end_containers(struct fair_script *script, const struct case_step *step)
{
    int node = step->node ? script_find(&script->nodes, step->node) : -1;

    for (int64_t i = 0; i < step->count; i++) {
        int container = newest(script, script_find(&script->apps, step->app), node);

        if (container < 0)
            return false;
        slow_container_end(&script->slow, container);
    }
    return true;
}

static bool end_app(struct fair_script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app), container;

    if (app < 0 || !script->slow.apps[app].here)
        return false;
    while ((container = newest(script, app, -1)) >= 0)
        slow_container_end(&script->slow, container);
    slow_app_remove(&script->slow, app);
    script->states[app] = step->op == OP_FINISH ? SCRIPT_FINISHED : SCRIPT_KILLED;
    return true;
}

static bool remove_node(struct fair_script *script, int node)
{
    for (int c = script->slow.container_top; c-- > 0;)
        if (script->slow.containers[c].here && script->slow.containers[c].node == node)
            slow_container_end(&script->slow, c);
    slow_node_remove(&script->slow, node);
    return true;
}

static void offer(struct fair_script *script, const char *name)
{
    for (int n = 0; n < script->nodes.count; n++)
        if (script->slow.nodes[n].here &&
            (strcmp(name, "*") == 0 || strcmp(script->nodes.name[n], name) == 0)) {
            slow_heartbeat(&script->slow, n);
            script->slow.decision_count = 0;
        }
}

static bool heartbeat(struct fair_script *script, const struct case_step *step)
{
    for (int64_t i = 0; i < step->times; i++) {
        if (step->node != NULL)
            offer(script, step->node);
        for (size_t n = 0; n < step->nodes.count; n++)
            offer(script, step->nodes.items[n]);
    }
    return true;
}

static bool submit(struct fair_script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app), queue = fair_script_queue(script, step->queue);
    bool taken = queue >= 0 && script->slow.config.queues[queue].leaf &&
                 slow_app_add(&script->slow, app, script_find(&script->users, step->user), queue,
                              (int32_t)step->priority, step->am_given ? &step->am.amount : NULL);

    script->states[app] = taken ? SCRIPT_THERE : SCRIPT_REJECTED;
    return taken;
}

static bool ask(struct fair_script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app);
    struct slow_key keys[SLOW_KEYS] = { { .any = { .given = false } } };
    bool given[SLOW_KEYS] = { false }, taken = app >= 0 && script->slow.apps[app].here;

    for (size_t i = 0; taken && i < step->request_count; i++) {
        const struct case_request *request = &step->requests[i];
        int k = key_of(script, request->priority);
        struct slow_row *row = &keys[k].any;

        if (*request->where == '/')
            row = &keys[k].rack[script_find(&script->racks, request->where)];
        else if (strcmp(request->where, "*") != 0)
            row = &keys[k].node[script_find(&script->nodes, request->where)];
        *row = (struct slow_row){ .given = true, .strict = !request->relax,
                                  .count = (uint32_t)request->count };
        given[k] = true;
        keys[k].size = request->resource.amount;
    }
    for (int k = 0; k < SLOW_KEYS && taken; k++)
        taken = !given[k] || slow_ask(&script->slow, app, k, &keys[k]);
    return taken;
}

static bool blacklist(struct fair_script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app);

    for (int i = 0; i < 2; i++) {
        const struct case_texts *names = i == 0 ? &step->add : &step->remove;

        for (size_t n = 0; n < names->count; n++)
            if (script_find(&script->nodes, names->items[n]) >= 0)
                script->slow.apps[app].avoids[script_find(&script->nodes, names->items[n])] = i == 0;
    }
    return true;
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

static bool run(struct fair_script *script, const struct case_step *step)
{
    int node = step->node ? script_find(&script->nodes, step->node) : -1, app, queue;

    switch (step->op) {
    case OP_ADD_NODE:
        slow_node_add(&script->slow, node,
                      script_find(&script->racks, step->rack ? step->rack : "/default-rack"),
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
    case OP_RELEASE:
    case OP_COMPLETE:
        return end_containers(script, step);
    case OP_BLACKLIST:
        return blacklist(script, step);
    case OP_HEARTBEAT:
        return heartbeat(script, step);
    case OP_FINISH:
    case OP_KILL_APP:
        return end_app(script, step);
    case OP_MOVE:
        app = script_find(&script->apps, step->app);
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
    static struct fair_script script;
    struct slow_config config;

    script = (struct fair_script){ .test = test, .report = report };
    if (!is_for_it(&script) || !configure(&script, test->script.fair, &config))
        return SCRIPT_NOT_FOR_IT;
    slow_init(&script.slow, &config);
    for (size_t i = 0; i < test->script.step_count; i++) {
        const struct case_step *step = &test->script.steps[i];

        script.slow.decision_count = 0;
        if (step->op == OP_EXPECT)
            fair_script_expect(&script, step);
        else if (run(&script, step) == step->refused)
            fair_script_differs(&script, step->line, "%s: expected %s", case_op_name(step->op),
                    step->refused ? "a refusal, got none" : "no refusal, got one");
    }
    return script.failures == 0 ? SCRIPT_PASSED : SCRIPT_FAILED;
}
