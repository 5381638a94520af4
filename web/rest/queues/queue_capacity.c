/* SPDX-License-Identifier: Apache-2.0 */
/* queue_capacity.c - queues of the capacity scheduler, as YARN's CapacitySchedulerQueueInfo */
#include <math.h>
#include <stdio.h>

#include "common/base/text.h"
#include "web/rest/parts/parts.h"
#include "web/rest/queues/scheduler.h"
#include "web/text/number.h"
#include "yarn/queue.h"

/* Writes FRACTION as a percentage, as YARN does. */
static void add_percent(struct document *document, const char *name, float fraction)
{
    document_float(document, name, fraction * 100);
}

/* Returns the queue's settings; empty settings if another scheduler made the report. */
static const Creel__QueueSettings *settings_of(const struct rest_queue *queue)
{
    static const Creel__QueueSettings none = CREEL__QUEUE_SETTINGS__INIT;

    return queue->report->settings != NULL ? queue->report->settings : &none;
}

static bool has_mode(const struct rest_queue *queue, const char *mode)
{
    return text_equal(settings_of(queue)->mode, mode);
}

/* --- the vector of capacities ------------------------------------------------- */

#define VECTOR_SHOWN_MAX 2048 /* bytes; there are few types of resources */

/* Returns the configured capacity for one type as YARN writes it: "30.0%", "2.0w" (weight), "4096.0". */
static const char *entry_text(struct arena *arena, const Creel__CapacityEntry *entry)
{
    char number[NUMBER_TEXT_MAX];

    if (entry->value == floor(entry->value))
        return arena_printf(arena, "%.1f%s", entry->value, entry->unit);
    number_format_float((float)entry->value, number);
    return arena_printf(arena, "%s%s", number, entry->unit);
}

static void add_vector_entry(const struct rest_tree_writer *to, const Creel__CapacityEntry *entry)
{
    document_begin(to->document, NULL);
    document_text(to->document, "resourceName", entry->resource);
    document_text(to->document, "resourceValue", entry_text(to->arena, entry));
    document_end(to->document);
}

static void add_vector(const struct rest_tree_writer *to, const Creel__QueuePartition *part)
{
    struct document *document = to->document;
    char text[VECTOR_SHOWN_MAX] = "";
    size_t used = 0;

    for (size_t i = 0; i < part->n_configured && used < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s", i > 0 ? "," : "",
                                 part->configured[i]->resource, entry_text(to->arena, part->configured[i]));
    document_begin(document, "queueCapacityVectorInfo");
    document_text(document, "configuredCapacityVector", arena_printf(to->arena, "[%s]", text));
    document_begin_list(document, "capacityVectorEntries", part->n_configured);
    for (size_t i = 0; i < part->n_configured; i++)
        add_vector_entry(to, part->configured[i]);
    document_end_list(document);
    document_end(document);
}

/* --- by partition -------------------------------------------------------------- */

/* Returns the queue's values for nodes without a label, in the structure that partitions with a label
 * have. */
static Creel__QueuePartition unlabelled(const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    const Creel__QueueSettings *settings = settings_of(queue);
    Creel__QueuePartition part = CREEL__QUEUE_PARTITION__INIT;

    part.capacity = report->capacity;
    part.max_capacity = report->max_capacity;
    part.used_capacity = report->used_capacity;
    part.absolute_capacity = report->absolute_capacity;
    part.absolute_max_capacity = report->absolute_max_capacity;
    part.absolute_used = report->absolute_used;
    part.weight = report->weight;
    part.normalized_weight = report->normalized_weight;
    part.am_fraction = settings->am_fraction;
    part.used = report->used;
    part.reserved = report->reserved;
    part.pending = report->pending;
    part.minimum = report->minimum;
    part.maximum = report->maximum;
    part.am_used = report->am_used;
    part.am_limit = report->am_limit;
    part.user_am_limit = report->user_am_limit;
    part.configured = settings->configured;
    part.n_configured = settings->n_configured;
    part.configured_minimum = settings->configured_minimum;
    part.configured_maximum = settings->configured_maximum;
    return part;
}

