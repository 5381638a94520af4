/* SPDX-License-Identifier: Apache-2.0 */
/* script_config.c - reads the settings of a conformance case for the reference capacity scheduler */
#include <stdlib.h>
#include <string.h>

#include "tests/reference/script.h"

#define FAMILY "yarn.scheduler.capacity."

struct source {
    const struct test_case *test;
    const struct case_properties *lists[2]; /* the later list overrides */
    bool used[2][256];                      /* properties that were read */
};

static const char *find(struct source *source, const char *name)
{
    const char *value = NULL;

    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < source->lists[l]->count; i++)
            if (strcmp(source->lists[l]->items[i].name, name) == 0) {
                value = source->lists[l]->items[i].value;
                source->used[l][i] = true;
            }
    return value;
}

static const char *find_of(struct source *source, const char *path, const char *key)
{
    char name[256];

    snprintf(name, sizeof(name), FAMILY "%s%s%s", path, *path != '\0' ? "." : "", key);
    return find(source, name);
}

static double number(const char *text, double otherwise)
{
    return text != NULL ? strtod(text, NULL) : otherwise;
}

static bool truth(const char *text, bool otherwise)
{
    return text != NULL ? strcmp(text, "true") == 0 : otherwise;
}

/* Returns the queue's value, else the scheduler's, else OTHERWISE. */
static double of_queue(struct source *source, const char *path, const char *key, double otherwise)
{
    return number(find_of(source, path, key), number(find_of(source, "", key), otherwise));
}

/* Returns the amount of NAME in "[memory=10240,vcores=12,gpu=2]"; 0 if it is missing. */
static int64_t amount_of(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
        if (at[length] == '=' && at > text && (at[-1] == '[' || at[-1] == ','))
            return strtoll(at + length + 1, NULL, 10);
    return 0;
}

static struct resource amount(const struct source *source, const char *text)
{
    struct resource result = resource_of(amount_of(text, "memory"), amount_of(text, "vcores"));

    for (int t = 2; t < source->test->type_count; t++)
        result.value[t] = amount_of(text, source->test->types[t]);
    return result;
}

static void read_capacity(struct source *source, struct ref_queue_config *queue)
{
    const char *capacity = find_of(source, queue->path, "capacity");
    const char *maximum = find_of(source, queue->path, "maximum-capacity");
    const char *weight = find_of(source, queue->path, "weight");

    queue->capacity = (float)number(weight != NULL ? weight : capacity, 0);
    queue->maximum = (float)number(maximum, 100);
    if (queue->maximum < 0)
        queue->maximum = 100;
    queue->mode = REF_PERCENT;
    if (weight != NULL || (capacity != NULL && strchr(capacity, 'w') != NULL && *capacity != '['))
        queue->mode = REF_WEIGHT;
    if (capacity == NULL || *capacity != '[')
        return;
    queue->mode = REF_ABSOLUTE;
    queue->minimum_resource = amount(source, capacity);
    if (maximum != NULL && *maximum == '[')
        queue->maximum_resource = amount(source, maximum);
}

static void read_leaf(struct source *source, const struct script_names *users, struct ref_queue_config *queue)
{
    const char *path = queue->path, *policy = find_of(source, path, "ordering-policy");
    char key[128];

    queue->user_limit_percent = (float)of_queue(source, path, "minimum-user-limit-percent", 100);
    queue->user_limit_factor = (float)of_queue(source, path, "user-limit-factor", 1);
    queue->am_fraction = (float)of_queue(source, path, "maximum-am-resource-percent", 0.1);
    queue->max_apps = (int64_t)number(find_of(source, path, "maximum-applications"), -1);
    queue->fair = policy != NULL && strcmp(policy, "fair") == 0;
    queue->size_based =
        queue->fair && truth(find_of(source, path, "ordering-policy.fair.enable-size-based-weight"), false);
    for (int u = 0; u < users->count; u++) {
        snprintf(key, sizeof(key), "user-settings.%s.weight", users->name[u]);
        queue->user_weight[u] = (float)number(find_of(source, path, key), 1);
    }
}

static void read_parent(struct source *source, struct ref_queue_config *queue)
{
    const char *policy = find_of(source, queue->path, "ordering-policy");

    queue->priority_utilization = policy != NULL && strcmp(policy, "priority-utilization") == 0;
}

/* Reads the settings of queue Q and adds its children at the end of the list. Returns -1 if there are too
 * many queues. */
