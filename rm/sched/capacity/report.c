/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reports figures, users and the order of queues and applications of the capacity scheduler */
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"
#include "yarn/queue.h"

/* Recomputes figures that depend on the size of the cluster, if they are outdated. */
static void settle(const struct sched *sched)
{
    capacity_recompute((struct sched *)(uintptr_t)sched);
}

/* --- figures --------------------------------------------------------------- */

static const char *state_name(const struct sched_queue *queue)
{
    if (queue_data(queue)->config->state == CAPACITY_RUNNING)
        return YARN_QUEUE_RUNNING;
    return queue->apps_running + queue->apps_pending > 0 ? YARN_QUEUE_DRAINING : YARN_QUEUE_STOPPED;
}

/* Returns true if a leaf has no capacity in any partition, and its limit of applications is a part of
 * all applications. YARN then shows the limit 0 for a managed leaf; its applications are admitted by the
 * limit that it has with its capacity. */
static bool has_no_part(const struct sched *sched, const struct sched_queue *queue)
{
    const struct capacity_queue *config = queue_data(queue)->config;

    for (int l = 0; l < sched->label_count; l++)
        if (part_data(queue->parts[l])->share->absolute > 0)
            return false;
    return config->max_apps_given < 0;
}

static void leaf_figures(const struct sched *sched, const struct queue_partition *part,
                         struct sched_queue_figures *ret)
{
    const struct sched_queue *queue = part->queue;
    uint32_t apps = queue->apps_running + queue->apps_pending;

    ret->am_limit = capacity_am_limit(sched, part);
    ret->am_used = sched_load(sched, queue_am_used(part));
    ret->user_limit = capacity_user_limit(sched, part, true);
    ret->active_users = queue_data(queue)->active_users;
    ret->active_apps = queue->active_apps;
    ret->waiting_apps = apps - queue->active_apps;
    ret->max_apps = queue_data(queue)->config->max_apps;
    ret->max_apps_per_user = queue_data(queue)->config->max_apps_per_user;
    if (has_no_part(sched, queue))
        ret->max_apps = ret->max_apps_per_user = 0;
    ret->user_limit_percent = queue_data(queue)->config->user_limit_percent;
    ret->user_limit_factor = queue_data(queue)->config->user_limit_factor;
}

/* In legacy mode, the fraction of a queue with a weight is its normalized weight, and its capacity is 0. */
static bool is_weighted(const struct sched *sched, const struct capacity_share *share)
{
    return share->mode == CAPACITY_WEIGHT && capacity_of(sched)->config->legacy_queue_mode;
}

void capacity_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                            struct sched_queue_figures *ret)
{
    const struct queue_partition *part = queue->parts[0];
    const struct capacity_share *share;
    const struct resource *total = &sched->label_total[0];

    settle(sched);
    share = part_data(part)->share;
    ret->state = state_name(queue);
    if (queue_data(queue)->config->state_given)
        ret->configured_state =
            queue_data(queue)->config->stop_given ? YARN_QUEUE_STOPPED : YARN_QUEUE_RUNNING;
    ret->maximum_lifetime_s = queue_data(queue)->config->maximum_lifetime_s;
    ret->default_lifetime_s = queue_data(queue)->config->default_lifetime_s;
    ret->dynamic = queue_data(queue)->config->dynamic;
    ret->capacity = is_weighted(sched, share) ? 0 : share->capacity;
    ret->normalized_weight = is_weighted(sched, share) ? share->capacity : 0;
    ret->max_capacity = share->maximum;
    ret->absolute_capacity = share->absolute;
    ret->absolute_max_capacity = share->absolute_maximum;
    ret->absolute_used =
        resource_is_zero(total) ? 0 : calc_divide(&sched->calc, total, queue_used(part), total);
    ret->used_capacity = capacity_used_fraction(part);
    ret->weight = share->mode == CAPACITY_WEIGHT ? share->configured : -1;
    ret->priority = queue_data(queue)->config->priority;
    ret->minimum = share->effective_minimum;
    ret->maximum = share->effective_maximum;
    ret->preemption = capacity_of(sched)->preemption && !queue_data(queue)->config->disable_preemption;
    ret->active_apps = queue->parallel_apps;
    ret->waiting_apps = queue->apps_running + queue->apps_pending - queue->parallel_apps;
    if (queue->leaf)
        leaf_figures(sched, part, ret);
}