static void add_capacity(const struct rest_tree_writer *to, const struct rest_queue *queue,
                         const Creel__QueuePartition *part)
{
    struct document *document = to->document;

    document_begin(document, NULL);
    document_text(document, "partitionName", part->label);
    add_vector(to, part);
    add_percent(document, "capacity", part->capacity);
    add_percent(document, "usedCapacity", part->used_capacity);
    add_percent(document, "maxCapacity", part->max_capacity);
    add_percent(document, "absoluteCapacity", part->absolute_capacity);
    add_percent(document, "absoluteUsedCapacity", part->absolute_used);
    add_percent(document, "absoluteMaxCapacity", part->absolute_max_capacity);
    add_percent(document, "maxAMLimitPercentage", queue->report->leaf ? part->am_fraction : 0);
    document_float(document, "weight", part->weight);
    document_float(document, "normalizedWeight", part->normalized_weight);
    rest_allocation(document, "configuredMinResource", to->cluster, part->configured_minimum);
    rest_allocation(document, "configuredMaxResource", to->cluster, part->configured_maximum);
    rest_resource(document, "effectiveMinResource", to->cluster, part->minimum);
    rest_resource(document, "effectiveMaxResource", to->cluster, part->maximum);
    document_end(document);
}

static void add_usage(const struct rest_tree_writer *to, const struct rest_queue *queue,
                      const Creel__QueuePartition *part)
{
    struct document *document = to->document;

    document_begin(document, NULL);
    document_text(document, "partitionName", part->label);
    rest_resource(document, "used", to->cluster, part->used);
    rest_resource(document, "reserved", to->cluster, part->reserved);
    rest_resource(document, "pending", to->cluster, part->pending);
    if (queue->report->leaf) {
        rest_resource(document, "amUsed", to->cluster, part->am_used);
        rest_resource(document, "amLimit", to->cluster, part->am_limit);
        rest_resource(document, "userAmLimit", to->cluster, part->user_am_limit);
    }
    document_end(document);
}

typedef void add_partition_fn(const struct rest_tree_writer *to, const struct rest_queue *queue,
                              const Creel__QueuePartition *part);

/* Writes an object OUTER with a list NAME: ADD writes one element for each partition. */
static void add_partitions(const struct rest_tree_writer *to, const struct rest_queue *queue,
                           const char *outer, const char *name, add_partition_fn *add)
{
    const Creel__QueueReport *report = queue->report;
    Creel__QueuePartition first = unlabelled(queue);

    document_begin(to->document, outer);
    document_begin_list(to->document, name, 1 + report->n_partitions);
    add(to, queue, &first);
    for (size_t i = 0; i < report->n_partitions; i++)
        add(to, queue, report->partitions[i]);
    document_end_list(to->document);
    document_end(to->document);
}

static void add_capacities(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    add_partitions(to, queue, "capacities", "queueCapacitiesByPartition", add_capacity);
}

static void add_usages(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    add_partitions(to, queue, "resources", "resourceUsagesByPartition", add_usage);
}

/* --- what is configured -------------------------------------------------------- */

static void add_acl(struct document *document, const char *type, const char *list)
{
    document_begin(document, NULL);
    document_text(document, "accessType", type);
    document_text(document, "accessControlList", list != NULL && *list != '\0' ? list : " ");
    document_end(document);
}

static void add_acls(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    struct document *document = to->document;

    document_begin(document, "queueAcls");
    document_begin_list(document, "queueAcl", 3);
    add_acl(document, "ADMINISTER_QUEUE", settings_of(queue)->administer_acl);
    add_acl(document, "APPLICATION_MAX_PRIORITY", "*");
    add_acl(document, "SUBMIT_APP", settings_of(queue)->submit_acl);
    document_end_list(document);
    document_end(document);
}

static void add_labels(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueSettings *settings = settings_of(queue);

    document_begin_list(to->document, "nodeLabels", settings->n_labels);
    for (size_t i = 0; i < settings->n_labels; i++)
        document_text(to->document, NULL, settings->labels[i]);
    document_end_list(to->document);
}

static const char *creation_method(const struct rest_queue *queue)
{
    if (!queue->report->dynamic)
        return "static";
    return queue->parent != NULL && text_equal(settings_of(queue->parent)->auto_creation, "legacy")
               ? "dynamicLegacy"
               : "dynamicFlexible";
}

/* Writes the properties of a template, whose names begin with PREFIX, as YARN's LeafQueueTemplateInfo. */
static void add_template(const struct rest_tree_writer *to, const char *name, const char *prefix,
                         Creel__QueueProperty *const *properties, size_t count)
{
    struct document *document = to->document;

    if (count == 0) {
        document_empty(document, name);
        return;
    }
    document_begin(document, name);
    document_begin_list(document, "property", count);
    for (size_t i = 0; i < count; i++) {
        document_begin(document, NULL);
        document_text(document, "name", arena_printf(to->arena, "%s%s", prefix, properties[i]->name));
        document_text(document, "value", properties[i]->value);
        document_end(document);
    }
    document_end_list(document);
    document_end(document);
}