static int read_queue(struct source *source, const struct script_names *users, struct ref_config *config,
                      int q)
{
    struct ref_queue_config *queue = &config->queues[q];
    const char *names = find_of(source, queue->path, "queues"), *state;

    state = find_of(source, queue->path, "state");
    queue->stopped = state != NULL && strcmp(state, "STOPPED") == 0;
    queue->priority = (int32_t)number(find_of(source, queue->path, "priority"), 0);
    queue->leaf = names == NULL;
    if (q > 0)
        read_capacity(source, queue);
    else
        find_of(source, queue->path, "capacity"); /* ignored, as in YARN */
    if (queue->leaf) {
        read_leaf(source, users, queue);
        return 0;
    }
    read_parent(source, queue);
    while (*names != '\0') {
        size_t length = strcspn(names, ", ");

        if (length > 0) {
            struct ref_queue_config *child = &config->queues[config->queue_count];
            char path[sizeof(child->path)];
            int size = snprintf(path, sizeof(path), "%s.%.*s", queue->path, (int)length, names);

            if (config->queue_count == REF_QUEUES || size >= (int)sizeof(path))
                return -1;
            config->queue_count++;
            child->parent = q;
            memcpy(child->path, path, sizeof(path));
        }
        names += length + (names[length] != '\0');
    }
    return 0;
}

/* Reads the limits of one container for types other than memory and vcores. */
static void read_types(struct source *source, struct ref_config *config)
{
    char key[128];

    config->types = source->test->type_count;
    find(source, "yarn.resource-types");
    for (int t = 2; t < config->types; t++) {
        const char *name = source->test->types[t];

        snprintf(key, sizeof(key), "yarn.resource-types.%s.minimum-allocation", name);
        config->minimum.value[t] = (int64_t)number(find(source, key), 0);
        snprintf(key, sizeof(key), "yarn.resource-types.%s.maximum-allocation", name);
        config->maximum.value[t] = (int64_t)number(find(source, key), 1 << 30);
    }
}

static void read_scheduler(struct source *source, struct ref_config *config)
{
    const char *calculator = find_of(source, "", "resource-calculator");

    config->dominant = calculator != NULL && strstr(calculator, "Dominant") != NULL;
    config->minimum =
        resource_of((int64_t)number(find(source, "yarn.scheduler.minimum-allocation-mb"), 1024),
                    (int64_t)number(find(source, "yarn.scheduler.minimum-allocation-vcores"), 1));
    config->maximum =
        resource_of((int64_t)number(find(source, "yarn.scheduler.maximum-allocation-mb"), 8192),
                    (int64_t)number(find(source, "yarn.scheduler.maximum-allocation-vcores"), 4));
    read_types(source, config);
    config->maximum_applications = (int64_t)number(find_of(source, "", "maximum-applications"), 10000);
    config->maximum_app_priority = (int32_t)number(find(source, "yarn.cluster.max-application-priority"), 0);
    config->node_locality_delay = (int64_t)number(find_of(source, "", "node-locality-delay"), 40);
    config->rack_additional_delay =
        (int64_t)number(find_of(source, "", "rack-locality-additional-delay"), -1);
    config->rack_full_reset = truth(find_of(source, "", "rack-locality-full-reset"), true);
    config->continue_look = truth(find_of(source, "", "reservations-continue-look-all-nodes"), true);
    config->multiple_assignments =
        truth(find_of(source, "", "per-node-heartbeat.multiple-assignments-enabled"), true);
    config->max_assignments =
        (int64_t)number(find_of(source, "", "per-node-heartbeat.maximum-container-assignments"), 100);
    config->max_offswitch =
        (int64_t)number(find_of(source, "", "per-node-heartbeat.maximum-offswitch-assignments"), 1);
    if (config->max_offswitch < 1)
        config->max_offswitch = 1;
}

int script_configure(struct script *script, const struct case_properties *capacity, struct ref_config *config,
                     char why[128])
{
    const struct test_case *test = script->common.test;
    struct source source = { .test = test, .lists = { &test->script.site, capacity } };

    *config = (struct ref_config){ .queue_count = 1 };
    if (source.lists[0]->count > 256 || source.lists[1]->count > 256)
        return -1;
    snprintf(config->queues[0].path, sizeof(config->queues[0].path), "root");
    config->queues[0].parent = -1;
    read_scheduler(&source, config);
    for (int q = 0; q < config->queue_count; q++)
        if (read_queue(&source, &script->common.users, config, q) < 0) {
            snprintf(why, 128, "too many queues");
            return -1;
        }
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < source.lists[l]->count; i++)
            if (!source.used[l][i]) {
                snprintf(why, 128, "%s", source.lists[l]->items[i].name);
                return -1;
            }
    return 0;
}
