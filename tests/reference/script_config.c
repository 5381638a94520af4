/* SPDX-License-Identifier: Apache-2.0 */
/* script_config.c - reads the settings of a conformance case for the reference capacity scheduler */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/script.h"

#define FAMILY "yarn.scheduler.capacity."

struct source {
    const struct test_case *test;
    struct script_names *labels;
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

/* Returns the number in OWN, else in OF_ALL, else INT64_MAX. */
static int64_t limit_of(const char *own, const char *of_all)
{
    const char *text = own != NULL ? own : of_all;

    return text != NULL ? strtoll(text, NULL, 10) : INT64_MAX;
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
    struct ref_share *share = &queue->share[0];
    const char *capacity = find_of(source, queue->path, "capacity");
    const char *maximum = find_of(source, queue->path, "maximum-capacity");
    const char *weight = find_of(source, queue->path, "weight");

    share->given = true;
    share->capacity = (float)number(weight != NULL ? weight : capacity, 0);
    share->maximum = (float)number(maximum, 100);
    if (share->maximum < 0)
        share->maximum = 100;
    queue->mode = REF_PERCENT;
    if (weight != NULL || (capacity != NULL && strchr(capacity, 'w') != NULL && *capacity != '['))
        queue->mode = REF_WEIGHT;
    if (capacity == NULL || *capacity != '[')
        return;
    queue->mode = REF_ABSOLUTE;
    share->minimum_resource = amount(source, capacity);
    if (maximum != NULL && *maximum == '[')
        share->maximum_resource = amount(source, maximum);
}

/* --- labels ------------------------------------------------------------------------- */

static void add_label(struct source *source, const char *name, size_t length)
{
    char label[SCRIPT_NAME];

    snprintf(label, sizeof(label), "%.*s", (int)length, name);
    script_index(source->labels, label, REF_LABELS);
}

/* Adds the labels that keys and nodes name. */
static void collect_labels(struct source *source)
{
    static const char part[] = ".accessible-node-labels.";
    const struct case_script *script = &source->test->script;

    add_label(source, "", 0);
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < source->lists[l]->count; i++) {
            const char *name = strstr(source->lists[l]->items[i].name, part);

            if (name != NULL)
                add_label(source, name + strlen(part), strcspn(name + strlen(part), "."));
        }
    for (size_t i = 0; i < script->step_count; i++)
        if (script->steps[i].label != NULL)
            add_label(source, script->steps[i].label, strlen(script->steps[i].label));
}

/* Reads "x,y(exclusive=false)". */
static void read_labels(struct source *source, struct ref_config *config)
{
    const char *text = find(source, "creel.node-labels");

    find(source, "yarn.node-labels.enabled");
    collect_labels(source);
    for (; text != NULL && *text != '\0'; text += strcspn(text, ",") + (text[strcspn(text, ",")] == ',')) {
        size_t length = strcspn(text, ",("), end = strcspn(text, ",");
        char label[SCRIPT_NAME];
        int index;

        add_label(source, text, length);
        snprintf(label, sizeof(label), "%.*s", (int)length, text);
        index = script_find(source->labels, label);
        if (index > 0 && end > length && strncmp(text + length, "(exclusive=false)", end - length) == 0)
            config->shared[index] = true;
    }
    config->labels = source->labels->count;
}

static unsigned labels_in(const struct source *source, const char *list)
{
    unsigned bits = 0;

    for (; *list != '\0'; list += strcspn(list, ", ") + (list[strcspn(list, ", ")] != '\0')) {
        char label[SCRIPT_NAME];
        int index;

        snprintf(label, sizeof(label), "%.*s", (int)strcspn(list, ", "), list);
        index = script_find(source->labels, label);
        if (strcmp(label, "*") == 0)
            bits = UINT_MAX;
        else if (index > 0)
            bits |= 1u << index;
    }
    return bits;
}

