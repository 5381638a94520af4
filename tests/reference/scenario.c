/* SPDX-License-Identifier: Apache-2.0 */
/* scenario.c - creates random trees of queues with all their settings, and random events */
#include <stdio.h>
#include <string.h>

#include "common/base/rng.h"
#include "tests/reference/scenario.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ONE_OF(rng, array) ((array)[rng_below(rng, COUNT(array))])

/* --- configurations -------------------------------------------------------- */

static int add_queue(struct ref_config *config, int parent, const char *name)
{
    struct ref_queue_config *queue = &config->queues[config->queue_count];
    char above[sizeof(queue->path)] = ""; /* (a copy: the compiler sees one array in both) */

    if (parent >= 0)
        memcpy(above, config->queues[parent].path, sizeof(above));
    *queue = (struct ref_queue_config){ .parent = parent, .leaf = true };
    if (parent < 0)
        snprintf(queue->path, sizeof(queue->path), "root");
    else
        snprintf(queue->path, sizeof(queue->path), "%.40s.%s", above, name);
    if (parent >= 0)
        config->queues[parent].leaf = false;
    return config->queue_count++;
}

static void grow_tree(struct rng *rng, struct ref_config *config)
{
    int children = (int)rng_between(rng, 1, 4);
    char name[16];

    add_queue(config, -1, "");
    for (int i = 0; i < children; i++) {
        snprintf(name, sizeof(name), "%c", 'a' + i);
        add_queue(config, 0, name);
    }
    for (int q = 1; q < config->queue_count && config->queue_count < REF_QUEUES - 4; q++) {
        if (!rng_chance(rng, config->queues[q].parent == 0 ? 450 : 250) ||
            strlen(config->queues[q].path) > 32) /* paths of queues below must fit */
            continue;
        children = (int)rng_between(rng, 1, 3);
        for (int i = 0; i < children; i++) {
            snprintf(name, sizeof(name), "%s%d", strrchr(config->queues[q].path, '.') + 1, i + 1);
            add_queue(config, q, name);
        }
    }
}

static int children_of(const struct ref_config *config, int parent, int *children)
{
    int count = 0;

    for (int q = 1; q < config->queue_count; q++)
        if (config->queues[q].parent == parent)
            children[count++] = q;
    return count;
}

/* Returns a maximum, often only a little above the guarantee, so that requests below find too little
 * headroom. */
static float random_maximum(struct rng *rng, int64_t least)
{
    int64_t most = 100;

    if (least >= 100 || rng_chance(rng, 450))
        return 100;
    if (rng_chance(rng, 500))
        most = least + 20 < 100 ? least + 20 : 100;
    return (float)rng_between(rng, least, most);
}

/* Gives the children whole percents that sum up to 100; a leaf may get 0. */
static void share_percent(struct rng *rng, struct ref_config *config, const int *children, int count)
{
    int64_t left = 100;

    for (int i = 0; i < count; i++) {
        struct ref_queue_config *queue = &config->queues[children[i]];
        int64_t part = left;

        if (i < count - 1)
            part = queue->leaf && rng_chance(rng, 100) ? 0 : rng_between(rng, 1, left - count + i);
        queue->mode = REF_PERCENT;
        queue->capacity = (float)part;
        queue->maximum = random_maximum(rng, part < 5 ? 5 : part);
        left -= part;
    }
}

static void share_weights(struct rng *rng, struct ref_config *config, const int *children, int count)
{
    float sum = 0;

    for (int i = 0; i < count; i++) {
        config->queues[children[i]].mode = REF_WEIGHT;
        config->queues[children[i]].capacity = (float)rng_between(rng, 1, 8) / 2;
        sum += config->queues[children[i]].capacity;
    }
    for (int i = 0; i < count; i++) {
        struct ref_queue_config *queue = &config->queues[children[i]];
        int64_t least = (int64_t)(queue->capacity / sum * 100) + 1;

        queue->maximum = random_maximum(rng, least);
    }
}

/* Divides the parent's minimum among the children as amounts. The children of root sometimes get more than
 * the cluster will have. */