/* Returns the maximum in amounts of a queue, or that which a queue with amounts inherits; or NULL. */
static const struct capacity_vector *maximum_in_amounts(const struct queue_partition *part)
{
    while (part && part_data(part)->share->maximum_vector == NULL &&
           part_data(part)->share->mode == CAPACITY_VECTOR)
        part = part->up;
    return part ? part_data(part)->share->maximum_vector : NULL;
}

static struct sched_capacity configured_capacity(const struct queue_partition *part)
{
    static const char units[] = {
        [CAPACITY_UNIT_ABSOLUTE] = '=',
        [CAPACITY_UNIT_PERCENT] = '%',
        [CAPACITY_UNIT_WEIGHT] = 'w',
    };
    const struct capacity_vector *most = maximum_in_amounts(part);
    struct sched_capacity ret = { .types = part->sched->calc.types };
    enum capacity_unit unit;

    for (int t = 0; t < ret.types; t++) {
        ret.value[t] = capacity_share_amount(part_data(part)->share, (size_t)t, &unit);
        ret.unit[t] = units[unit];
        if (unit == CAPACITY_UNIT_ABSOLUTE)
            ret.minimum.value[t] = (int64_t)ret.value[t];
        if (most && most->given[t] && most->unit[t] == CAPACITY_UNIT_ABSOLUTE)
            ret.maximum.value[t] = (int64_t)most->value[t];
    }
    return ret;
}

static const char *mode_name(const struct sched_capacity *configured)
{
    for (int t = 1; t < configured->types; t++)
        if (configured->unit[t] != configured->unit[0])
            return "mixed";
    return configured->unit[0] == '%' ? "percentage" : configured->unit[0] == 'w' ? "weight" : "absolute";
}

static const char *ordering_name(const struct capacity_queue *config)
{
    if (config->leaf)
        return config->order == CAPACITY_ORDER_FAIR ? "fair" : "fifo";
    return config->priority_utilization ? "priority-utilization" : "utilization";
}

/* Returns the labels that requests in QUEUE may name, by the scheduler's indexes. */
static uint64_t label_bits(const struct sched_queue *queue)
{
    return queue_data(queue)->config->access == UINT64_MAX ? UINT64_MAX : queue->labels;
}

void capacity_queue_settings(const struct sched *sched, const struct sched_queue *queue,
                             struct sched_queue_settings *ret)
{
    const struct capacity_queue *config = queue_data(queue)->config;
    const struct queue_partition *part = queue->parts[0];
    const struct capacity_share *share;

    settle(sched);
    share = part_data(part)->share;
    *ret = (struct sched_queue_settings){
        .configured = configured_capacity(part),
        .labels = label_bits(queue),
        .default_label = queue->default_label,
        .submit_acl = config->acl_submit,
        .administer_acl = config->acl_administer,
        .ordering = ordering_name(config),
        .am_fraction = share->am_fraction,
        .default_app_priority = config->default_app_priority,
        .maximum_allocation = config->maximum_allocation,
        .user_am_limit = queue->leaf ? capacity_user_am_limit(sched, part, 1) : resource_of(0, 0),
        .max_parallel_apps = config->max_parallel_apps,
        .intra_queue_preemption = capacity_preempts_within(sched, queue),
        .auto_creation = config->auto_create          ? "flexible"
                         : config->auto_create_legacy ? "legacy"
                                                      : "off",
    };
    ret->mode = mode_name(&ret->configured);
}

struct template_receiver {
    sched_template_fn *each;
    void *context;
};

static void pass_template(void *context, enum capacity_template_kind kind, const char *name,
                          const char *value, int stars)
{
    static const enum sched_template kinds[] = {
        [CAPACITY_TEMPLATE_MANAGED] = SCHED_TEMPLATE_MANAGED,
        [CAPACITY_TEMPLATE_DYNAMIC] = SCHED_TEMPLATE_DYNAMIC,
        [CAPACITY_TEMPLATE_PARENT] = SCHED_TEMPLATE_PARENT,
        [CAPACITY_TEMPLATE_LEAF] = SCHED_TEMPLATE_LEAF,
    };
    const struct template_receiver *to = context;

    to->each(to->context, kinds[kind], name, value, stars);
}

