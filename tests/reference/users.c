/* SPDX-License-Identifier: Apache-2.0 */
/* users.c - reference capacity scheduler: users, user limits, headroom, AMs, activation (UsersManager,
 * AbstractLeafQueue) */
#include <math.h>

#include "tests/reference/reference.h"

static struct resource zero(void)
{
    return resource_of(0, 0);
}

static struct resource not_negative(struct resource r)
{
    return resource_max(r, zero());
}

/* --- active users (UsersManager.activateApplication) ------------------------ */

static bool has_active_app(const struct reference *ref, int queue, int user)
{
    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].active && ref->apps[a].queue == queue &&
            (user < 0 || ref->apps[a].user == user))
            return true;
    return false;
}

bool ref_user_active(const struct reference *ref, int queue, int user)
{
    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].user == user && ref->apps[a].counts_in == queue)
            return true;
    return false;
}

/*
 * Decides whether an application makes its user active, at the moment when the first request becomes pending.
 * So the AM request of a waiting application makes its user active if another application of the user is
 * active at that moment. An application that is activated later does not make its user active by that.
 */
void ref_app_pending_changed(struct reference *ref, int index)
{
    struct ref_app *app = &ref->apps[index];

    if (app->counts_in == app->queue || !has_active_app(ref, app->queue, app->user))
        return;
    if (!ref_user_active(ref, app->queue, app->user))
        ref_users_changed(ref, app->queue);
    app->counts_in = app->queue;
}

void ref_app_rests(struct reference *ref, int index)
{
    struct ref_app *app = &ref->apps[index];
    int queue = app->counts_in;

    app->counts_in = -1;
    if (queue >= 0 && !ref_user_active(ref, queue, app->user))
        ref_users_changed(ref, queue);
}

/*
 * Returns the number of users all of whose applications wait. YARN counts them only when it recomputes the
 * user limits, which happens only when a user limit is needed after a change
 * (UsersManager.reComputeUserLimits).
 */
static int count_waiting_users(const struct reference *ref, int queue)
{
    int users = 0;

    for (int u = 0; u < REF_USERS; u++) {
        bool waits = false;

        for (int a = 0; a < REF_APPS; a++)
            waits = waits || (ref->apps[a].here && ref->apps[a].placed && ref->apps[a].queue == queue &&
                              ref->apps[a].user == u);
        users += waits && !has_active_app(ref, queue, u);
    }
    return users;
}

void ref_users_changed(struct reference *ref, int queue)
{
    ref->queues[queue].users_changes++;
}

void ref_users_count(struct reference *ref, int queue, int label, bool borrows)
{
    struct ref_queue *leaf = &ref->queues[queue];
    bool once = ref_differs(ref, REF_COUNTED_BY_OFFERS); /* one count for all partitions */
    uint64_t *counted = &leaf->users_counted[once ? 0 : label][borrows && !once ? 1 : 0];

    if (*counted != leaf->users_changes)
        leaf->users_waiting = count_waiting_users(ref, queue);
    *counted = leaf->users_changes;
}

/* --- user limit (UsersManager.computeUserLimit) ------------------------------ */

struct resource ref_user_limit(const struct reference *ref, int queue, int label, int user, bool borrows)
{
    const struct ref_queue_config *config = &ref->config.queues[queue];
    const struct ref_part *part = &ref->queues[queue].part[label];
    struct resource total = ref_label_total(ref, label), required = ref->config.minimum;
    struct resource guarantee = part->guarantee, share_base = required, current, limit;
    struct resource capacity = ref_max(ref, total, guarantee, required), consumed, cap;
    double usage = 0; /* sum over all users; in double, so that their order does not matter */
    float weights = 0;

