/* SPDX-License-Identifier: Apache-2.0 */
/* allocations.c - the settings read from an allocation file */
#include "rm/sched/fair/allocations.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/allocations_private.h"

#define AM_SHARE_DEFAULT 0.5f

static int fair_settings_compare(const struct fair_settings *a, const struct fair_settings *b)
{
    return strcmp(a->path, b->path);
}

RB_GENERATE(fair_settings_tree, fair_settings, by_path, fair_settings_compare)

static struct fair_settings *settings_new(const struct fair_settings *parent, const char *name)
{
    scoped_free char *path = parent ? mem_printf("%s.%s", parent->path, name) : mem_strdup(name);
    struct fair_settings *settings = mem_alloc0(offsetof(struct fair_settings, path) + strlen(path) + 1);

    settings->parent = parent;
    memcpy(settings->path, path, strlen(path) + 1);
    settings->weight = 1.0f;
    settings->allow_preemption_from = true;
    return settings;
}

struct fair_own *fair_settings_own(struct fair_settings *settings)
{
    if (settings->own == NULL)
        settings->own = mem_new0(struct fair_own);
    return settings->own;
}

static void free_own(struct fair_own *own)
{
    if (own == NULL)
        return;
    free(own->maximum);
    free(own->child_maximum);
    free(own->container_maximum);
    acl_free(own->acl_submit);
    acl_free(own->acl_administer);
    free(own);
}

void fair_settings_free(struct fair_settings *settings)
{
    if (settings == NULL)
        return;
    free_own(settings->own);
    free(settings);
}

struct fair_settings *fair_allocations_add(struct fair_allocations *allocations,
                                           const struct fair_settings *parent, const char *name)
{
    struct fair_settings *settings = settings_new(parent, name);

    STAILQ_INSERT_TAIL(&allocations->queues, settings, link);
    RB_INSERT(fair_settings_tree, &allocations->by_path, settings);
    allocations->queue_count++;
    return settings;
}

struct fair_allocations *fair_allocations_new(void)
{
    struct fair_allocations *allocations = mem_new0(struct fair_allocations);

    allocations->everybody = acl_new("*");
    allocations->nobody = acl_new(" ");
    allocations->container_maximum = fair_amount_unbounded().value;
    STAILQ_INIT(&allocations->queues);
    RB_INIT(&allocations->by_path);
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
    while ((settings = STAILQ_FIRST(&allocations->queues)) != NULL) {
        STAILQ_REMOVE_HEAD(&allocations->queues, link);
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

void fair_settings_fill(const struct fair_allocations *allocations, struct fair_settings *settings)
{
    static const struct fair_own nothing;
    const struct fair_own *own = settings->own ? settings->own : &nothing;
    const struct fair_settings *parent = settings->parent;
    uint32_t given = settings->given;
    const struct acl *default_acl;

    settings->maximum = own->maximum ? own->maximum : &allocations->queue_maximum;
    if (!(given & GIVEN_MAX_RUNNING_APPS))
        settings->max_running_apps = allocations->queue_max_apps;
    if (!(given & GIVEN_MAX_AM_SHARE))
        settings->max_am_share = allocations->queue_max_am_share;
    if (!(given & GIVEN_POLICY))
        settings->policy = allocations->policy;
    settings->container_maximum = own->container_maximum ? own->container_maximum
                                  : parent               ? parent->container_maximum
                                                         : &allocations->container_maximum;
    default_acl = parent ? allocations->nobody : allocations->everybody;
    settings->acl_submit = own->acl_submit ? own->acl_submit : default_acl;
    settings->acl_administer = own->acl_administer ? own->acl_administer : default_acl;
    /* The caller sets these values of root. */
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
    allocations->placement =
        fair_placement_default(options->user_as_default_queue, options->allow_undeclared_pools);
    return allocations;
}

const struct fair_settings *fair_allocations_find(const struct fair_allocations *allocations,
                                                  const char *path)
{
    const struct fair_settings *at = RB_ROOT(&allocations->by_path);
    int order;

    while (at && (order = strcmp(path, at->path)) != 0)
        at = order < 0 ? RB_LEFT(at, by_path) : RB_RIGHT(at, by_path);
    return at;
}

enum fair_queue_kind fair_allocations_configured(void *allocations, const char *path)
{
    const struct fair_settings *settings = fair_allocations_find(allocations, path);

    if (settings == NULL)
        return FAIR_QUEUE_NONE;
    return settings->leaf ? FAIR_QUEUE_LEAF : FAIR_QUEUE_PARENT;
}

int64_t fair_allocations_user_max_apps(const struct fair_allocations *allocations, const char *user)
{
    struct fair_user *found = NULL;

    HASH_FIND(hh, allocations->users, user, strlen(user), found);
    return found ? found->max_running_apps : allocations->user_max_apps;
}

struct fair_settings *fair_settings_new(const struct fair_allocations *allocations,
                                        const struct fair_settings *parent, const char *path, bool leaf)
{
    const char *dot = strrchr(path, '.');
    struct fair_settings *settings = settings_new(parent, dot ? dot + 1 : path);

    settings->leaf = leaf;
    fair_settings_fill(allocations, settings);
    if (parent->own && parent->own->child_maximum)
        settings->maximum = parent->own->child_maximum;
    return settings;
}

struct resource fair_settings_maximum(const struct fair_settings *settings, const struct resource *total)
{
    return resource_max(fair_amount_resolve(settings->maximum, total), fair_settings_minimum(settings));
}

bool fair_policy_allows(enum fair_policy parent, enum fair_policy child)
{
    return parent == FAIR_POLICY_DRF || (parent == FAIR_POLICY_FAIR && child != FAIR_POLICY_DRF);
}

const char *fair_policy_name(enum fair_policy policy)
{
    static const char *const names[] = {
        [FAIR_POLICY_FAIR] = "fair",
        [FAIR_POLICY_DRF] = "drf",
        [FAIR_POLICY_FIFO] = "fifo",
    };

    return names[policy];
}
