/* SPDX-License-Identifier: Apache-2.0 */
/* allocations.c - what an allocation file says, kept */
#include "rm/sched/fair/allocations.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/allocations_private.h"

#define AM_SHARE_DEFAULT 0.5f

static struct fair_settings *settings_new(const struct fair_settings *parent, const char *name)
{
    struct fair_settings *settings = mem_new0(struct fair_settings);

    TAILQ_INIT(&settings->children);
    settings->parent = parent;
    settings->path = parent ? mem_printf("%s.%s", parent->path, name) : mem_strdup(name);
    settings->name = settings->path + strlen(settings->path) - strlen(name);
    settings->weight = 1.0f;
    settings->allow_preemption_from = true;
    return settings;
}

void fair_settings_free(struct fair_settings *settings)
{
    if (settings == NULL)
        return;
    free(settings->path);
    free(settings->own_maximum);
    free(settings->child_maximum);
    free(settings->own_container_maximum);
    acl_free(settings->own_acl_submit);
    acl_free(settings->own_acl_administer);
    free(settings);
}

struct fair_settings *fair_allocations_add(struct fair_allocations *allocations,
                                           struct fair_settings *parent, const char *name)
{
    struct fair_settings *settings = settings_new(parent, name);

    if (parent)
        TAILQ_INSERT_TAIL(&parent->children, settings, sibling);
    TAILQ_INSERT_TAIL(&allocations->queues, settings, link);
    HASH_ADD_KEYPTR(hh, allocations->by_path, settings->path, strlen(settings->path), settings);
    allocations->queue_count++;
    return settings;
}

struct fair_allocations *fair_allocations_new(void)
{
    struct fair_allocations *allocations = mem_new0(struct fair_allocations);

    allocations->everybody = acl_new("*");
    allocations->nobody = acl_new(" ");
    allocations->container_maximum = fair_amount_unbounded().value;
    TAILQ_INIT(&allocations->queues);
    allocations->user_max_apps = FAIR_NO_LIMIT;
    allocations->queue_max_apps = FAIR_NO_LIMIT;
    allocations->queue_maximum = fair_amount_unbounded();
    allocations->queue_max_am_share = AM_SHARE_DEFAULT;
    allocations->policy = FAIR_POLICY_FAIR;
    allocations->root = fair_allocations_add(allocations, NULL, "root");
    return allocations;
}

void fair_allocations_free(struct fair_allocations *allocations)
{
    struct fair_settings *settings;
    struct fair_user *user, *next;

    if (allocations == NULL)
        return;
    HASH_CLEAR(hh, allocations->by_path);
    while ((settings = TAILQ_FIRST(&allocations->queues)) != NULL) {
        TAILQ_REMOVE(&allocations->queues, settings, link);
        fair_settings_free(settings);
    }
    HASH_ITER(hh, allocations->users, user, next) {
        HASH_DEL(allocations->users, user);
        free(user->name);
        free(user);
    }
    fair_placement_free(allocations->placement);
    acl_free(allocations->everybody);
    acl_free(allocations->nobody);
    free(allocations);
}

void fair_settings_fill(const struct fair_allocations *allocations,
                        struct fair_settings *settings)
{
    const struct fair_settings *parent = settings->parent;
    uint32_t given = settings->given;
    const struct acl *unsaid;

    settings->maximum = settings->own_maximum ? settings->own_maximum : &allocations->queue_maximum;
    if (!(given & GIVEN_MAX_RUNNING_APPS))
        settings->max_running_apps = allocations->queue_max_apps;
    if (!(given & GIVEN_MAX_AM_SHARE))
        settings->max_am_share = allocations->queue_max_am_share;
    if (!(given & GIVEN_POLICY))
        settings->policy = allocations->policy;
    settings->container_maximum = settings->own_container_maximum ? settings->own_container_maximum
                                : parent ? parent->container_maximum : &allocations->container_maximum;
    unsaid = parent ? allocations->nobody : allocations->everybody;
    settings->acl_submit = settings->own_acl_submit ? settings->own_acl_submit : unsaid;
    settings->acl_administer = settings->own_acl_administer ? settings->own_acl_administer : unsaid;
    /* Root's are set by whoever made it. */
    if (parent && !(given & GIVEN_MIN_SHARE_TIMEOUT))
        settings->min_share_timeout_ms = parent->min_share_timeout_ms;
    if (parent && !(given & GIVEN_FAIR_SHARE_TIMEOUT))
        settings->fair_share_timeout_ms = parent->fair_share_timeout_ms;
    if (parent && !(given & GIVEN_FAIR_SHARE_THRESHOLD))
        settings->fair_share_threshold = parent->fair_share_threshold;
}

struct fair_allocations *fair_allocations_none(const struct fair_options *options)
{
    struct fair_allocations *allocations = fair_allocations_new();

    allocations->root->min_share_timeout_ms = FAIR_NEVER_MS;
    allocations->root->fair_share_timeout_ms = FAIR_NEVER_MS;
    allocations->root->fair_share_threshold = FAIR_THRESHOLD_DEFAULT;
    fair_settings_fill(allocations, allocations->root);
    allocations->placement = fair_placement_default(options->user_as_default_queue,
                                                    options->allow_undeclared_pools);
    return allocations;
}

const struct fair_settings *fair_allocations_find(const struct fair_allocations *allocations,
                                                  const char *path)
{
    struct fair_settings *settings = NULL;

    HASH_FIND(hh, allocations->by_path, path, strlen(path), settings);
    return settings;
}

enum fair_queue_kind fair_allocations_configured(void *allocations, const char *path)
{
    const struct fair_settings *settings = fair_allocations_find(allocations, path);

    if (settings == NULL)
        return FAIR_QUEUE_NONE;
    return settings->leaf ? FAIR_QUEUE_LEAF : FAIR_QUEUE_PARENT;
}

int64_t fair_allocations_user_max_apps(const struct fair_allocations *allocations,
                                       const char *user)
{
    struct fair_user *found = NULL;

    HASH_FIND(hh, allocations->users, user, strlen(user), found);
    return found ? found->max_running_apps : allocations->user_max_apps;
}

struct fair_settings *fair_settings_new(const struct fair_allocations *allocations,
                                        const struct fair_settings *parent, const char *path,
                                        bool leaf)
{
    const char *dot = strrchr(path, '.');
    struct fair_settings *settings = settings_new(parent, dot ? dot + 1 : path);

    settings->leaf = leaf;
    fair_settings_fill(allocations, settings);
    if (parent->child_maximum)
        settings->maximum = parent->child_maximum;
    return settings;
}

struct resource fair_settings_maximum(const struct fair_settings *settings,
                                      const struct resource *total)
{
    return resource_max(fair_amount_resolve(settings->maximum, total), settings->minimum);
}

bool fair_policy_allows(enum fair_policy parent, enum fair_policy child)
{
    return parent == FAIR_POLICY_DRF || (parent == FAIR_POLICY_FAIR && child != FAIR_POLICY_DRF);
}

const char *fair_policy_name(enum fair_policy policy)
{
    static const char *const names[] = {
        [FAIR_POLICY_FAIR] = "fair", [FAIR_POLICY_DRF] = "drf", [FAIR_POLICY_FIFO] = "fifo",
    };

    return names[policy];
}
