/* SPDX-License-Identifier: Apache-2.0 */
/* report_queue.c - reports queues as messages for clients: figures and settings */
#include <math.h>

#include "common/base/text.h"
#include "rm/master/queries/report.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/settings.h"

/* --- figures --------------------------------------------------------------- */

float rm_sendable(float value)
{
    return isfinite(value) ? value : 0;
}

static int64_t limit(int64_t value)
{
    return value == INT64_MAX ? 0 : value;
}

/* As limit(), for limits on running applications, of which 0 lets none run. */
static int64_t running_limit(int64_t value)
{
    return value == 0 ? -1 : limit(value);
}

struct resource rm_limited_to_cluster(struct master *m, const struct resource *most)
{
    struct sched_cluster cluster;
    struct resource limited = *most;

    sched_cluster(m->sched, &cluster);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (limited.value[t] == INT64_MAX)
            limited.value[t] = cluster.total.value[t];
    return limited;
}

/* Reports the shares of the fair scheduler. */
static void report_shares(struct master *m, const struct sched_queue_figures *figures,
                          Creel__QueueReport *report)
{
    struct arena *arena = m->out->arena;
    struct resource maximum;

    report->policy = rm_message_text(arena, figures->policy);
    report->demand = rm_resource_message(m, &figures->demand);
    report->fair_share = rm_resource_message(m, &figures->fair_share);
    report->steady_fair_share = rm_resource_message(m, &figures->steady_fair_share);
    report->starved_since_ms = figures->starved_since_ms > 0 ? figures->starved_since_ms : 0;
    maximum = rm_limited_to_cluster(m, &figures->maximum);
    report->maximum = rm_resource_message(m, &maximum);
}

static void add_label(struct arena *arena, Creel__QueueSettings *settings, const char *name)
{
    settings->labels[settings->n_labels++] = arena_strdup(arena, name);
}

static void report_labels(struct master *m, const struct sched_queue_settings *from,
                          Creel__QueueSettings *settings)
{
    struct arena *arena = m->out->arena;
    struct sched_label label;
    int count = sched_label_count(m->sched);

    settings->labels = arena_array0(arena, (size_t)count, sizeof(char *));
    if (from->labels == UINT64_MAX)
        add_label(arena, settings, "*");
    for (int l = 1; l < count && from->labels != UINT64_MAX; l++)
        if (from->labels >> l & 1 && sched_label_at(m->sched, l, &label))
            add_label(arena, settings, label.name);
    if (from->default_label > 0 && sched_label_at(m->sched, from->default_label, &label))
        settings->default_label = arena_strdup(arena, label.name);
}

static Creel__CapacityEntry **capacity_entries(struct master *m, const struct sched_capacity *from,
                                               size_t *count)
{
    struct arena *arena = m->out->arena;
    Creel__CapacityEntry **entries = arena_array0(arena, (size_t)from->types, sizeof(*entries));

    for (int t = 0; t < from->types; t++) {
        entries[t] = arena_new0(arena, Creel__CapacityEntry);
        creel__capacity_entry__init(entries[t]);
        entries[t]->resource = rm_message_text(arena, m->types.type[t].name);
        entries[t]->value = from->value[t];
        entries[t]->unit = rm_message_text(arena, from->unit[t] == '%'   ? "%"
                                                  : from->unit[t] == 'w' ? "w"
                                                                         : "");
    }
    *count = (size_t)from->types;
    return entries;
}

#define PROPERTIES_MAX 200 /* of a template in a report */

/* A list of properties in QueueSettings, and the generality of each of its elements. */
struct template_list {
    Creel__QueueProperty ***list;
    size_t *count;
    int generality[PROPERTIES_MAX];
};

struct template_lists {
    struct arena *arena;
    struct template_list of[SCHED_TEMPLATE_LEAF + 1];
};

static void add_property(void *context, enum sched_template kind, const char *name, const char *value,
                         int generality)
{
    struct template_lists *lists = context;
    struct template_list *to = &lists->of[kind];
    Creel__QueueProperty **items = *to->list;
    size_t i = 0;

    while (i < *to->count && !text_equal(items[i]->name, name))
        i++;
    if (i == PROPERTIES_MAX || (i < *to->count && to->generality[i] <= generality))
        return;
    if (i == *to->count) {
        if (items == NULL)
            items = *to->list = arena_array0(lists->arena, PROPERTIES_MAX, sizeof(*items));
        items[i] = arena_new0(lists->arena, Creel__QueueProperty);
        creel__queue_property__init(items[i]);
        items[i]->name = rm_message_text(lists->arena, name);
        ++*to->count;
    }
    items[i]->value = rm_message_text(lists->arena, value);
    to->generality[i] = generality;
}