static void read_label(struct source *source, struct ref_queue_config *queue, int label)
{
    struct ref_share *share = &queue->share[label];
    const char *capacity, *maximum, *am;
    char key[128];

    snprintf(key, sizeof(key), "accessible-node-labels.%s.capacity", source->labels->name[label]);
    capacity = find_of(source, queue->path, key);
    snprintf(key, sizeof(key), "accessible-node-labels.%s.maximum-capacity", source->labels->name[label]);
    maximum = find_of(source, queue->path, key);
    snprintf(key, sizeof(key), "accessible-node-labels.%s.maximum-am-resource-percent",
             source->labels->name[label]);
    am = find_of(source, queue->path, key);
    share->given = capacity != NULL || maximum != NULL || am != NULL;
    share->capacity = (float)number(capacity, 0);
    share->maximum = (float)number(maximum, 100);
    share->am_fraction = (float)number(am, (double)queue->share[0].am_fraction);
}

/* Reads the labels of a queue; its parent was read before. */
static void read_queue_labels(struct source *source, struct ref_config *config, int q)
{
    struct ref_queue_config *queue = &config->queues[q];
    const char *list = find_of(source, queue->path, "accessible-node-labels");
    const char *name = find_of(source, queue->path, "default-node-label-expression");

    queue->labels = q == 0 ? UINT_MAX : config->queues[queue->parent].labels;
    if (list != NULL)
        queue->labels = labels_in(source, list);
    if (q > 0 &&
        (queue->labels & config->queues[queue->parent].labels) == config->queues[queue->parent].labels)
        queue->default_label = config->queues[queue->parent].default_label;
    if (name != NULL)
        queue->default_label = script_find(source->labels, name) > 0 ? script_find(source->labels, name) : 0;
    for (int l = 1; l < config->labels; l++)
        read_label(source, queue, l);
}

/* --- queues ------------------------------------------------------------------------- */

static void read_leaf(struct source *source, const struct script_names *users, struct ref_queue_config *queue)
{
    const char *path = queue->path, *policy = find_of(source, path, "ordering-policy");
    char key[128];

    queue->user_limit_percent = (float)of_queue(source, path, "minimum-user-limit-percent", 100);
    queue->user_limit_factor = (float)of_queue(source, path, "user-limit-factor", 1);
    queue->share[0].am_fraction = (float)of_queue(source, path, "maximum-am-resource-percent", 0.1);
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
    queue->max_parallel =
        limit_of(find_of(source, queue->path, "max-parallel-apps"), find_of(source, "", "max-parallel-apps"));
    queue->leaf = names == NULL;
    if (q > 0)
        read_capacity(source, queue);
    else
        find_of(source, queue->path, "capacity"); /* ignored, as in YARN */
    if (queue->leaf)
        read_leaf(source, users, queue);
    read_queue_labels(source, config, q);
    if (queue->leaf)
        return 0;
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

static void read_users(struct source *source, const struct script_names *users, struct ref_config *config)
{
    const char *all = find_of(source, "", "user.max-parallel-apps");
    char key[128];

    for (int u = 0; u < REF_USERS; u++) {
        snprintf(key, sizeof(key), "user.%s.max-parallel-apps", u < users->count ? users->name[u] : "");
        config->user_parallel[u] = limit_of(find_of(source, "", key), all);
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
    struct source source = { .test = test,
                             .labels = &script->labels,
                             .lists = { &test->script.site, capacity } };

    *config = (struct ref_config){ .queue_count = 1 };
    if (source.lists[0]->count > 256 || source.lists[1]->count > 256)
        return -1;
    snprintf(config->queues[0].path, sizeof(config->queues[0].path), "root");
    config->queues[0].parent = -1;
    read_scheduler(&source, config);
    read_labels(&source, config);
    read_users(&source, &script->common.users, config);
    find(&source, "yarn.resourcemanager.scheduler.monitor.enable"); /* no step runs a round */
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
