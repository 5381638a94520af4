/* SPDX-License-Identifier: Apache-2.0 */
/* queue_users.c - users of a leaf of the capacity scheduler: sums of their applications in the model */
#include <string.h>

#include "common/base/text.h"
#include "web/rest/parts.h"
#include "web/rest/scheduler.h"

struct user_sums {
    const char *name;
    Creel__Resource used, masters, reserved, pending;
    uint32_t active, waiting;
    bool is_active;
};

static void add_to(Creel__Resource *sum, const Creel__Resource *amount)
{
    sum->memory_mb += rest_memory_mb(amount);
    sum->vcores += rest_vcores(amount);
}

static void take(struct user_sums *sums, const Creel__AppReport *app)
{
    add_to(&sums->used, app->allocated);
    add_to(&sums->reserved, app->reserved);
    add_to(&sums->pending, app->pending);
    if (app->running_containers > 0 || app->state == CREEL__APP_STATE__APP_RUNNING) {
        add_to(&sums->masters, app->resource);
        sums->active++;
    } else {
        sums->waiting++;
    }
    sums->is_active = sums->is_active || app->pending_containers > 0;
}

/* Sums up the applications of one user, which begin at index *AT. Sets *AT to the index after them. */
static struct user_sums next_user(const struct rest_queue *leaf, size_t *at)
{
    struct user_sums sums = { .name = leaf->apps[*at]->user };

    creel__resource__init(&sums.used);
    creel__resource__init(&sums.masters);
    creel__resource__init(&sums.reserved);
    creel__resource__init(&sums.pending);
    for (; *at < leaf->app_count && text_equal(leaf->apps[*at]->user, sums.name); (*at)++)
        take(&sums, leaf->apps[*at]);
    return sums;
}

static size_t count_users(const struct rest_queue *leaf)
{
    size_t count = 0;

    for (size_t i = 0; i < leaf->app_count; i++)
        if (i == 0 || !text_equal(leaf->apps[i]->user, leaf->apps[i - 1]->user))
            count++;
    return count;
}

static void add_user(const struct rest_tree_writer *to, const struct rest_queue *leaf,
                     const struct user_sums *sums)
{
    struct document *document = to->document;
    const Creel__ClusterInfo *cluster = to->cluster;

    document_begin(document, NULL);
    document_text(document, "username", sums->name);
    rest_resource(document, "resourcesUsed", cluster, &sums->used);
    document_uint(document, "numPendingApplications", sums->waiting);
    document_uint(document, "numActiveApplications", sums->active);
    rest_resource(document, "AMResourceUsed", cluster, &sums->masters);
    rest_resource(document, "userResourceLimit", cluster, leaf->report->user_limit);
    document_begin(document, "resources");
    document_begin_list(document, "resourceUsagesByPartition", 1);
    document_begin(document, NULL);
    document_text(document, "partitionName", "");
    rest_resource(document, "used", cluster, &sums->used);
    rest_resource(document, "reserved", cluster, &sums->reserved);
    rest_resource(document, "pending", cluster, &sums->pending);
    rest_resource(document, "amUsed", cluster, &sums->masters);
    rest_resource(document, "amLimit", cluster, leaf->report->am_limit);
    rest_resource(document, "userAmLimit", cluster, leaf->report->user_am_limit);
    document_end(document);
    document_end_list(document);
    document_end(document);
    document_float(document, "userWeight", 1);
    document_bool(document, "isActive", sums->is_active);
    document_end(document);
}

void rest_capacity_users(const struct rest_tree_writer *to, const struct rest_queue *leaf)
{
    size_t count = count_users(leaf), at = 0;

    if (count == 0) {
        document_empty(to->document, "users");
        return;
    }
    document_begin(to->document, "users");
    document_begin_list(to->document, "user", count);
    while (at < leaf->app_count) {
        struct user_sums sums = next_user(leaf, &at);

        add_user(to, leaf, &sums);
    }
    document_end_list(to->document);
    document_end(to->document);
}
