/* SPDX-License-Identifier: Apache-2.0 */
/* accounting.c - maintains the sums of used, reserved and pending resources of applications, users and
 * queues */
#include <assert.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

/* --- parts ----------------------------------------------------------------- */

size_t sched_amounts_size(const struct sched *sched, size_t count)
{
    return count * (size_t)sched->calc.types * sizeof(int64_t);
}

struct queue_partition *sched_queue_partition(struct sched_queue *queue, int label)
{
    size_t own = sizeof(struct queue_partition) + sched_amounts_size(queue->sched, QUEUE_AMOUNTS);
    size_t data_bytes = queue->sched->policy->data_bytes.queue_partition;
    struct queue_partition *part = sched_queue_partition_have(queue, label);

    if (part)
        return part;
    if (label >= queue->part_count) {
        int count = label + 1;

        queue->parts = mem_resize(queue->parts, (size_t)count, sizeof(struct queue_partition *));
        for (int l = queue->part_count; l < count; l++)
            queue->parts[l] = NULL;
        queue->part_count = (uint8_t)count;
    }
    part = mem_alloc0(own + data_bytes);
    part->data = sched_data_of(part, own, data_bytes);
    part->types = (uint8_t)queue->sched->calc.types;
    part->queue = queue;
    part->sched = queue->sched;
    part->label = (uint8_t)label;
    part->is_leaf = queue->leaf;
    part->up = queue->parent ? sched_queue_partition(queue->parent, label) : NULL;
    queue->parts[label] = part;
    return part;
}

struct app_partition *sched_app_partition_have(const struct sched_app *app, int label)
{
    struct app_partition *part = app->parts;

    while (part && part->label != label)
        part = part->next;
    return part;
}

static struct user_partition *user_partition(struct leaf_user *user, int label)
{
    const struct sched *sched = user->queue->sched;
    size_t own = sizeof(struct user_partition) + sched_amounts_size(sched, USER_AMOUNTS);
    struct user_partition *part = user->parts;

    while (part && part->leaf->label != label)
        part = part->next;
    if (part)
        return part;
    part = mem_alloc0(own + sched->policy->data_bytes.user_partition);
    part->data = sched_data_of(part, own, sched->policy->data_bytes.user_partition);
    part->types = (uint8_t)sched->calc.types;
    part->user = user;
    part->wants = user->wanting > 0;
    part->leaf = sched_queue_partition(user->queue, label);
    part->next = user->parts;
    user->parts = part;
    return part;
}

struct app_partition *sched_app_partition(struct sched_app *app, int label)
{
    size_t own = sizeof(struct app_partition) + sched_amounts_size(app->sched, APP_AMOUNTS);
    size_t data_bytes = app->sched->policy->data_bytes.app_partition;
    struct app_partition *part = sched_app_partition_have(app, label);

    if (part)
        return part;
    part = mem_alloc0(own + data_bytes);
    part->data = sched_data_of(part, own, data_bytes);
    part->types = (uint8_t)app->sched->calc.types;
    part->app = app;
    part->label = (uint8_t)label;
    part->leaf = sched_queue_partition(app->queue, label);
    part->user = app->leaf_user ? user_partition(app->leaf_user, label) : NULL;
    part->next = app->parts;
    app->parts = part;
    return part;
}

/* --- changes --------------------------------------------------------------- */

void sched_count_begin(struct sched *sched, struct app_partition *part)
{
    assert(sched->change_depth == 0 || sched->changing == part);
    if (sched->change_depth++ > 0)
        return;
    sched->changing = part;
}

void sched_count_end(struct sched *sched, struct app_partition *part)
{
    assert(sched->change_depth > 0 && sched->changing == part);
    if (--sched->change_depth > 0)
        return;
    if (sched->policy->accounting.partition_changed)
        sched->policy->accounting.partition_changed(part);
    sched_queue_note_change(part->leaf->queue);
    sched->use_changed = false;
}

static inline const struct calc *calc_of(const struct app_partition *part)
{
    return &part->app->sched->calc;
}

static void change_used_values(struct app_partition *part, const int64_t *amount, int sign)
{
    const struct calc *calc = calc_of(part);

    part->app->sched->use_changed = true;
    if (part->user) {
        calc_change_values(calc, user_used(part->user)->value, amount, sign);
        if (part->user->wants)
            calc_change_values(calc, queue_active_used(part->leaf)->value, amount, sign);
    }
    for (struct queue_partition *at = part->leaf; at; at = at->up)
        calc_change_values(calc, queue_used(at)->value, amount, sign);
}
#define change_used(part, amount, sign) change_used_values(part, (amount)->value, sign)

static void change_reserved(struct app_partition *part, const struct resource *amount, int sign)
{
    const struct calc *calc = calc_of(part);

    calc_change(calc, app_reserved(part), amount, sign);
    if (part->user)
        calc_change(calc, user_reserved(part->user), amount, sign);
    for (struct queue_partition *at = part->leaf; at; at = at->up)
        calc_change(calc, queue_reserved(at), amount, sign);
    change_used(part, amount, sign);
}

/* Adds one container (SIGN 1) to the counts of PART's application and its queues, or subtracts one (-1). The
 * first container moves the application from apps_pending to apps_running of its queues, the end of the last
 * one moves it back. */