void capacity_queue_templates(const struct sched *sched, const struct sched_queue *queue,
                              sched_template_fn *each, void *context)
{
    struct template_receiver to = { each, context };

    capacity_each_template(capacity_of(sched)->config, queue_data(queue)->config, pass_template, &to);
}

static bool label_exists(const struct sched *sched, int label)
{
    return sched->labels[label].configured || sched->label_nodes[label] > 0 ||
           capacity_of(sched)->labels_named >> label & 1;
}

void capacity_partition_figures(const struct sched *sched, const struct queue_partition *part,
                                struct sched_partition_figures *ret)
{
    const struct resource *total = &sched->label_total[part->label];
    const struct capacity_share *share;
    bool weighted;

    settle(sched);
    share = part_data(part)->share;
    weighted = is_weighted(sched, share);
    *ret = (struct sched_partition_figures){
        .label = sched->labels[part->label].name,
        .accessible = (label_bits(part->queue) >> part->label & 1) != 0,
        .exists = label_exists(sched, part->label),
        .capacity = weighted ? 0 : share->capacity,
        .normalized_weight = weighted ? share->capacity : 0,
        .weight = share->mode == CAPACITY_WEIGHT ? share->configured : -1,
        .max_capacity = share->maximum,
        .used_capacity = capacity_used_fraction(part),
        .absolute_capacity = share->absolute,
        .absolute_max_capacity = share->absolute_maximum,
        .absolute_used =
            resource_is_zero(total) ? 0 : calc_divide(&sched->calc, total, queue_used(part), total),
        .am_fraction = share->am_fraction,
        .used = sched_load(sched, queue_used(part)),
        .reserved = sched_load(sched, queue_reserved(part)),
        .pending = sched_load(sched, queue_pending(part)),
        .minimum = share->effective_minimum,
        .maximum = share->effective_maximum,
        .configured = configured_capacity(part),
    };
    if (!part->queue->leaf)
        return;
    ret->am_used = sched_load(sched, queue_am_used(part));
    ret->am_limit = capacity_am_limit(sched, part);
    ret->user_am_limit = capacity_user_am_limit(sched, part, 1);
}

/* Returns the first user of QUEUE after AFTER in order of names (AFTER NULL: the first user); NULL: none. */
static const struct leaf_user *user_after(const struct sched_queue *queue, const char *after)
{
    const struct leaf_user *user = RB_ROOT(&queue_data(queue)->users), *found = NULL;

    while (user) {
        bool is_behind = after == NULL || strcmp(user->name, after) > 0;

        found = is_behind ? user : found;
        user = is_behind ? RB_LEFT(user, link) : RB_RIGHT(user, link);
    }
    return found;
}

/* Returns the part of USER in the partition of LABEL; NULL: the user has none. */
static const struct user_partition *user_part(const struct leaf_user *user, int label)
{
    const struct user_partition *part = user->parts;

    while (part && part->leaf->label != label)
        part = part->next;
    return part;
}

/* Fills in RET with the figures of USER in PART of its leaf. */
static void user_figures(const struct sched *sched, const struct leaf_user *user,
                         const struct queue_partition *part, struct sched_user_figures *ret)
{
    const struct user_partition *of = user_part(user, part->label);
    struct resource limit = capacity_user_limit(sched, part, true), none = resource_of(0, 0);

    *ret = (struct sched_user_figures){
        .user = user->name,
        .weight = user->weight,
        .used = of ? sched_load(sched, user_used(of)) : none,
        .reserved = of ? sched_load(sched, user_reserved(of)) : none,
        .limit = capacity_weighted_limit(sched, &limit, user->weight),
        .am_used = of ? sched_load(sched, user_am_used(of)) : none,
        .am_limit = capacity_user_am_limit(sched, part, user->weight),
        .active_apps = user->active_apps,
        .waiting_apps = user->apps - user->active_apps,
        .active = user->wanting > 0,
    };
}