    if (resource_is_zero(&total))
        return zero();
    for (int u = 0; u < REF_USERS; u++) {
        usage += (double)ref_ratio(ref, ref_queue_used(ref, queue, label, u), total);
        if (ref_user_active(ref, queue, u)) {
            weights += config->user_weight[u];
            share_base = resource_add(share_base, ref_queue_used(ref, queue, label, u));
        }
    }
    consumed = ref_multiply_up(ref, total, usage);
    current = ref_compare(ref, total, consumed, capacity) < 0 ? capacity : resource_add(consumed, required);
    limit = ref_max(ref, total, ref_divide_ceil(ref, share_base, weights),
                    ref_divide_ceil_int(ref, ref_multiply(current, config->user_limit_percent), 100));
    if (borrows)
        cap = total;
    else if (config->user_limit_factor < 0 || resource_is_zero(&guarantee))
        cap = ref_round_down(ref, part->most);
    else
        cap = ref_multiply(capacity, config->user_limit_factor);
    limit = ref_round_up(ref, ref_min(ref, total, limit, cap));
    return user < 0 ? limit : ref_multiply_down(ref, limit, config->user_weight[user]);
}

/* --- limits of the last offer ------------------------------------------------- */

static struct resource offered(const struct reference *ref, int queue)
{
    return ref_differs(ref, REF_OFFERED_NOW) ? ref_offered_now(ref, queue) : ref->queues[queue].offered;
}

/* As AbstractLeafQueue.getHeadroom: the lesser of what the user and the queue may still use in a partition.
 * The limits of the queues above count in partition 0 only. */
static struct resource headroom_of(const struct reference *ref, int queue, int label, int user)
{
    struct resource total = ref_label_total(ref, label);
    struct resource limit = ref_user_limit(ref, queue, label, user, false);
    struct resource of_all = label == 0 ? offered(ref, queue) : ref->queues[queue].part[label].most;
    struct resource of_user, of_queue, of_cluster;

    of_user = not_negative(resource_subtract(limit, ref_queue_used(ref, queue, label, user)));
    of_queue = not_negative(resource_subtract(of_all, ref_queue_used(ref, queue, label, -1)));
    of_cluster = resource_subtract(total, ref_queue_used(ref, 0, label, -1));
    return ref_min(ref, total, of_cluster, ref_round_down(ref, resource_min(of_user, of_queue)));
}

/* As CapacityHeadroomProvider.getHeadroom: the sum over the partitions that the application's requests have
 * named. */
struct resource ref_headroom(const struct reference *ref, int index)
{
    const struct ref_app *app = &ref->apps[index];
    struct resource sum = zero();

    if (app->requested <= 1)
        return not_negative(headroom_of(ref, app->queue, 0, app->user));
    for (int l = 0; l < ref->config.labels; l++)
        if (app->requested & 1u << l)
            sum = resource_add(sum, headroom_of(ref, app->queue, l, app->user));
    return not_negative(sum);
}

/* --- application masters ------------------------------------------------------ */

/* As AbstractLeafQueue.calculateAndGetAMResourceLimitPerPartition. */
struct resource ref_am_limit(const struct reference *ref, int queue, int label)
{
    struct resource base = ref->queues[queue].part[label].guarantee;
    struct resource limit = label == 0 ? offered(ref, queue) : zero();

    if (ref_fits(ref, base, limit))
        base = limit;
    return ref_multiply_up(ref, base, ref->config.queues[queue].share[label].am_fraction);
}

struct resource ref_am_used(const struct reference *ref, int queue, int label, int user)
{
    struct resource sum = zero();

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].active && ref->apps[a].queue == queue &&
            ref->apps[a].master_label == label && (user < 0 || ref->apps[a].user == user))
            sum = resource_add(sum, ref->apps[a].master);
    return sum;
}

/* As UsersManager.getNumActiveUsers. */
static int users_for_masters(const struct reference *ref, int queue)
{
    int users = ref->queues[queue].users_waiting;

    for (int u = 0; u < REF_USERS; u++)
        users += ref_user_active(ref, queue, u);
    return users;
}