static void report_templates(struct master *m, const char *path, Creel__QueueSettings *settings)
{
    struct template_lists lists = {
        .arena = m->out->arena,
        .of = {
            [SCHED_TEMPLATE_MANAGED] = { &settings->managed_template, &settings->n_managed_template, { 0 } },
            [SCHED_TEMPLATE_DYNAMIC] = { &settings->dynamic_template, &settings->n_dynamic_template, { 0 } },
            [SCHED_TEMPLATE_PARENT] = { &settings->dynamic_parent_template,
                                        &settings->n_dynamic_parent_template, { 0 } },
            [SCHED_TEMPLATE_LEAF] = { &settings->dynamic_leaf_template, &settings->n_dynamic_leaf_template,
                                      { 0 } },
        },
    };

    sched_queue_templates(m->sched, path, add_property, &lists);
}

/* Reports the settings of the capacity scheduler. */
static void report_settings(struct master *m, const struct sched_queue_figures *figures,
                            Creel__QueueReport *report)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_settings from;
    Creel__QueueSettings *settings;

    if (!sched_queue_settings(m->sched, figures->path, &from))
        return;
    settings = report->settings = arena_new0(arena, Creel__QueueSettings);
    creel__queue_settings__init(settings);
    settings->mode = rm_message_text(arena, from.mode);
    settings->submit_acl = rm_message_text(arena, from.submit_acl);
    settings->administer_acl = rm_message_text(arena, from.administer_acl);
    settings->ordering = rm_message_text(arena, from.ordering);
    settings->am_fraction = from.am_fraction;
    settings->default_app_priority = from.default_app_priority;
    settings->maximum_allocation = rm_resource_message(m, &from.maximum_allocation);
    settings->max_parallel_apps = running_limit(from.max_parallel_apps);
    settings->intra_queue_preemption = from.intra_queue_preemption;
    settings->auto_creation = rm_message_text(arena, from.auto_creation);
    settings->configured = capacity_entries(m, &from.configured, &settings->n_configured);
    settings->configured_minimum = rm_resource_message(m, &from.configured.minimum);
    settings->configured_maximum = rm_resource_message(m, &from.configured.maximum);
    report->user_am_limit = rm_resource_message(m, &from.user_am_limit);
    report_labels(m, &from, settings);
    report_templates(m, figures->path, settings);
}

static Creel__QueuePartition *partition_message(struct master *m,
                                                const struct sched_partition_figures *figures)
{
    Creel__QueuePartition *part = arena_new0(m->out->arena, Creel__QueuePartition);

    creel__queue_partition__init(part);
    part->label = rm_message_text(m->out->arena, figures->label);
    part->capacity = rm_sendable(figures->capacity);
    part->max_capacity = rm_sendable(figures->max_capacity);
    part->used_capacity = rm_sendable(figures->used_capacity);
    part->absolute_capacity = rm_sendable(figures->absolute_capacity);
    part->absolute_max_capacity = rm_sendable(figures->absolute_max_capacity);
    part->absolute_used = rm_sendable(figures->absolute_used);
    part->weight = rm_sendable(figures->weight);
    part->normalized_weight = rm_sendable(figures->normalized_weight);
    part->am_fraction = rm_sendable(figures->am_fraction);
    part->used = rm_resource_message(m, &figures->used);
    part->reserved = rm_resource_message(m, &figures->reserved);
    part->pending = rm_resource_message(m, &figures->pending);
    part->minimum = rm_resource_message(m, &figures->minimum);
    part->maximum = rm_resource_message(m, &figures->maximum);
    part->am_used = rm_resource_message(m, &figures->am_used);
    part->am_limit = rm_resource_message(m, &figures->am_limit);
    part->user_am_limit = rm_resource_message(m, &figures->user_am_limit);
    part->containers = figures->containers;
    part->configured = capacity_entries(m, &figures->configured, &part->n_configured);
    part->configured_minimum = rm_resource_message(m, &figures->configured.minimum);
    part->configured_maximum = rm_resource_message(m, &figures->configured.maximum);
    return part;
}

bool rm_partition_is_shown(const struct master *m, const struct sched_partition_figures *figures)
{
    bool exists = figures->exists || rm_setting_find(m, SETTING_LABEL, figures->label);

    return (figures->accessible && exists) || !resource_is_zero(&figures->used) ||
           !resource_is_zero(&figures->pending);
}