bool capacity_queue_user_next(const struct sched *sched, const struct sched_queue *queue, const char *after,
                              struct sched_user_figures *ret)
{
    const struct leaf_user *user = user_after(queue, after);

    settle(sched);
    if (user)
        user_figures(sched, user, queue->parts[0], ret);
    return user != NULL;
}

bool capacity_queue_user_partition(const struct sched *sched, const struct sched_queue *queue,
                                   const char *name, int label, struct sched_user_figures *ret)
{
    const struct leaf_user *user = capacity_find_user(queue, name);
    const struct user_partition *part = user ? user_part(user, label) : NULL;

    settle(sched);
    if (part == NULL ||
        (calc_is_zero(&sched->calc, user_used(part)) && calc_is_zero(&sched->calc, user_pending(part))))
        return false;
    user_figures(sched, user, queue->parts[label], ret);
    return true;
}

/* --- order ----------------------------------------------------------------- */

static int compare_queues(const void *a, const void *b)
{
    const struct queue_partition *const *qa = a, *const *qb = b;

    return capacity_compare_queues(*qa, *qb);
}

/* What an application gets next, in the order in which applications are listed. */
enum next { NEXT_CONTAINER, NEXT_START, NEXT_PLACE, NEXT_NOTHING };

static enum next next_of(const struct app_partition *part)
{
    const struct capacity_app_data *data = app_data(part->app);

    if (order_has(&app_partition_data(part)->entry))
        return NEXT_CONTAINER;
    if (part->app->state == APP_ACTIVE)
        return NEXT_NOTHING;
    return data->listed ? NEXT_START : NEXT_PLACE;
}

static int compare_apps(const void *a, const void *b)
{
    const struct app_partition *pa = *(const struct app_partition *const *)a;
    const struct app_partition *pb = *(const struct app_partition *const *)b;
    enum next next = next_of(pa);

    if (next != next_of(pb))
        return next < next_of(pb) ? -1 : 1;
    if (next == NEXT_START)
        return capacity_compare_waiting(app_data(pa->app), app_data(pb->app));
    if (next == NEXT_PLACE)
        return capacity_parallel_compare(app_data(pa->app), app_data(pb->app));
    return capacity_compare_partitions(pa, pb);
}

static void order_children(const struct sched_queue *queue, sched_name_fn *each, void *context)
{
    const struct capacity_queue *child;
    struct queue_partition **parts = NULL;
    size_t count = 0, capacity = 0;

    TAILQ_FOREACH(child, &queue_data(queue)->config->children, sibling) {
        struct queue_partition *part = ((struct sched_queue *)child->live)->parts[0];

        mem_grow(parts, count, capacity);
        part_data(part)->use = capacity_use_in_order(part);
        parts[count++] = part;
    }
    if (count > 1)
        qsort(parts, count, sizeof(parts[0]), compare_queues);
    for (size_t i = 0; i < count; i++)
        each(context, parts[i]->queue->name);
    free(parts);
}

void capacity_queue_order(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                          void *context)
{
    struct sched_app *app;
    struct app_partition **parts = NULL;
    size_t count = 0, capacity = 0;
    char text[ID_TEXT_MAX];

    settle(sched);
    if (!queue->leaf) {
        order_children(queue, each, context);
        return;
    }
    for (app = capacity_app_first(queue); app; app = capacity_app_next(app)) {
        mem_grow(parts, count, capacity);
        parts[count++] = sched_app_partition(app, app->label);
    }
    if (count > 1)
        qsort(parts, count, sizeof(parts[0]), compare_apps);
    for (size_t i = 0; i < count; i++)
        each(context, app_id_format(&parts[i]->app->id, text));
    free(parts);
}

void capacity_label_keys(const struct sched *sched, int label, sched_name_fn *each, void *context)
{
    struct capacity *capacity = capacity_of(sched);
    const struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        if (queue->labels_named >> label & 1)
            capacity_each_label_key(capacity->config, queue_data(queue)->config, capacity->to_config[label],
                                    each, context);
}