/* As AbstractLeafQueue.getUserAMResourceLimitPerPartition. */
struct resource ref_user_am_limit(const struct reference *ref, int queue, int label, int user)
{
    const struct ref_queue_config *config = &ref->config.queues[queue];
    struct resource guarantee = ref->queues[queue].part[label].guarantee, limit;
    float am_fraction = config->share[label].am_fraction;
    int users = users_for_masters(ref, queue);
    float share = fmaxf(config->user_limit_percent / 100.0f, 1.0f / (float)(users > 1 ? users : 1));

    share = fminf(share * config->user_weight[user], 1.0f);
    if (config->user_limit_factor < 0)
        limit = ref_multiply_up(ref, guarantee, am_fraction);
    else
        limit = ref_multiply_up(ref, guarantee, am_fraction * share * config->user_limit_factor);
    return ref_min(ref, ref_total(ref), limit, ref_am_limit(ref, queue, label));
}

static void request_master(struct ref_app *app)
{
    if (!app->has_master || app->asked_master)
        return;
    app->keys[0].size = app->master;
    app->keys[0].any = (struct ref_row){ .given = true, .count = 1 };
    app->keys[0].label = app->master_label;
    app->requested |= 1u << app->master_label;
    app->asked_master = true;
}

/* As AbstractLeafQueue.activateApplications. */
void ref_activate(struct reference *ref, int queue)
{
    struct resource total = ref_total(ref), user_limit[REF_LABELS];
    int order[REF_APPS], count = ref_order_apps(ref, queue, false, order);
    bool user_limit_known[REF_LABELS] = { false };

    if (resource_is_zero(&total))
        return;
    for (int i = 0; i < count; i++) {
        struct ref_app *app = &ref->apps[order[i]];
        int label = app->master_label;
        struct resource used = ref_am_used(ref, queue, label, -1);
        struct resource with = resource_add(used, app->master);
        bool first = !has_active_app(ref, queue, -1) || ref_compare(ref, total, used, zero()) <= 0;

        if (!app->placed || (!ref_fits(ref, with, ref_am_limit(ref, queue, label)) && !first))
            continue;
        if (!user_limit_known[label]) /* YARN uses the limit of the first application's user for all */
            user_limit[label] = ref_user_am_limit(ref, queue, label, app->user);
        user_limit_known[label] = true;
        with = resource_add(ref_am_used(ref, queue, label, app->user), app->master);
        if (!ref_fits(ref, with, user_limit[label]) && !first)
            continue;
        app->active = true;
        app->was_active = true;
    }
}

void ref_app_request_master(struct reference *ref, int app)
{
    request_master(&ref->apps[app]);
    if (ref_app_pending(ref, app) > 0)
        ref_app_pending_changed(ref, app);
}

/* --- admission (AbstractLeafQueue.validateSubmitApplication) ------------------- */

/* Returns the absolute capacity that an idle leaf would get. */
static float template_absolute(const struct reference *ref, int leaf)
{
    int parent = ref->config.queues[leaf].parent;

    return ref->queues[parent].part[0].absolute * (ref->config.queues[parent].template.capacity / 100.0f);
}

int64_t ref_max_apps(const struct reference *ref, int queue)
{
    float largest = 0; /* in any partition */

    if (ref->config.queues[queue].max_apps >= 0)
        return ref->config.queues[queue].max_apps;
    for (int l = 0; l < REF_LABELS; l++)
        largest = fmaxf(largest, ref->queues[queue].part[l].absolute);
    if (ref->config.queues[queue].idle)
        largest = template_absolute(ref, queue);
    return (int64_t)((float)ref->config.maximum_applications * largest);
}

int64_t ref_max_apps_per_user(const struct reference *ref, int queue)
{
    const struct ref_queue_config *config = &ref->config.queues[queue];
    int64_t most = ref_max_apps(ref, queue), each;

    if (config->user_limit_factor < 0)
        return most;
    each = (int64_t)((float)most * (config->user_limit_percent / 100.0f) * config->user_limit_factor);
    return each < most ? each : most;
}