static void report_partitions(struct master *m, const struct sched_queue_figures *queue,
                              Creel__QueueReport *report)
{
    int count = sched_label_count(m->sched);
    struct sched_partition_figures figures;

    if (count < 2)
        return;
    report->partitions = arena_array0(m->out->arena, (size_t)count, sizeof(*report->partitions));
    for (int label = 1; label < count; label++)
        if (sched_queue_partition_figures(m->sched, queue->path, label, &figures) &&
            rm_partition_is_shown(m, &figures))
            report->partitions[report->n_partitions++] = partition_message(m, &figures);
}

Creel__QueueReport *rm_queue_report(struct master *m, const struct sched_queue_figures *figures)
{
    struct arena *arena = m->out->arena;
    Creel__QueueReport *report = arena_new0(arena, Creel__QueueReport);

    creel__queue_report__init(report);
    report->path = rm_message_text(arena, figures->path);
    report->state = rm_message_text(arena, figures->state);
    report->leaf = figures->leaf;
    report->memory_only = rm_limits_memory_only(m);
    report->dynamic = figures->dynamic;
    report->capacity = rm_sendable(figures->capacity);
    report->max_capacity = rm_sendable(figures->max_capacity);
    report->used_capacity = rm_sendable(figures->used_capacity);
    report->absolute_capacity = rm_sendable(figures->absolute_capacity);
    report->absolute_max_capacity = rm_sendable(figures->absolute_max_capacity);
    report->absolute_used = rm_sendable(figures->absolute_used);
    report->weight = rm_sendable(figures->weight);
    report->priority = figures->priority;
    report->used = rm_resource_message(m, &figures->used);
    report->pending = rm_resource_message(m, &figures->pending);
    report->reserved = rm_resource_message(m, &figures->reserved);
    report->minimum = rm_resource_message(m, &figures->minimum);
    report->maximum = rm_resource_message(m, &figures->maximum);
    report->am_limit = rm_resource_message(m, &figures->am_limit);
    report->am_used = rm_resource_message(m, &figures->am_used);
    report->user_limit = rm_resource_message(m, &figures->user_limit);
    report->max_apps =
        m->features.queues == SCHED_QUEUES_FAIR ? running_limit(figures->max_apps) : limit(figures->max_apps);
    report->max_apps_per_user = limit(figures->max_apps_per_user);
    report->apps_running = figures->apps_running;
    report->apps_pending = figures->apps_pending;
    report->active_apps = figures->active_apps;
    report->waiting_apps = figures->waiting_apps;
    report->containers = figures->containers;
    report->labelled_containers = figures->labelled_containers;
    report->preemption = figures->preemption;
    if (m->features.queues == SCHED_QUEUES_FAIR)
        report_shares(m, figures, report);
    report_settings(m, figures, report);
    report_partitions(m, figures, report);
    report->user_limit_percent = figures->user_limit_percent;
    report->user_limit_factor = figures->user_limit_factor;
    report->normalized_weight = rm_sendable(figures->normalized_weight);
    report->active_users = figures->active_users;
    report->maximum_lifetime_s = figures->maximum_lifetime_s;
    report->default_lifetime_s = figures->default_lifetime_s;
    return report;
}

static Creel__QueueUserPartition *user_partition_message(struct master *m, const char *label,
                                                         const struct sched_user_figures *figures)
{
    Creel__QueueUserPartition *part = arena_new0(m->out->arena, Creel__QueueUserPartition);

    creel__queue_user_partition__init(part);
    part->label = rm_message_text(m->out->arena, label);
    part->used = rm_resource_message(m, &figures->used);
    part->reserved = rm_resource_message(m, &figures->reserved);
    part->limit = rm_resource_message(m, &figures->limit);
    part->am_used = rm_resource_message(m, &figures->am_used);
    part->am_limit = rm_resource_message(m, &figures->am_limit);
    return part;
}

void rm_queue_user_partitions(struct master *m, const char *queue, Creel__QueueUserReport *report)
{
    int count = sched_label_count(m->sched);
    struct sched_user_figures figures;
    struct sched_label label;

    if (count < 2)
        return;
    report->partitions = arena_array0(m->out->arena, (size_t)count, sizeof(*report->partitions));
    for (int i = 1; i < count; i++)
        if (sched_label_at(m->sched, i, &label) &&
            sched_queue_user_partition(m->sched, queue, report->user, i, &figures))
            report->partitions[report->n_partitions++] = user_partition_message(m, label.name, &figures);
}
