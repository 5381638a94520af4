/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_conf.c - writes the configuration of a scenario with the keys of capacity-scheduler.xml */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/scenario.h"

struct writer {
    FILE *file; /* what a file of properties would have */
    scenario_line_fn *each;
    void *context;
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
    fprintf(writer->file, "<property><name>%s</name><value>%s</value></property>\n", key, value);
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
        snprintf(further, sizeof(further), ",yarn.io/gpu=%lld", (long long)amount->value[2]);
    put(writer, key, "[memory=%lld,vcores=%lld%s]", (long long)amount->value[0], (long long)amount->value[1],
        further);
}

/* Writes "[memory=50%,vcores=2w]". */
static void put_vector(struct writer *writer, const char *key, const struct ref_amount *amounts)
{
    static const char *const names[REF_TYPES] = { "memory", "vcores", "yarn.io/gpu" };
    static const char *const units[] = { "", "%", "w" };
    char text[120] = "";

    for (int t = 0; t < REF_TYPES; t++) {
        size_t length = strlen(text);

        if (amounts[t].given)
            snprintf(text + length, sizeof(text) - length, "%s%s=%g%s", length > 0 ? "," : "", names[t],
                     amounts[t].value, units[amounts[t].unit]);
    }
    put(writer, key, "[%s]", text);
}

static void put_capacity(struct writer *writer, int types, const struct ref_queue_config *queue)
{
    const struct ref_share *share = &queue->share[0];
    char key[200];

    key_of(queue, "capacity", key);
    if (queue->mode == REF_ABSOLUTE)
        put_amount(writer, key, types, &share->minimum_resource);
    else if (queue->mode == REF_VECTOR)
        put_vector(writer, key, share->least);
    else
        put(writer, key, queue->mode == REF_WEIGHT ? "%gw" : "%g", (double)share->capacity);
    key_of(queue, "maximum-capacity", key);
    if (share->most_is_vector)
        put_vector(writer, key, share->most);
    else if (queue->mode != REF_ABSOLUTE)
        put(writer, key, "%g", (double)share->maximum);
    else if (!resource_is_zero(&share->maximum_resource))
        put_amount(writer, key, types, &share->maximum_resource);
}

static void put_label(struct writer *writer, const struct ref_queue_config *queue, int label)
{
    const struct ref_share *share = &queue->share[label];
    char key[200], name[80];

    if (share->given) {
        snprintf(name, sizeof(name), "accessible-node-labels.%s.capacity", scenario_label(label));
        put(writer, key_of(queue, name, key), queue->mode == REF_WEIGHT ? "%gw" : "%g",
            (double)share->capacity);
        snprintf(name, sizeof(name), "accessible-node-labels.%s.maximum-capacity", scenario_label(label));
        put(writer, key_of(queue, name, key), "%g", (double)share->maximum);
    }
    if (!queue->leaf || !share->given)
        return;
    snprintf(name, sizeof(name), "accessible-node-labels.%s.maximum-am-resource-percent",
             scenario_label(label));
    put(writer, key_of(queue, name, key), "%g", (double)share->am_fraction);
}

static void put_labels(struct writer *writer, const struct ref_config *config, int q)
{
    const struct ref_queue_config *queue = &config->queues[q];
    char key[200], names[40] = " ";

    for (int l = 1; l < config->labels; l++) {
        size_t length = strlen(names);

        put_label(writer, queue, l);
        if (queue->labels & 1u << l)
            snprintf(names + length, sizeof(names) - length, "%s%s", length > 1 ? "," : "",
                     scenario_label(l));
    }
    if (config->labels > 1 && q > 0)
        put(writer, key_of(queue, "accessible-node-labels", key), "%s", names);
    if (queue->default_label > 0)
        put(writer, key_of(queue, "default-node-label-expression", key), "%s",
            scenario_label(queue->default_label));
}