static void share_amounts(struct rng *rng, struct ref_config *config, int parent, const int *children,
                          int count)
{
    struct resource there = parent == 0 ? resource_of(rng_between(rng, 4, 60) * 1024, rng_between(rng, 4, 60))
                                        : config->queues[parent].minimum_resource;

    if (parent == 0 && config->types > 2)
        there.value[2] = rng_between(rng, 1, 24);
    for (int i = 0; i < count; i++) {
        struct ref_queue_config *queue = &config->queues[children[i]];
        struct resource most = parent == 0 ? resource_of(0, 0) : config->queues[parent].maximum_resource;

        queue->mode = REF_ABSOLUTE;
        queue->maximum = 100;
        queue->minimum_resource = resource_of(there.value[0] / count * rng_between(rng, 1, 2) / 2,
                                              there.value[1] / count * rng_between(rng, 1, 2) / 2);
        if (config->types > 2)
            queue->minimum_resource.value[2] = there.value[2] / count * rng_between(rng, 1, 2) / 2;
        queue->maximum_resource = most;
        if (resource_is_zero(&most) && rng_chance(rng, 500))
            for (int t = 0; t < config->types; t++)
                queue->maximum_resource.value[t] = queue->minimum_resource.value[t] * rng_between(rng, 1, 3);
    }
}

static void share_out(struct rng *rng, struct ref_config *config, bool absolute)
{
    config->queues[0].mode = REF_PERCENT;
    config->queues[0].capacity = config->queues[0].maximum = 100;
    for (int parent = 0; parent < config->queue_count; parent++) {
        int children[REF_QUEUES], count = children_of(config, parent, children);

        if (count == 0)
            continue;
        if (absolute)
            share_amounts(rng, config, parent, children, count);
        else if (parent % 3 == 1) /* depends only on the parent, so that no refresh changes it */
            share_weights(rng, config, children, count);
        else
            share_percent(rng, config, children, count);
    }
}

static void set_up_queue(struct rng *rng, struct ref_queue_config *queue)
{
    static const float percents[] = { 100, 100, 100, 50, 25, 33 };
    static const float factors[] = { 1, 1, 0.5f, 2, 10, 100, -1 };
    static const float masters[] = { 1, 1, 0.1f, 0.2f, 0.5f, 0.3f, 0.7f };

    queue->user_limit_percent = ONE_OF(rng, percents);
    queue->user_limit_factor = ONE_OF(rng, factors);
    queue->am_fraction = ONE_OF(rng, masters);
    for (int u = 0; u < REF_USERS; u++) {
        queue->user_weight[u] = 1;
        if (rng_chance(rng, 150))
            queue->user_weight[u] = queue->user_limit_percent <= 50 && rng_chance(rng, 500) ? 2 : 0.5f;
    }
    queue->priority = (int32_t)rng_below(rng, 3);
    queue->priority_utilization = !queue->leaf && rng_chance(rng, 350);
    queue->fair = queue->leaf && rng_chance(rng, 350);
    queue->size_based = queue->fair && rng_chance(rng, 500);
    queue->max_apps = queue->leaf && rng_chance(rng, 150) ? rng_between(rng, 2, 5) : -1;
}

static void set_up(struct rng *rng, struct ref_config *config)
{
    static const int64_t delays[] = { 40, 40, 0, 1, 3 };
    static const int64_t additional[] = { -1, -1, 0, 2 };
    static const int64_t assignments[] = { 100, 100, -1, 1, 3 };
    static const int64_t offswitch[] = { 1, 1, 2, 5 };

    config->maximum_applications = rng_chance(rng, 100) ? 12 : 10000;
    config->node_locality_delay = ONE_OF(rng, delays);
    config->rack_additional_delay = ONE_OF(rng, additional);
    config->rack_full_reset = rng_chance(rng, 700);
    config->continue_look = rng_chance(rng, 700);
    config->multiple_assignments = rng_chance(rng, 700);
    config->max_assignments = ONE_OF(rng, assignments);
    config->max_offswitch = ONE_OF(rng, offswitch);
    for (int q = 0; q < config->queue_count; q++)
        set_up_queue(rng, &config->queues[q]);
}

/* --- events ---------------------------------------------------------------- */