static void count_container(struct app_partition *part, int sign)
{
    struct sched_app *app = part->app;
    bool ran = app->container_count > 0, runs;

    app->container_count += (uint32_t)sign;
    runs = app->container_count > 0;
    for (struct queue_partition *at = part->leaf; at; at = at->up)
        at->containers += (uint32_t)sign;
    if (ran == runs)
        return;
    for (struct sched_queue *queue = app->queue; queue; queue = queue->parent) {
        queue->apps_running += runs ? 1u : UINT32_MAX; /* one more, or one less */
        queue->apps_pending += runs ? UINT32_MAX : 1u;
    }
}

void sched_count_container(struct sched *sched, struct app_partition *part, const struct resource *amount,
                           int sign)
{
    sched_count_begin(sched, part);
    calc_change(&sched->calc, app_used(part), amount, sign);
    change_used(part, amount, sign);
    count_container(part, sign);
    sched_count_end(sched, part);
}

void sched_count_resized(struct sched *sched, struct app_partition *part, const struct resource *amount,
                         int sign)
{
    sched_count_begin(sched, part);
    calc_change(&sched->calc, app_used(part), amount, sign);
    change_used(part, amount, sign);
    sched_count_end(sched, part);
}

void sched_count_reserved(struct sched *sched, struct app_partition *part, const struct resource *amount,
                          int sign)
{
    sched_count_begin(sched, part);
    change_reserved(part, amount, sign);
    if (sign > 0)
        part->app->reserved_count++;
    else
        part->app->reserved_count--;
    assert(sign < 0 || part->app->reserved_count > 0);
    sched_count_end(sched, part);
}

void sched_count_pending(struct app_partition *part, const struct resource *delta, int64_t containers)
{
    const struct calc *calc = calc_of(part);

    assert(part->app->sched->changing == part && part->app->sched->change_depth > 0);
    calc_add(calc, app_pending(part), delta);
    part->pending_containers += (uint64_t)containers;
    part->app->pending_containers += (uint64_t)containers;
    if (part->user)
        calc_add(calc, user_pending(part->user), delta);
    for (struct queue_partition *at = part->leaf; at; at = at->up)
        calc_add(calc, queue_pending(at), delta);
}

/* --- a whole app ----------------------------------------------------------- */

static uint32_t containers_of(const struct app_partition *part)
{
    const struct sched_container *container;
    uint32_t count = 0;

    if (part->app->parts->next == NULL)
        return part->app->container_count;
    TAILQ_FOREACH(container, &part->app->containers, of_app)
        count += container->part == part ? 1 : 0;
    return count;
}

static void move_part(struct sched *sched, struct sched_app *app, struct app_partition *part, int sign)
{
    uint32_t containers = containers_of(part);

    if (sign > 0) {
        part->leaf = sched_queue_partition(app->queue, part->label);
        part->user = app->leaf_user ? user_partition(app->leaf_user, part->label) : NULL;
    }
    sched_count_begin(sched, part);
    change_used(part, app_used(part), sign);
    change_used(part, app_reserved(part), sign);
    if (part->user) {
        calc_change(&sched->calc, user_reserved(part->user), app_reserved(part), sign);
        calc_change(&sched->calc, user_pending(part->user), app_pending(part), sign);
    }
    for (struct queue_partition *at = part->leaf; at; at = at->up) {
        calc_change(&sched->calc, queue_reserved(at), app_reserved(part), sign);
        calc_change(&sched->calc, queue_pending(at), app_pending(part), sign);
        at->containers += sign > 0 ? containers : 0u - containers;
    }
    sched_count_end(sched, part);
}

void sched_count_app(struct sched *sched, struct sched_app *app, int sign)
{
    bool runs = app->container_count > 0;

    for (struct app_partition *part = app->parts; part; part = part->next)
        move_part(sched, app, part, sign);
    for (struct sched_queue *queue = app->queue; queue; queue = queue->parent) {
        queue->apps_running += runs ? (uint32_t)sign : 0u;
        queue->apps_pending += runs ? 0u : (uint32_t)sign;
    }
    sched_queue_note_change(app->queue);
}

/* --- apps ------------------------------------------------------------------ */

void sched_app_changed(struct sched_app *app, unsigned changes)
{
    const struct sched_policy *policy = app->sched->policy;

    app->ending = app->ending && !(changes & SCHED_APP_REQUESTS);
    if (policy->accounting.app_changed)
        policy->accounting.app_changed(app->sched, app, changes);
    if (changes & ~(unsigned)(SCHED_APP_NAMES | SCHED_APP_CALL))
        sched_queue_note_change(app->queue);
}

void sched_app_set_master(struct sched *sched, struct sched_app *app, const struct resource *size)
{
    sched_app_changed(app, SCHED_APP_AM_CHANGES);
    calc_store(&sched->calc, app_master(app), size);
    sched_app_changed(app, SCHED_APP_AM_CHANGED);
}

void sched_reserve_note_size(struct app_partition *part, const struct demand *demand)
{
    bool first = calc_is_zero(&part->app->sched->calc, app_reserved(part));
    int64_t *least = app_least_reserved(part)->value;

    for (int t = 0; t < part->types; t++)
        if (first || demand_size(demand)->value[t] < least[t])
            least[t] = demand_size(demand)->value[t];
}
