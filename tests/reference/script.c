/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - the steps of a case, one after the other, on the reference */
#include "tests/reference/script.h"

#include <stdarg.h>
#include <string.h>

/* --- names ---------------------------------------------------------------------- */

int script_find(const struct script_names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    return -1;
}

int script_index(struct script_names *names, const char *name, int most)
{
    int index = script_find(names, name);

    if (index >= 0)
        return index;
    if (names->count == most || strlen(name) >= SCRIPT_NAME)
        return -1;
    memcpy(names->name[names->count], name, strlen(name) + 1);
    return names->count++;
}

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

void script_differs(struct script *script, int line, const char *format, ...)
{
    va_list args;

    script->failures++;
    fprintf(script->report, "  line %d: ", line);
    va_start(args, format);
    vfprintf(script->report, format, args);
    va_end(args);
    fputc('\n', script->report);
}

/* --- is it for the model? --------------------------------------------------------- */

static int key_of(const struct script *script, int64_t priority)
{
    for (int k = 0; k < script->key_count; k++)
        if (script->priorities[k] == priority)
            return k;
    return -1;
}

/* Keys are in order of priority, as apps are served. */
static bool add_priority(struct script *script, int64_t priority)
{
    int at = script->key_count;

    if (key_of(script, priority) >= 0)
        return true;
    if (script->key_count == REF_KEYS || priority < 0)
        return false;
    for (; at > 0 && script->priorities[at - 1] > priority; at--)
        script->priorities[at] = script->priorities[at - 1];
    script->priorities[at] = priority;
    script->key_count++;
    return true;
}

static bool add_location(struct script *script, const char *name)
{
    if (strcmp(name, "*") == 0)
        return true;
    if (*name == '/')
        return script_index(&script->racks, name, REF_RACKS) >= 0;
    return script_index(&script->nodes, name, REF_NODES) >= 0;
}

static const char *unfit_step(struct script *script, const struct case_step *step)
{
    switch (step->op) {
    case OP_DRAIN_NODE:
    case OP_RESUME_NODE:
    case OP_PREEMPT:
        return case_op_name(step->op);
    case OP_ADD_NODE:
        return step->label || !add_location(script, step->node) ||
                       !add_location(script, step->rack ? step->rack : "/default-rack")
                   ? "nodes" : NULL;
    case OP_SUBMIT:
        if (step->label || step->queue == NULL)
            return "labels or placement rules";
        return script_index(&script->apps, step->app, REF_APPS) < 0 ||
                       script_index(&script->users, step->user, REF_USERS) < 0
                   ? "apps or users" : NULL;
    case OP_ASK:
        for (size_t i = 0; i < step->request_count; i++)
            if (step->requests[i].label || !add_location(script, step->requests[i].where) ||
                !add_priority(script, step->requests[i].priority))
                return "locations, priorities or labels";
        return NULL;
    default:
        return NULL;
    }
}

static bool is_for_it(struct script *script, char why[128])
{
    const struct case_script *source = &script->test->script;
    const char *unfit = NULL;

    if (script->test->kind != CASE_SCHEDULER || strcmp(source->scheduler, "capacity") != 0)
        unfit = "another kind";
    else if (source->load_refused)
        unfit = "refused configurations";
    else if (script->test->type_count > 2)
        unfit = "further types";
    add_priority(script, 0);
    for (size_t i = 0; i < source->step_count && !unfit; i++)
        unfit = unfit_step(script, &source->steps[i]);
    if (unfit)
        snprintf(why, 128, "%s", unfit);
    return unfit == NULL;
}

/* --- containers --------------------------------------------------------------------- */

/* The newest container of APP, on NODE unless that is -1. */
static int newest(const struct script *script, int app, int node)
{
    int found = -1;

    for (int c = 0; c < REF_CONTAINERS; c++) {
        const struct ref_container *container = &script->ref.containers[c];

        if (container->here && container->app == app && (node < 0 || container->node == node) &&
            (found < 0 || container->order > script->ref.containers[found].order))
            found = c;
    }
    return found;
}

static bool end_containers(struct script *script, const struct case_step *step)
{
    int node = step->node ? script_find(&script->nodes, step->node) : -1;

    for (int64_t i = 0; i < step->count; i++) {
        int container = newest(script, script_find(&script->apps, step->app), node);

        if (container < 0)
            return false;
        ref_container_end(&script->ref, container);
    }
    return true;
}

static bool end_app(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app), container;

    if (app < 0 || !script->ref.apps[app].here)
        return false;
    while ((container = newest(script, app, -1)) >= 0)
        ref_container_end(&script->ref, container);
    ref_app_remove(&script->ref, app);
    script->states[app] = step->op == OP_FINISH ? SCRIPT_FINISHED : SCRIPT_KILLED;
    return true;
}

/* --- nodes ----------------------------------------------------------------------------- */