static enum event_kind random_kind(struct rng *rng)
{
    static const struct {
        enum event_kind kind;
        unsigned parts;
    } kinds[] = {
        { EVENT_HEARTBEAT, 38 }, { EVENT_ASK, 16 },      { EVENT_END, 12 },        { EVENT_SUBMIT, 8 },
        { EVENT_NODE_ADD, 5 },   { EVENT_REMOVE, 3 },    { EVENT_REFRESH, 3 },     { EVENT_MOVE, 2 },
        { EVENT_PRIORITY, 2 },   { EVENT_BLACKLIST, 2 }, { EVENT_NODE_UPDATE, 2 }, { EVENT_NODE_REMOVE, 1 },
        { EVENT_MARK, 3 },       { EVENT_GIVE_BACK, 3 },
    };
    uint64_t pick = rng_below(rng, 100);
    size_t i = 0;

    for (; pick >= kinds[i].parts; i++)
        pick -= kinds[i].parts;
    return kinds[i].kind;
}

void scenario_new(struct scenario *scenario, uint64_t seed, unsigned differences)
{
    struct ref_config *first = &scenario->configs[0];
    struct rng rng;
    bool absolute;

    memset(scenario, 0, sizeof(*scenario));
    rng_seed(&rng, seed);
    scenario->seed = seed;
    first->differences = differences;
    first->dominant = rng_chance(&rng, 400);
    first->minimum = resource_of(rng_chance(&rng, 700) ? 1024 : 512, 1);
    first->maximum = resource_of(8192, 8);
    first->maximum_app_priority = (int32_t)rng_between(&rng, 0, 4);
    grow_tree(&rng, first);
    absolute = rng_chance(&rng, 200);
    first->types = first->dominant && rng_chance(&rng, 500) ? 3 : 2;
    first->maximum.value[2] = first->types > 2 ? 4 : 0;
    for (int i = SCENARIO_CONFIGS - 1; i >= 0; i--) {
        scenario->configs[i] = *first;
        share_out(&rng, &scenario->configs[i], absolute);
        set_up(&rng, &scenario->configs[i]);
    }
    scenario->event_count = SCENARIO_EVENTS;
    for (int i = 0; i < scenario->event_count; i++) {
        struct event *event = &scenario->events[i];

        event->kind = i < 3 ? EVENT_NODE_ADD : i < 7 ? EVENT_SUBMIT : random_kind(&rng);
        for (int p = 0; p < EVENT_PICKS; p++)
            event->pick[p] = (uint32_t)rng_next(&rng);
    }
}

/* --- as configuration ------------------------------------------------------ */

struct writer {
    struct conf *conf;
    scenario_line_fn *each;
    void *context;
    struct err *err;
    int r;
};

static void __attribute__((format(printf, 3, 4)))
put(struct writer *writer, const char *key, const char *format, ...)
{
    char value[512];
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    if (writer->each)
        writer->each(writer->context, key, value);
    if (writer->r == 0)
        writer->r = conf_set(writer->conf, key, value, writer->err);
}

#define FAMILY "yarn.scheduler.capacity."

static const char *key_of(const struct ref_queue_config *queue, const char *name, char text[200])
{
    snprintf(text, 200, FAMILY "%s.%s", queue->path, name);
    return text;
}

/* Writes an amount of all types in use: "[memory=1024,vcores=1]". */
static void put_amount(struct writer *writer, const char *key, int types, const struct resource *amount)
{
    char further[40] = "";

    if (types > 2)
        snprintf(further, sizeof(further), ",disk=%lld", (long long)amount->value[2]);
    put(writer, key, "[memory=%lld,vcores=%lld%s]", (long long)amount->value[0], (long long)amount->value[1],
        further);
}

static void put_capacity(struct writer *writer, int types, const struct ref_queue_config *queue)
{
    char key[200];

    key_of(queue, "capacity", key);
    if (queue->mode == REF_ABSOLUTE)
        put_amount(writer, key, types, &queue->minimum_resource);
    else
        put(writer, key, queue->mode == REF_WEIGHT ? "%gw" : "%g", (double)queue->capacity);
    key_of(queue, "maximum-capacity", key);
    if (queue->mode != REF_ABSOLUTE)
        put(writer, key, "%g", (double)queue->maximum);
    else if (!resource_is_zero(&queue->maximum_resource))
        put_amount(writer, key, types, &queue->maximum_resource);
}

