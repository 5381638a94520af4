/* SPDX-License-Identifier: Apache-2.0 */
/* queue_users.c - users of a leaf of the capacity scheduler: sums of their applications in the model */
#include <string.h>

#include "common/base/text.h"
#include "web/rest/parts/parts.h"
#include "web/rest/queues/scheduler.h"
#include "yarn/resource.h"

struct amounts {
    Creel__Resource used, masters, reserved, pending;
    bool has_apps;
};

struct user_sums {
    const char *name;
    struct amounts all;
    struct amounts *parts; /* of the nodes without a label, then of each partition of the leaf */
    uint32_t active, waiting;
    bool is_active;
};

static void init_amounts(struct amounts *amounts)
{
    creel__resource__init(&amounts->used);
    creel__resource__init(&amounts->masters);
    creel__resource__init(&amounts->reserved);
    creel__resource__init(&amounts->pending);
    amounts->has_apps = false;
}

static void add_to(Creel__Resource *sum, const Creel__Resource *amount)
{
    sum->memory_mb += yarn_memory_mb(amount);
    sum->vcores += yarn_vcores(amount);
}

static bool has_master(const Creel__AppReport *app)
{
    return app->running_containers > 0 || app->state == CREEL__APP_STATE__APP_RUNNING;
}

static void add_app(struct amounts *amounts, const Creel__AppReport *app)
{
    add_to(&amounts->used, app->allocated);
    add_to(&amounts->reserved, app->reserved);
    add_to(&amounts->pending, app->pending);
    if (has_master(app))
        add_to(&amounts->masters, app->resource);
    amounts->has_apps = true;
}

/* Returns the partition of the requests of APP that name none: 0 for the nodes without a label. The report
 * has the amounts of all its requests together. */
static size_t partition_of(const Creel__QueueReport *queue, const Creel__AppReport *app)
{
    const char *label =
        *app->label != '\0' || queue->settings == NULL ? app->label : queue->settings->default_label;

    for (size_t i = 0; i < queue->n_partitions; i++)
        if (text_equal(queue->partitions[i]->label, label))
            return i + 1;
    return 0;
}

static void init_sums(struct user_sums *sums, struct arena *arena, const char *user, size_t partitions)
{
    *sums = (struct user_sums){ .name = user };
    sums->parts = arena_array0(arena, 1 + partitions, sizeof(*sums->parts));
    init_amounts(&sums->all);
    for (size_t i = 0; i <= partitions; i++)
        init_amounts(&sums->parts[i]);
}

/* Sums up the next applications of LEAF, which are of one user, and takes them out. Returns false if there
 * are none. */
static bool next_user(const struct rest_tree_writer *to, struct rest_queue *leaf, struct user_sums *sums)
{
    const Creel__QueueReport *queue = leaf->report;
    struct rest_names rest = leaf->apps;
    const Creel__AppReport *app = rest_queue_take_app(&rest, leaf, to->model);

    if (app == NULL)
        return false;
    init_sums(sums, to->arena, app->user, queue->n_partitions);
    for (; app != NULL && text_equal(app->user, sums->name);
         app = rest_queue_take_app(&rest, leaf, to->model)) {
        add_app(&sums->all, app);
        add_app(&sums->parts[partition_of(queue, app)], app);
        sums->active += has_master(app);
        sums->waiting += !has_master(app);
        sums->is_active = sums->is_active || app->pending_containers > 0;
        leaf->apps = rest;
    }
    return true;
}

static void add_usage(const struct rest_tree_writer *to, const char *label, const struct amounts *amounts,
                      const Creel__Resource *am_limit, const Creel__Resource *user_am_limit)
{
    struct document *document = to->document;
    const Creel__ClusterInfo *cluster = to->cluster;

    document_begin(document, NULL);
    document_text(document, "partitionName", label);
    rest_resource(document, "used", cluster, &amounts->used);
    rest_resource(document, "reserved", cluster, &amounts->reserved);
    rest_resource(document, "pending", cluster, &amounts->pending);
    rest_resource(document, "amUsed", cluster, &amounts->masters);
    rest_resource(document, "amLimit", cluster, am_limit);
    rest_resource(document, "userAmLimit", cluster, user_am_limit);
    document_end(document);
}

/* Writes the usage in each partition; as in YARN, those of labels only if the user has applications there. */
static void add_usages(const struct rest_tree_writer *to, const Creel__QueueReport *queue,
                       const struct user_sums *sums)
{
    size_t count = 1;

    for (size_t i = 0; i < queue->n_partitions; i++)
        count += sums->parts[i + 1].has_apps;
    document_begin(to->document, "resources");
    document_begin_list(to->document, "resourceUsagesByPartition", count);
    add_usage(to, "", &sums->parts[0], queue->am_limit, queue->user_am_limit);
    for (size_t i = 0; i < queue->n_partitions; i++)
        if (sums->parts[i + 1].has_apps)
            add_usage(to, queue->partitions[i]->label, &sums->parts[i + 1], queue->partitions[i]->am_limit,
                      queue->partitions[i]->user_am_limit);
    document_end_list(to->document);
    document_end(to->document);
}

static void add_user(const struct rest_tree_writer *to, const struct rest_queue *leaf,
                     const struct user_sums *sums)
{
    struct document *document = to->document;
    const Creel__ClusterInfo *cluster = to->cluster;

    document_begin(document, NULL);
    document_text(document, "username", sums->name);
    rest_resource(document, "resourcesUsed", cluster, &sums->all.used);
    document_uint(document, "numPendingApplications", sums->waiting);
    document_uint(document, "numActiveApplications", sums->active);
    rest_resource(document, "AMResourceUsed", cluster, &sums->all.masters);
    rest_resource(document, "userResourceLimit", cluster, leaf->report->user_limit);
    add_usages(to, leaf->report, sums);
    document_float(document, "userWeight", 1);
    document_bool(document, "isActive", sums->is_active);
    document_end(document);
}

void rest_capacity_begin_users(const struct rest_tree_writer *to, const struct rest_queue *leaf)
{
    if (!leaf->has_apps) {
        document_empty(to->document, "users");
        return;
    }
    document_begin(to->document, "users");
    document_begin_list(to->document, "user", leaf->apps.left);
}

bool rest_capacity_user(const struct rest_tree_writer *to, struct rest_queue *leaf)
{
    struct user_sums sums;

    if (!next_user(to, leaf, &sums))
        return false;
    add_user(to, leaf, &sums);
    return true;
}

void rest_capacity_end_users(const struct rest_tree_writer *to, const struct rest_queue *leaf)
{
    if (!leaf->has_apps)
        return;
    document_end_list(to->document);
    document_end(to->document);
}