static bool add_node(struct script *script, const struct case_step *step)
{
    int node = script_find(&script->nodes, step->node);
    int rack = script_find(&script->racks, step->rack ? step->rack : "/default-rack");

    ref_node_add(&script->ref, node, rack, step->resource.amount);
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

static void offer(struct script *script, const char *name)
{
    for (int n = 0; n < script->nodes.count; n++)
        if (script->ref.nodes[n].here &&
            (strcmp(name, "*") == 0 || strcmp(script->nodes.name[n], name) == 0)) {
            ref_heartbeat(&script->ref, n);
            script->ref.decision_count = 0;
        }
}

static bool heartbeat(struct script *script, const struct case_step *step)
{
    for (int64_t i = 0; i < step->times; i++) {
        if (step->node != NULL)
            offer(script, step->node);
        for (size_t n = 0; n < step->nodes.count; n++)
            offer(script, step->nodes.items[n]);
    }
    return true;
}

/* --- apps ------------------------------------------------------------------------------- */

static bool submit(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app), queue = script_queue(script, step->queue);
    bool taken = queue >= 0 && script->ref.config.queues[queue].leaf &&
                 ref_app_add(&script->ref, app, script_find(&script->users, step->user), queue,
                             (int32_t)step->priority, step->am_given ? &step->am.amount : NULL);

    script->states[app] = taken ? SCRIPT_THERE : SCRIPT_REJECTED;
    return taken;
}

static struct ref_row *row_of(const struct script *script, struct ref_key *key, const char *where)
{
    if (strcmp(where, "*") == 0)
        return &key->any;
    return *where == '/' ? &key->rack[script_find(&script->racks, where)]
                         : &key->node[script_find(&script->nodes, where)];
}

/* All or nothing: a call with one request that is too large is refused as a whole. */
static bool ask(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app);
    struct ref_key keys[REF_KEYS] = { { .missed = 0 } };
    bool given[REF_KEYS] = { false };
    struct resource largest = ref_largest(&script->ref);

    if (app < 0 || !script->ref.apps[app].here)
        return false;
    for (size_t i = 0; i < step->request_count; i++) {
        const struct case_request *request = &step->requests[i];
        int k = key_of(script, request->priority);

        if (!resource_fits(&request->resource.amount, &largest))
            return false;
        given[k] = true;
        keys[k].size = request->resource.amount;
        *row_of(script, &keys[k], request->where) =
            (struct ref_row){ .given = true, .strict = !request->relax,
                              .count = (uint32_t)request->count };
    }
    for (int k = 0; k < REF_KEYS; k++)
        if (given[k])
            ref_ask(&script->ref, app, k, &keys[k]);
    return true;
}

static bool blacklist(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app);

    for (int i = 0; i < 2; i++) {
        const struct case_texts *names = i == 0 ? &step->add : &step->remove;

        for (size_t n = 0; n < names->count; n++)
            if (script_find(&script->nodes, names->items[n]) >= 0)
                ref_blacklist(&script->ref, app, script_find(&script->nodes, names->items[n]),
                              i == 0);
    }
    return true;
}

static bool move(struct script *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app), queue = script_queue(script, step->queue);

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

/* Can the model follow all refreshes? Whether a configuration is good it does not judge. */
static bool can_refresh(struct script *script, char why[128])
{
    for (size_t i = 0; i < script->test->script.step_count; i++) {
        const struct case_step *step = &script->test->script.steps[i];
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

static bool run(struct script *script, const struct case_step *step)
{
    int queue = step->queue ? script_queue(script, step->queue) : -1;

    switch (step->op) {
    case OP_ADD_NODE:
        return add_node(script, step);
    case OP_REMOVE_NODE:
        return remove_node(script, script_find(&script->nodes, step->node));
    case OP_UPDATE_NODE:
        ref_node_update(&script->ref, script_find(&script->nodes, step->node),
                        step->resource.amount);
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
        return move(script, step);
    case OP_SET_PRIORITY:
        ref_app_set_priority(&script->ref, script_find(&script->apps, step->app),
                             (int32_t)step->priority);
        return true;
    case OP_REFRESH:
        return refresh(script, step);
    case OP_STOP_QUEUE:
    case OP_START_QUEUE:
        script->ref.config.queues[queue].stopped = step->op == OP_STOP_QUEUE;
        return true;
    default:
        return true;                    /* the clock, and updates of the fair scheduler */
    }
}

enum script_result script_run(const struct test_case *test, FILE *report, char why[128])
{
    static struct script script;
    struct ref_config config;

    script = (struct script){ .test = test, .report = report };
    snprintf(why, 128, "its settings");
    if (!is_for_it(&script, why) ||
        script_configure(&script, &test->script.capacity, &config, why) < 0)
        return SCRIPT_NOT_FOR_IT;
    ref_init(&script.ref, &config);
    if (!can_refresh(&script, why))
        return SCRIPT_NOT_FOR_IT;
    for (size_t i = 0; i < test->script.step_count; i++) {
        const struct case_step *step = &test->script.steps[i];

        script.ref.decision_count = 0;
        if (step->op == OP_EXPECT)
            script_expect(&script, step);
        else if (run(&script, step) == step->refused)
            script_differs(&script, step->line, "%s: expected %s", case_op_name(step->op),
                           step->refused ? "a refusal, got none" : "no refusal, got one");
    }
    return script.failures == 0 ? SCRIPT_PASSED : SCRIPT_FAILED;
}