static void put_leaf(struct writer *writer, const struct ref_queue_config *queue)
{
    char key[200], name[64];

    put(writer, key_of(queue, "minimum-user-limit-percent", key), "%g", (double)queue->user_limit_percent);
    put(writer, key_of(queue, "user-limit-factor", key), "%g", (double)queue->user_limit_factor);
    put(writer, key_of(queue, "maximum-am-resource-percent", key), "%g", (double)queue->am_fraction);
    put(writer, key_of(queue, "ordering-policy", key), "%s", queue->fair ? "fair" : "fifo");
    if (queue->size_based)
        put(writer, key_of(queue, "ordering-policy.fair.enable-size-based-weight", key), "true");
    if (queue->max_apps >= 0)
        put(writer, key_of(queue, "maximum-applications", key), "%lld", (long long)queue->max_apps);
    for (int u = 0; u < REF_USERS; u++) {
        snprintf(name, sizeof(name), "user-settings.user%d.weight", u);
        if (queue->user_weight[u] < 1 || queue->user_weight[u] > 1)
            put(writer, key_of(queue, name, key), "%g", (double)queue->user_weight[u]);
    }
}

static void put_queue(struct writer *writer, const struct ref_config *config, int q)
{
    const struct ref_queue_config *queue = &config->queues[q];
    int children[REF_QUEUES], count = children_of(config, q, children);
    char key[200], names[300] = "";

    for (int i = 0; i < count; i++) {
        size_t length = strlen(names);

        snprintf(names + length, sizeof(names) - length, "%s%s", i > 0 ? "," : "",
                 strrchr(config->queues[children[i]].path, '.') + 1);
    }
    if (q > 0)
        put_capacity(writer, config->types, queue);
    if (q > 0 && queue->priority != 0)
        put(writer, key_of(queue, "priority", key), "%d", queue->priority);
    if (queue->leaf) {
        put_leaf(writer, queue);
        return;
    }
    put(writer, key_of(queue, "queues", key), "%s", names);
    put(writer, key_of(queue, "ordering-policy", key), "%s",
        queue->priority_utilization ? "priority-utilization" : "utilization");
}

static const char *boolean(bool value)
{
    return value ? "true" : "false";
}

int scenario_conf(const struct ref_config *config, scenario_line_fn *each, void *context, struct conf **ret,
                  struct err *err)
{
    struct writer writer = { conf_new_defaults(), each, context, err, 0 };
    struct writer *w = &writer;

    put(w, "yarn.scheduler.minimum-allocation-mb", "%lld", (long long)config->minimum.value[0]);
    put(w, "yarn.scheduler.minimum-allocation-vcores", "%lld", (long long)config->minimum.value[1]);
    put(w, "yarn.scheduler.maximum-allocation-mb", "%lld", (long long)config->maximum.value[0]);
    put(w, "yarn.scheduler.maximum-allocation-vcores", "%lld", (long long)config->maximum.value[1]);
    put(w, "yarn.cluster.max-application-priority", "%d", config->maximum_app_priority);
    if (config->types > 2) {
        put(w, "yarn.resource-types", "disk");
        put(w, "yarn.resource-types.disk.maximum-allocation", "%lld", (long long)config->maximum.value[2]);
    }
    if (config->dominant)
        put(w, FAMILY "resource-calculator",
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    put(w, FAMILY "maximum-applications", "%lld", (long long)config->maximum_applications);
    put(w, FAMILY "node-locality-delay", "%lld", (long long)config->node_locality_delay);
    put(w, FAMILY "rack-locality-additional-delay", "%lld", (long long)config->rack_additional_delay);
    put(w, FAMILY "rack-locality-full-reset", "%s", boolean(config->rack_full_reset));
    put(w, FAMILY "reservations-continue-look-all-nodes", "%s", boolean(config->continue_look));
    put(w, FAMILY "per-node-heartbeat.multiple-assignments-enabled", "%s",
        boolean(config->multiple_assignments));
    put(w, FAMILY "per-node-heartbeat.maximum-container-assignments", "%lld",
        (long long)config->max_assignments);
    put(w, FAMILY "per-node-heartbeat.maximum-offswitch-assignments", "%lld",
        (long long)config->max_offswitch);
    for (int q = 0; q < config->queue_count; q++)
        put_queue(w, config, q);
    if (writer.r == 0)
        writer.r = conf_verify(writer.conf, err);
    if (writer.r < 0) {
        conf_free(writer.conf);
        return writer.r;
    }
    *ret = writer.conf;
    return 0;
}