static void add_kind(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueSettings *settings = settings_of(queue);
    struct document *document = to->document;

    document_text(document, "mode", settings->mode);
    document_text(document, "queueType", queue->report->leaf ? "leaf" : "parent");
    document_text(document, "creationMethod", creation_method(queue));
    document_text(document, "autoCreationEligibility", settings->auto_creation);
    if (*settings->default_label != '\0')
        document_text(document, "defaultNodeLabelExpression", settings->default_label);
    add_template(to, "autoQueueTemplateProperties", "", settings->dynamic_template,
                 settings->n_dynamic_template);
    add_template(to, "autoQueueParentTemplateProperties", "", settings->dynamic_parent_template,
                 settings->n_dynamic_parent_template);
    add_template(to, "autoQueueLeafTemplateProperties", "", settings->dynamic_leaf_template,
                 settings->n_dynamic_leaf_template);
}

static void add_priorities(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    rest_resource(to->document, "maximumAllocation", to->cluster, settings_of(queue)->maximum_allocation);
    add_acls(to, queue);
    document_int(to->document, "queuePriority", queue->report->priority);
    document_text(to->document, "orderingPolicyInfo", settings_of(queue)->ordering);
}

/* --- one queue ------------------------------------------------------------------ */

static void begin_children(struct document *document, const struct rest_queue *queue)
{
    if (queue->child_count == 0) {
        document_empty(document, "queues");
        return;
    }
    document_begin(document, "queues");
    document_begin_list(document, "queue", queue->child_count);
}

static void end_children(struct document *document, const struct rest_queue *queue)
{
    if (queue->child_count == 0)
        return;
    document_end_list(document);
    document_end(document);
}

static void add_figures(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    struct document *document = to->document;

    document_text(document, "queuePath", report->path);
    add_percent(document, "capacity", report->capacity);
    add_percent(document, "usedCapacity", report->used_capacity);
    add_percent(document, "maxCapacity", report->max_capacity);
    add_percent(document, "absoluteCapacity", report->absolute_capacity);
    add_percent(document, "absoluteMaxCapacity", report->absolute_max_capacity);
    add_percent(document, "absoluteUsedCapacity", report->absolute_used);
    document_float(document, "weight", report->weight);
    document_float(document, "normalizedWeight", report->normalized_weight);
    document_uint(document, "numApplications", report->apps_running + report->apps_pending);
    document_int(document, "maxParallelApps", yarn_running_limit(settings_of(queue)->max_parallel_apps));
    document_text(document, "queueName", queue->name);
    document_bool(document, "isAbsoluteResource", has_mode(queue, "absolute"));
    document_text(document, "state", report->state);
}

static void begin_leaf(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    struct document *document = to->document;

    document_uint(document, "numActiveApplications", report->active_apps);
    document_uint(document, "numPendingApplications", report->waiting_apps);
    document_uint(document, "numContainers", report->containers);
    document_int(document, "maxApplications", report->max_apps);
    document_int(document, "maxApplicationsPerUser", report->max_apps_per_user);
    document_float(document, "userLimit", report->user_limit_percent);
    rest_capacity_begin_users(to, queue);
}

static void end_leaf(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    const Creel__QueueSettings *settings = settings_of(queue);
    struct document *document = to->document;

    rest_capacity_end_users(to, queue);
    document_float(document, "userLimitFactor", report->user_limit_factor);
    document_float(document, "configuredMaxAMResourceLimit", settings->am_fraction);
    rest_resource(document, "AMResourceLimit", to->cluster, report->am_limit);
    rest_resource(document, "usedAMResource", to->cluster, report->am_used);
    rest_resource(document, "userAMResourceLimit", to->cluster, report->user_am_limit);
    document_bool(document, "preemptionDisabled", !report->preemption);
    document_bool(document, "intraQueuePreemptionDisabled", !settings->intra_queue_preemption);
    document_int(document, "defaultPriority", settings->default_app_priority);
    document_bool(document, "isAutoCreatedLeafQueue", report->dynamic);
    document_int(document, "maxApplicationLifetime", report->maximum_lifetime_s);
    document_int(document, "defaultApplicationLifetime", report->default_lifetime_s);
}