static void put_leaf(struct writer *writer, const struct ref_queue_config *queue)
{
    char key[200], name[64];

    put(writer, key_of(queue, "minimum-user-limit-percent", key), "%g", (double)queue->user_limit_percent);
    put(writer, key_of(queue, "user-limit-factor", key), "%g", (double)queue->user_limit_factor);
    put(writer, key_of(queue, "maximum-am-resource-percent", key), "%g", (double)queue->share[0].am_fraction);
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

static void put_managed(struct writer *writer, const struct ref_queue_config *queue)
{
    const struct ref_template *template = &queue->template;
    char key[200];

    put(writer, key_of(queue, "auto-create-child-queue.enabled", key), "true");
    put(writer, key_of(queue, "auto-create-child-queue.max-queues", key), "%lld",
        (long long)queue->max_children);
    put(writer, key_of(queue, "leaf-queue-template.capacity", key), "%g", (double)template->capacity);
    put(writer, key_of(queue, "leaf-queue-template.maximum-capacity", key), "%g", (double)template->maximum);
    put(writer, key_of(queue, "leaf-queue-template.minimum-user-limit-percent", key), "%g",
        (double)template->user_limit_percent);
    put(writer, key_of(queue, "leaf-queue-template.user-limit-factor", key), "%g",
        (double)template->user_limit_factor);
    put(writer, key_of(queue, "leaf-queue-template.maximum-am-resource-percent", key), "%g",
        (double)template->am_fraction);
}

/* Writes the queue for each user's submissions to "default". */
static void put_mappings(struct writer *writer, const struct ref_config *config)
{
    char text[REF_USERS * 80] = "";

    for (int u = 0; u < REF_USERS; u++) {
        size_t length = strlen(text);

        if (config->managed_by[u] > 0)
            snprintf(text + length, sizeof(text) - length, "%su:user%d:%s.user%d", length > 0 ? "," : "", u,
                     config->queues[config->managed_by[u]].path, u);
    }
    if (*text)
        put(writer, FAMILY "queue-mappings", "%s", text);
}

static void put_queue(struct writer *writer, const struct ref_config *config, int q)
{
    const struct ref_queue_config *queue = &config->queues[q];
    int children[REF_QUEUES], count = scenario_children(config, q, children);
    char key[200], names[300] = "";

    for (int i = 0; i < count; i++) {
        size_t length = strlen(names);

        snprintf(names + length, sizeof(names) - length, "%s%s", i > 0 ? "," : "",
                 strrchr(config->queues[children[i]].path, '.') + 1);
    }
    if (q > 0)
        put_capacity(writer, config->types, queue);
    put_labels(writer, config, q);
    if (queue->max_parallel < INT64_MAX)
        put(writer, key_of(queue, "max-parallel-apps", key), "%lld", (long long)queue->max_parallel);
    if (q > 0 && queue->priority != 0)
        put(writer, key_of(queue, "priority", key), "%d", queue->priority);
    if (queue->disable_preemption)
        put(writer, key_of(queue, "disable_preemption", key), "true");
    if (queue->leaf) {
        put_leaf(writer, queue);
        return;
    }
    if (queue->manages)
        put_managed(writer, queue);
    else
        put(writer, key_of(queue, "queues", key), "%s", names);
    if (queue->max_children > 0 && !queue->manages) {
        put(writer, key_of(queue, "auto-queue-creation-v2.enabled", key), "true");
        put(writer, key_of(queue, "auto-queue-creation-v2.max-queues", key), "%lld",
            (long long)queue->max_children);
    }
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
    char *text = NULL, key[80];
    size_t size = 0;
    struct writer writer = { open_memstream(&text, &size), each, context };
    struct writer *w = &writer;
    int r;

    assert(writer.file);
    fputs("<configuration>\n", writer.file);

    put(w, "yarn.scheduler.minimum-allocation-mb", "%lld", (long long)config->minimum.value[0]);
    put(w, "yarn.scheduler.minimum-allocation-vcores", "%lld", (long long)config->minimum.value[1]);
    put(w, "yarn.scheduler.maximum-allocation-mb", "%lld", (long long)config->maximum.value[0]);
    put(w, "yarn.scheduler.maximum-allocation-vcores", "%lld", (long long)config->maximum.value[1]);
    put(w, "yarn.cluster.max-application-priority", "%d", config->maximum_app_priority);
    if (config->types > 2) {
        put(w, "yarn.resource-types", "yarn.io/gpu");
        put(w, "yarn.resource-types.yarn.io/gpu.maximum-allocation", "%lld",
            (long long)config->maximum.value[2]);
    }
    if (config->labels > 1) {
        put(w, "yarn.node-labels.enabled", "true");
        put(w, "creel.node-labels", "%s,%s(exclusive=false)", scenario_label(1), scenario_label(2));
    }
    if (config->dominant)
        put(w, FAMILY "resource-calculator",
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    if (config->by_type)
        put(w, FAMILY "legacy-queue-mode.enabled", "false");
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
    for (int u = 0; u < REF_USERS; u++)
        if (config->user_parallel[u] < INT64_MAX) {
            snprintf(key, sizeof(key), FAMILY "user.user%d.max-parallel-apps", u);
            put(w, key, "%lld", (long long)config->user_parallel[u]);
        }
    put_mappings(w, config);
    for (int q = 0; q < config->queue_count; q++)
        put_queue(w, config, q);
    fputs("</configuration>\n", writer.file);
    fclose(writer.file);
    r = conf_load_buffer("scenario", text, size, NULL, NULL, ret, err);
    free(text);
    return r;
}
