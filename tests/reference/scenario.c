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
    for (int q = 1; q < config->queue_count && config->queue_count < 20; q++) {
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

int scenario_children(const struct ref_config *config, int parent, int *children)
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
static void share_percent(struct rng *rng, struct ref_config *config, const int *children, int count,
                          int label)
{
    int64_t left = 100;

    for (int i = 0; i < count; i++) {
        struct ref_queue_config *queue = &config->queues[children[i]];
        struct ref_share *share = &queue->share[label];
        int64_t part = left;

        if (i < count - 1)
            part = queue->leaf && rng_chance(rng, 100) ? 0 : rng_between(rng, 1, left - count + i);
        queue->mode = REF_PERCENT;
        share->given = true;
        share->capacity = (float)part;
        share->maximum = random_maximum(rng, part < 5 ? 5 : part);
        left -= part;
    }
}

static void share_weights(struct rng *rng, struct ref_config *config, const int *children, int count,
                          int label)
{
    float sum = 0;

    for (int i = 0; i < count; i++) {
        struct ref_share *share = &config->queues[children[i]].share[label];

        config->queues[children[i]].mode = REF_WEIGHT;
        share->given = true;
        share->capacity = (float)rng_between(rng, 1, 8) / 2;
        sum += share->capacity;
    }
    for (int i = 0; i < count; i++) {
        struct ref_share *share = &config->queues[children[i]].share[label];
        int64_t least = (int64_t)(share->capacity / sum * 100) + 1;

        share->maximum = random_maximum(rng, least);
    }
}

/* Divides the parent's minimum among the children as amounts. The children of root sometimes get more than
 * the cluster will have. */
static void share_amounts(struct rng *rng, struct ref_config *config, int parent, const int *children,
                          int count)
{
    struct resource there = parent == 0 ? resource_of(rng_between(rng, 4, 60) * 1024, rng_between(rng, 4, 60))
                                        : config->queues[parent].share[0].minimum_resource;

    if (parent == 0 && config->types > 2)
        there.value[2] = rng_between(rng, 1, 24);
    for (int i = 0; i < count; i++) {
        struct ref_share *share = &config->queues[children[i]].share[0];
        struct resource most =
            parent == 0 ? resource_of(0, 0) : config->queues[parent].share[0].maximum_resource;

        config->queues[children[i]].mode = REF_ABSOLUTE;
        share->given = true;
        share->maximum = 100;
        share->minimum_resource = resource_of(there.value[0] / count * rng_between(rng, 1, 2) / 2,
                                              there.value[1] / count * rng_between(rng, 1, 2) / 2);
        if (config->types > 2)
            share->minimum_resource.value[2] = there.value[2] / count * rng_between(rng, 1, 2) / 2;
        share->maximum_resource = most;
        if (resource_is_zero(&most) && rng_chance(rng, 500))
            for (int t = 0; t < config->types; t++)
                share->maximum_resource.value[t] = share->minimum_resource.value[t] * rng_between(rng, 1, 3);
    }
}

static void share_children(struct rng *rng, struct ref_config *config, int parent, const int *children,
                           int count, int label)
{
    if (parent % 3 == 1 || config->creates) /* depends only on these, so that no refresh changes it */
        share_weights(rng, config, children, count, label);
    else
        share_percent(rng, config, children, count, label);
}

static void share_out(struct rng *rng, struct ref_config *config, bool absolute)
{
    config->queues[0].mode = REF_PERCENT;
    config->queues[0].share[0] = (struct ref_share){ .given = true, .capacity = 100, .maximum = 100 };
    for (int parent = 0; parent < config->queue_count; parent++) {
        int children[REF_QUEUES], count = scenario_children(config, parent, children);

        if (count == 0)
            continue;
        if (absolute)
            share_amounts(rng, config, parent, children, count);
        else if (config->by_type)
            scenario_share_by_type(rng, config, children, count);
        else
            share_children(rng, config, parent, children, count, 0);
    }
}

/* Removes from CHILDREN some queues whose requests may not name LABEL; a leaf that is removed although they
 * may gets no share. At least one queue remains. Returns the number of queues. */
static int choose_for_label(struct rng *rng, struct ref_config *config, int *children, int count, int label)
{
    int kept = 0;

    for (int i = 0; i < count; i++) {
        struct ref_queue_config *queue = &config->queues[children[i]];
        bool last = i == count - 1 && kept == 0;

        if (!last && rng_chance(rng, 250))
            continue;
        queue->labels |= 1u << label;
        if (last || !queue->leaf || !rng_chance(rng, 120))
            children[kept++] = children[i];
    }
    return kept;
}

/* Shares the partitions of labels; each queue may name some of its parent's labels. */
static void share_labels(struct rng *rng, struct ref_config *config)
{
    for (int l = 1; l < config->labels; l++) {
        config->queues[0].labels |= 1u << l;
        config->queues[0].share[l] = (struct ref_share){ .given = true, .capacity = 100, .maximum = 100 };
        for (int parent = 0; parent < config->queue_count; parent++) {
            int children[REF_QUEUES], count = scenario_children(config, parent, children);

            if (count == 0 || (config->queues[parent].labels & 1u << l) == 0)
                continue;
            count = choose_for_label(rng, config, children, count, l);
            if (count > 0)
                share_children(rng, config, parent, children, count, l);
        }
    }
}

static void set_up_queue(struct rng *rng, struct ref_queue_config *queue)
{
    static const float percents[] = { 100, 100, 100, 50, 25, 33 };
    static const float factors[] = { 1, 1, 0.5f, 2, 10, 100, -1 };
    static const float masters[] = { 1, 1, 0.1f, 0.2f, 0.5f, 0.3f, 0.7f };

    queue->user_limit_percent = ONE_OF(rng, percents);
    queue->user_limit_factor = ONE_OF(rng, factors);
    queue->share[0].am_fraction = ONE_OF(rng, masters);
    queue->max_parallel = INT64_MAX;
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

static void set_up_labels(struct rng *rng, const struct ref_config *config, struct ref_queue_config *queue)
{
    int label = (int)rng_between(rng, 1, config->labels - 1);

    for (int l = 1; l < config->labels; l++)
        queue->share[l].am_fraction = rng_chance(rng, 300) ? 0.5f : queue->share[0].am_fraction;
    if (queue->leaf && (queue->labels & 1u << label) && rng_chance(rng, 150))
        queue->default_label = label;
}

static int64_t random_parallel(struct rng *rng, unsigned permille, int64_t most)
{
    return rng_chance(rng, permille) ? rng_between(rng, 1, most) : INT64_MAX;
}

static void set_up_parallel(struct rng *rng, struct ref_config *config)
{
    for (int q = 0; q < config->queue_count; q++) {
        struct ref_queue_config *queue = &config->queues[q];

        queue->max_parallel = random_parallel(rng, queue->leaf ? 400 : 250, queue->leaf ? 4 : 7);
    }
    for (int u = 0; u < REF_USERS; u++)
        config->user_parallel[u] = random_parallel(rng, 300, 4);
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
    for (int u = 0; u < REF_USERS; u++)
        config->user_parallel[u] = INT64_MAX;
    for (int q = 0; q < config->queue_count; q++)
        set_up_queue(rng, &config->queues[q]);
    if (config->labels < 2)
        return;
    for (int q = 0; q < config->queue_count; q++)
        set_up_labels(rng, config, &config->queues[q]);
}

/* --- events ---------------------------------------------------------------- */

/* Returns the kind of an event in a scenario of preemption, whose cluster is small and full. */
static enum event_kind with_preemption(struct rng *rng, enum event_kind kind)
{
    if (kind == EVENT_MARK)
        return EVENT_PREEMPT;
    if (kind == EVENT_NODE_ADD && rng_chance(rng, 800))
        return EVENT_ASK;
    return kind == EVENT_END && rng_chance(rng, 700) ? EVENT_HEARTBEAT : kind;
}

static enum event_kind random_kind(struct rng *rng, enum scenario_profile profile)
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

    if ((profile == PROFILE_LABELS || profile == PROFILE_LABELS_DRF) && rng_chance(rng, 20))
        return EVENT_LABEL;
    if (profile == PROFILE_PREEMPT && rng_chance(rng, 70))
        return EVENT_PREEMPT;
    if ((profile == PROFILE_DYNAMIC && rng_chance(rng, 15)) ||
        (profile == PROFILE_MANAGED && rng_chance(rng, 60)))
        return EVENT_WAIT;
    for (; pick >= kinds[i].parts; i++)
        pick -= kinds[i].parts;
    return profile == PROFILE_PREEMPT ? with_preemption(rng, kinds[i].kind) : kinds[i].kind;
}

const char *scenario_profile_name(enum scenario_profile profile)
{
    static const char *const names[SCENARIO_PROFILES] = { "plain",   "labels",  "labels-drf", "parallel",
                                                          "dynamic", "managed", "vectors",    "preempt" };

    return names[profile];
}

const char *scenario_label(int label)
{
    static const char *const names[REF_LABELS] = { "", "gpu", "spot", "large" };

    return names[label];
}

/* Makes some leaves managed parents, one of them for each user; the first leaf stays one. */
static void choose_managed(struct rng *rng, struct ref_config *config)
{
    int leaves = 0, managed[REF_QUEUES], count = 0;

    for (int q = 1; q < config->queue_count; q++)
        if (config->queues[q].leaf && leaves++ > 0 && (count == 0 || rng_chance(rng, 500))) {
            config->queues[q].leaf = false;
            config->queues[q].manages = true;
            config->queues[q].max_children = rng_between(rng, 1, 4);
            managed[count++] = q;
        }
    for (int u = 0; u < REF_USERS && count > 0; u++)
        config->managed_by[u] = managed[rng_below(rng, (uint64_t)count)];
}

static void set_up_managed(struct rng *rng, struct ref_config *config)
{
    static const float capacities[] = { 25, 50, 50, 40, 100, 60 };
    static const float percents[] = { 100, 50 };
    static const float factors[] = { 1, 2, 10, -1 };
    static const float masters[] = { 1, 0.5f, 0.3f };

    for (int q = 1; q < config->queue_count; q++)
        if (config->queues[q].manages) {
            struct ref_template *template = &config->queues[q].template;

            template->capacity = ONE_OF(rng, capacities);
            template->maximum = random_maximum(rng, (int64_t) template->capacity);
            template->user_limit_percent = ONE_OF(rng, percents);
            template->user_limit_factor = ONE_OF(rng, factors);
            template->am_fraction = ONE_OF(rng, masters);
        }
}

static void choose_preemption(struct rng *rng, struct ref_config *config)
{
    static const float rounds[] = { 1, 1, 0.5f, 0.3f, 0.1f };
    static const double ignored[] = { 0, 0, 0.1, 0.3 };
    static const double factors[] = { 1, 1, 0.5, 0.2 };

    config->dominant = true;
    config->types = 3;
    config->preemption = (struct ref_preemption){ .on = true,
                                                  .per_round = ONE_OF(rng, rounds),
                                                  .ignored_over_capacity = ONE_OF(rng, ignored),
                                                  .termination_factor = ONE_OF(rng, factors),
                                                  .conservative = rng_chance(rng, 200),
                                                  .wait_ms = 4000 };
}

static void set_up_preemption(struct rng *rng, struct ref_config *config)
{
    for (int q = 1; q < config->queue_count; q++)
        config->queues[q].disable_preemption = rng_chance(rng, 80);
}

static void begin(struct rng *rng, struct scenario *scenario, unsigned differences)
{
    struct ref_config *first = &scenario->configs[0];
    bool drf = scenario->profile == PROFILE_LABELS_DRF, labels = scenario->profile == PROFILE_LABELS || drf;
    bool absolute;

    first->differences = differences;
    first->dominant = rng_chance(rng, 400);
    if (labels)
        first->dominant = drf;
    first->minimum = resource_of(rng_chance(rng, 700) ? 1024 : 512, 1);
    first->maximum = resource_of(8192, 8);
    first->maximum_app_priority = (int32_t)rng_between(rng, 0, 4);
    first->labels = labels ? 3 : 1;
    first->shared[2] = labels;
    first->creates = scenario->profile == PROFILE_DYNAMIC;
    if (first->creates || scenario->profile == PROFILE_MANAGED)
        first->dominant = scenario->seed % 4 == 0; /* not random: recorded seeds keep their scenarios */
    grow_tree(rng, first);
    for (int q = 0; q < first->queue_count && first->creates; q++)
        if (!first->queues[q].leaf && (q == 0 || rng_chance(rng, 600)))
            first->queues[q].max_children = rng_between(rng, 2, 6);
    first->by_type = scenario->profile == PROFILE_VECTORS;
    if (scenario->profile == PROFILE_MANAGED)
        choose_managed(rng, first);
    absolute = rng_chance(rng, 200) && !labels && !first->creates && !first->by_type &&
               scenario->profile != PROFILE_MANAGED;
    first->types = first->dominant && rng_chance(rng, 500) ? 3 : 2;
    if (scenario->profile == PROFILE_PREEMPT)
        choose_preemption(rng, first);
    first->maximum.value[2] = first->types > 2 ? 4 : 0;
    for (int i = SCENARIO_CONFIGS - 1; i >= 0; i--) {
        scenario->configs[i] = *first;
        share_out(rng, &scenario->configs[i], absolute);
        share_labels(rng, &scenario->configs[i]);
        set_up(rng, &scenario->configs[i]);
        set_up_managed(rng, &scenario->configs[i]);
        if (scenario->profile == PROFILE_PARALLEL)
            set_up_parallel(rng, &scenario->configs[i]);
        if (scenario->profile == PROFILE_PREEMPT)
            set_up_preemption(rng, &scenario->configs[i]);
    }
}

void scenario_new(struct scenario *scenario, enum scenario_profile profile, uint64_t seed,
                  unsigned differences)
{
    struct rng rng;

    memset(scenario, 0, sizeof(*scenario));
    rng_seed(&rng, seed);
    scenario->profile = profile;
    scenario->seed = seed;
    begin(&rng, scenario, differences);
    scenario->event_count = SCENARIO_EVENTS;
    for (int i = 0; i < scenario->event_count; i++) {
        struct event *event = &scenario->events[i];

        event->kind = i < 3 ? EVENT_NODE_ADD : i < 7 ? EVENT_SUBMIT : random_kind(&rng, profile);
        for (int p = 0; p < EVENT_PICKS; p++)
            event->pick[p] = (uint32_t)rng_next(&rng);
    }
}