/* What comes after the children of a parent, and before the users of a leaf. */
static void add_middle(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    struct document *document = to->document;

    rest_resource(document, "resourcesUsed", to->cluster, report->used);
    document_bool(document, "hideReservationQueues", false);
    add_labels(to, queue);
    document_uint(document, "allocatedContainers", report->containers - report->labelled_containers);
    document_uint(document, "reservedContainers", queue->unlabelled_reserved);
    document_uint(document, "pendingContainers", queue->unlabelled_pending);
    add_capacities(to, queue);
    add_usages(to, queue);
    rest_resource(document, "minEffectiveCapacity", to->cluster, report->minimum);
    rest_resource(document, "maxEffectiveCapacity", to->cluster, report->maximum);
    add_priorities(to, queue);
    document_bool(document, "autoCreateChildQueueEnabled",
                  text_equal(settings_of(queue)->auto_creation, "legacy"));
    add_template(to, "leafQueueTemplate", "leaf-queue-template.", settings_of(queue)->managed_template,
                 settings_of(queue)->n_managed_template);
    add_kind(to, queue);
}

static void enter_queue(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    document_begin_as(to->document, NULL, queue->leaf ? "capacitySchedulerLeafQueueInfo" : NULL);
    add_figures(to, queue);
    if (!queue->leaf) {
        begin_children(to->document, queue);
        return;
    }
    add_middle(to, queue);
    begin_leaf(to, queue);
}

static void leave_queue(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    if (queue->leaf) {
        end_leaf(to, queue);
    } else {
        end_children(to->document, queue);
        add_middle(to, queue);
    }
    document_end(to->document);
}

/* --- the whole ------------------------------------------------------------------ */

/* Writes YARN's "health" of the scheduler. Its operations are empty, since creel does not record them. */
static void add_health(const struct rest_tree_writer *to)
{
    static const char *const last[] = {
        "last-allocation",
        "last-release",
        "last-preemption",
        "last-reservation",
    };
    static const char *const runs[] = { "releases", "allocations", "reservations" };
    struct document *document = to->document;

    document_begin(document, "health");
    document_int(document, "lastrun", to->cluster->now_ms);
    document_begin_list(document, "operationsInfo", 4);
    for (size_t i = 0; i < 4; i++) {
        document_begin(document, NULL);
        document_text(document, "operation", last[i]);
        document_text(document, "nodeId", "N/A");
        document_text(document, "containerId", "N/A");
        document_text(document, "queue", "N/A");
        document_end(document);
    }
    document_end_list(document);
    document_begin_list(document, "lastRunDetails", 3);
    for (size_t i = 0; i < 3; i++) {
        document_begin(document, NULL);
        document_text(document, "operation", runs[i]);
        document_int(document, "count", 0);
        rest_resource(document, "resources", to->cluster, NULL);
        document_end(document);
    }
    document_end_list(document);
    document_end(document);
}

static void enter_root(const struct rest_tree_writer *to, const struct rest_queue *root)
{
    const Creel__QueueReport *report = root->report;
    Creel__QueuePartition part = unlabelled(root);
    struct document *document = to->document;

    add_percent(document, "capacity", report->capacity);
    add_percent(document, "usedCapacity", report->used_capacity);
    add_percent(document, "maxCapacity", report->max_capacity);
    document_float(document, "weight", report->weight);
    document_float(document, "normalizedWeight", report->normalized_weight);
    add_vector(to, &part);
    document_text(document, "queueName", root->name);
    document_text(document, "queuePath", report->path);
    document_int(document, "maxParallelApps", yarn_running_limit(settings_of(root)->max_parallel_apps));
    document_bool(document, "isAbsoluteResource", has_mode(root, "absolute"));
    begin_children(document, root);
}

static void leave_root(const struct rest_tree_writer *to, const struct rest_queue *root)
{
    end_children(to->document, root);
    add_capacities(to, root);
    add_health(to);
    add_priorities(to, root);
    add_kind(to, root);
}

static void enter(const struct rest_tree_writer *to, struct rest_queue *queue)
{
    if (queue->parent == NULL)
        enter_root(to, queue);
    else
        enter_queue(to, queue);
}

static bool user(const struct rest_tree_writer *to, struct rest_queue *queue)
{
    return queue->leaf && queue->parent != NULL && rest_capacity_user(to, queue);
}

static void leave(const struct rest_tree_writer *to, struct rest_queue *queue)
{
    if (queue->parent == NULL)
        leave_root(to, queue);
    else
        leave_queue(to, queue);
}

const struct rest_tree_kind rest_capacity_tree = { "capacityScheduler", enter, user, leave };
