/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intra.c - selects containers within a leaf, for applications of higher priority and users below their limit
 * (7.7)
 *
 * The resource that the leaf uses, without AMs, is divided again among its applications, in scheduling order.
 * An application with more than its part gives resources, one with less wants some. If the leaf's ordering
 * policy is fair, an application's part is at most its fair share, and user limits only affect this share
 * (set_fair_shares()).
 *
 * In YARN a killed container uses nothing any more. In creel it uses its resources until it has ended, which
 * may take many rounds. So applications and users count without containers that are being stopped. What these
 * release, and no other queue gets, is still divided within the leaf, and the applications that are served
 * first want less by this amount.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

static const struct resource nothing;

/* A leaf in a partition. */
struct leaf {
    struct preempt *preempt;
    uint32_t partition, queue;
    bool fair; /* its ordering policy is fair */
    bool priority_first;
    struct app_work *apps; /* the application served first is last */
    size_t count;
    struct user_work *users;
    struct resource masters;  /* used by AMs */
    struct resource stopping; /* used by containers that are being stopped */
};

/* --- applications and users of the leaf ------------------------------------------ */

static struct user_work *user_of(const struct leaf *leaf, const struct app_work *app)
{
    return &leaf->users[app->app.user];
}

static struct resource used_deduct_am(const struct app_work *app)
{
    return resource_subtract(app->app.used, app->app.am);
}

/* Returns the amount already picked from APP. */
static struct resource picked_from(const struct leaf *leaf, const struct app_work *app)
{
    const struct preempt *preempt = leaf->preempt;
    struct resource sum = nothing;

    for (uint32_t i = preempt->places[leaf->queue].first_pick; i != PREEMPT_NONE;
         i = preempt->picks.items[i].next) {
        const struct pick *pick = &preempt->picks.items[i];

        if (pick->container.app == app->app.handle && pick->container.partition == leaf->partition)
            sum = resource_add(sum, size_of(preempt, &pick->container));
    }
    return sum;
}

static int by_priority(const void *first, const void *second)
{
    const struct preempt_app *a = &((const struct app_work *)first)->app;
    const struct preempt_app *b = &((const struct app_work *)second)->app;

    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return (a->number < b->number) - (a->number > b->number);
}

/* Orders applications of the user with the largest use first. Applications of one user are in the reverse
 * order of the leaf: the application served first is last. */
static int by_fairness(const void *first, const void *second)
{
    const struct app_work *a = first, *b = second;
    int order;

    if (a->app.user == b->app.user)
        order = (a->app.fair_key < b->app.fair_key) - (a->app.fair_key > b->app.fair_key);
    else
        order = -compare(a->preempt, &a->user->used_deduct_am, &b->user->used_deduct_am);
    if (order != 0)
        return order;
    return (a->app.number < b->app.number) - (a->app.number > b->app.number);
}

static void gather_users(struct leaf *leaf)
{
    struct preempt *preempt = leaf->preempt;

    victims_load_users(preempt, leaf->queue, leaf->partition);
    preempt->user_works.count = 0;
    for (size_t i = 0; i < preempt->users.count; i++) {
        const struct preempt_user *user = &preempt->users.items[i];

        mem_grow(preempt->user_works.items, preempt->user_works.count, preempt->user_works.capacity);
        preempt->user_works.items[preempt->user_works.count++] =
            (struct user_work){ .used_deduct_am = user->used, .limit = user->limit, .rolling = user->used };
    }
    leaf->users = preempt->user_works.items;
}

/* Counts APP in its user and in LEAF. */
static void add_app(struct leaf *leaf, const struct preempt_app *app)
{
    struct preempt *preempt = leaf->preempt;
    struct user_work *user = &leaf->users[app->user];
    struct app_work *work;

    assert(app->user < preempt->users.count);
    mem_grow(preempt->app_works.items, preempt->app_works.count, preempt->app_works.capacity);
    work = &preempt->app_works.items[preempt->app_works.count++];
    *work = (struct app_work){ .app = *app, .user = user, .preempt = preempt };
    work->app.used = resource_subtract(app->used, app->stopping);
    user->used_deduct_am = resource_subtract(user->used_deduct_am, resource_add(app->am, app->stopping));
    user->rolling = resource_subtract(user->rolling, app->stopping);
    user->limit = resource_subtract(user->limit, app->am);
    user->am = resource_add(user->am, app->am);
    user->apps++;
    leaf->masters = resource_add(leaf->masters, app->am);
    leaf->stopping = resource_add(leaf->stopping, app->stopping);
}

/* Loads applications and users. */
static void gather(struct leaf *leaf)
{
    struct preempt *preempt = leaf->preempt;

    gather_users(leaf);
    preempt->app_works.count = 0;
    for (size_t i = 0; i < preempt->apps.count; i++)
        add_app(leaf, &preempt->apps.items[i]);
    leaf->apps = preempt->app_works.items;
    leaf->count = preempt->app_works.count;
    qsort(leaf->apps, leaf->count, sizeof(struct app_work),
          leaf->fair && !leaf->priority_first ? by_fairness : by_priority);
}

/* --- ideal of each application ------------------------------------------------------ */

/* Sets the fair share of each application: an equal share of what the leaf uses; with a user limit percent
 * below 100, of the user's limit. */
static void set_fair_shares(struct leaf *leaf, const struct resource *used)
{
    const struct calc *calc = &leaf->preempt->settings.calc;
    float percent = leaf->preempt->snapshot->queues[leaf->queue].user_limit_percent;
    struct resource equal = calc_divide_ceil(calc, used, (int64_t)leaf->count);

    for (size_t i = 0; i < leaf->count; i++) {
        const struct user_work *user = user_of(leaf, &leaf->apps[i]);
        struct resource limit = resource_add(user->limit, user->am);

        limit = calc_divide_ceil(calc, &limit, (int64_t)user->apps);
        leaf->apps[i].fair_share = resource_max((int)percent == 100 ? equal : limit, nothing);
    }
}

static bool is_dealt_out(const struct leaf *leaf, const struct resource *pool)
{
    const struct preempt *preempt = leaf->preempt;

    return !above_zero(preempt, pool) ||
           (preempt->settings.intra_conservative && calc_any_used_up(&preempt->settings.calc, pool));
}

/* Gives APP its part of POOL, within the limit of its user. Returns false if the user has reached the
 * limit. */
static bool deal_by_limit(const struct leaf *leaf, struct app_work *app, const struct resource *demand,
                          const struct resource *pool)
{
    const struct calc *calc = &leaf->preempt->settings.calc;
    const struct resource *total = &leaf->preempt->snapshot->cluster;
    struct user_work *user = user_of(leaf, app);
    struct resource room = resource_subtract(user->limit, user->ideal);

    if (compare(leaf->preempt, &user->ideal, &user->limit) >= 0)
        return false;
    app->ideal = calc_min(calc, total, *pool, calc_min(calc, total, *demand, room));
    return true;
}

static void deal(const struct leaf *leaf, struct app_work *app, struct resource *pool)
{
    const struct preempt *preempt = leaf->preempt;
    struct user_work *user = user_of(leaf, app);
    struct resource has = used_deduct_am(app), demand = resource_add(has, app->app.pending);

    if (!leaf->fair && is_dealt_out(leaf, pool))
        return;
    app->selected = picked_from(leaf, app);
    user->selected = resource_add(user->selected, app->selected);
    has = resource_subtract(has, app->selected);
    if (leaf->fair) {
        demand = calc_min(&preempt->settings.calc, &preempt->snapshot->cluster, app->fair_share, demand);
        app->ideal = resource_subtract(resource_max(demand, nothing), app->selected);
    } else {
        demand = resource_subtract(demand, app->selected);
        if (!deal_by_limit(leaf, app, &demand, pool))
            return;
    }
    user->ideal = resource_add(user->ideal, app->ideal);
    if (compare(preempt, &app->ideal, &has) > 0)
        app->wants = resource_subtract(app->ideal, has);
    *pool = calc_subtract_positive(*pool, app->ideal);
}

/* Returns the part of what containers release that are being stopped which other queues get: the leaf is to
 * keep less than it uses. */
static struct resource leaving(const struct leaf *leaf)
{
    const struct preempt *preempt = leaf->preempt;
    struct resource over = calc_subtract_positive(figures_of(preempt, leaf->partition, leaf->queue)->used,
                                                  work_of(preempt, leaf->partition, leaf->queue)->keep);

    return resource_min(leaf->stopping, over);
}

/* Subtracts COMING, which the leaf gets without preemption, from what the applications want that are served
 * first. */
static void deduct_coming(const struct leaf *leaf, struct resource coming)
{
    for (size_t i = leaf->count; i-- > 0 && above_zero(leaf->preempt, &coming);) {
        struct resource wants = leaf->apps[i].wants;

        leaf->apps[i].wants = calc_subtract_positive(wants, coming);
        coming = calc_subtract_positive(coming, resource_max(wants, nothing));
    }
}

/* Sets how much each application gives, starting with the one served last, until LIMIT is reached. */
static void set_gives(const struct leaf *leaf, struct resource limit)
{
    const struct preempt_settings *settings = &leaf->preempt->settings;
    const struct resource *total = &leaf->preempt->snapshot->cluster;

    for (size_t i = 0; i < leaf->count; i++) {
        struct app_work *app = &leaf->apps[i];
        struct resource over;

        if (!above_zero(leaf->preempt, &limit) || !above_zero(leaf->preempt, &app->app.used))
            continue;
        over = resource_subtract(app->app.used, app->ideal);
        over = calc_subtract_positive(over, app->selected);
        if (!leaf->fair) /* the equal share includes the AM */
            over = calc_subtract_positive(over, app->app.am);
        if (!leaf->priority_first)
            over = calc_subtract_positive(over, settings->minimum);
        if (calc_fits(&settings->calc, &settings->minimum, &over))
            app->gives =
                calc_min(&settings->calc, total, calc_max(&settings->calc, total, over, nothing), limit);
        limit = calc_subtract_positive(limit, app->gives);
    }
}

/* --- amounts between applications --------------------------------------------------- */

/* Returns true if GIVER may give to WANTER. *MOST is the amount that GIVER has left to give, or less if only
 * the use of its user above the user limit may be given. */
static bool may_give(const struct leaf *leaf, const struct app_work *wanter, const struct app_work *giver,
                     struct resource *most)
{
    const struct preempt *preempt = leaf->preempt;
    struct user_work *user = user_of(leaf, giver);
    bool same_user = wanter->app.user == giver->app.user;
    bool over_limit = compare(preempt, &user->used_deduct_am, &user->limit) > 0;
    struct resource above = nothing;

    *most = resource_subtract(giver->gives, giver->actual);
    if (same_user && giver->app.priority >= wanter->app.priority)
        return false;
    if (!same_user && !over_limit && !leaf->priority_first)
        return false;
    if (same_user || !over_limit || giver->app.priority != wanter->app.priority)
        return true;
    if (!user->quota_done) {
        above = resource_subtract(user->used_deduct_am, user->selected);
        above = resource_subtract(above, user->limit);
    }
    if (compare(preempt, &above, most) < 0) {
        user->quota_done = true;
        *most = above;
    }
    return true;
}

static void match(const struct leaf *leaf, struct app_work *wanter, struct app_work *giver)
{
    const struct preempt *preempt = leaf->preempt;
    struct resource most, amount;

    if (wanter == giver || !above_zero(preempt, &giver->gives) ||
        compare(preempt, &giver->gives, &giver->actual) <= 0 ||
        (leaf->fair ? !above_zero(preempt, &wanter->wants) : resource_is_zero(&wanter->wants)))
        return;
    most = calc_subtract_positive(giver->gives, giver->actual);
    if (!leaf->fair && !may_give(leaf, wanter, giver, &most))
        return;
    if (!above_zero(preempt, &most))
        return;
    amount = calc_min(&preempt->settings.calc, &preempt->snapshot->cluster, wanter->wants, most);
    wanter->wants =
        leaf->fair ? calc_subtract_positive(wanter->wants, amount) : resource_subtract(wanter->wants, amount);
    giver->actual = resource_add(giver->actual, amount);
}

static void match_all(const struct leaf *leaf)
{
    for (size_t w = leaf->count; w-- > 0;) {
        if (!above_zero(leaf->preempt, &leaf->apps[w].wants))
            continue;
        for (size_t g = 0; g < leaf->count; g++)
            match(leaf, &leaf->apps[w], &leaf->apps[g]);
    }
}

/* As in YARN, subtracts the amount picked from the leaf from what each of its applications gives. */
static void deduct_picks(const struct leaf *leaf)
{
    const struct preempt *preempt = leaf->preempt;

    for (uint32_t i = preempt->places[leaf->queue].first_pick; i != PREEMPT_NONE;
         i = preempt->picks.items[i].next) {
        const struct pick *pick = &preempt->picks.items[i];

        if (pick->container.partition != leaf->partition)
            continue;
        for (size_t a = 0; a < leaf->count; a++)
            if (compare(preempt, &leaf->apps[a].actual, pick->container.size) > 0)
                leaf->apps[a].actual =
                    resource_subtract(leaf->apps[a].actual, size_of(preempt, &pick->container));
    }
}

/* --- picking ---------------------------------------------------------------------------- */

/* Returns true if picking must stop at this container. Fair ordering: the container is larger than the amount
 * that APP still gives. Otherwise, with userlimit_first: its user would be left with at most the limit. */
static bool stops_at(const struct leaf *leaf, const struct app_work *app,
                     const struct preempt_container *container)
{
    const struct user_work *user = user_of(leaf, app);
    struct resource limit = resource_add(user->limit, user->am);
    struct resource then = resource_subtract(user->rolling, size_of(leaf->preempt, container));

    if (leaf->fair)
        return !calc_fits(&leaf->preempt->settings.calc, container->size, &app->actual);
    return !leaf->priority_first && compare(leaf->preempt, &then, &limit) <= 0;
}

static void pick_from(const struct leaf *leaf, struct app_work *app)
{
    struct preempt *preempt = leaf->preempt;
    struct user_work *user = user_of(leaf, app);
    const struct preempt_container *container;

    victims_load_containers(preempt, app->app.handle);
    victims_begin(preempt);
    while (preempt->open_count > 0 && (container = victims_next(preempt)) != NULL) {
        if (container->am)
            continue;
        if (stops_at(leaf, app, container))
            return;
        if (!take_container(preempt, container, PREEMPT_BY_INTRA_QUEUE, leaf->queue,
                            preempt->settings.intra_conservative))
            continue;
        if (!leaf->priority_first)
            user->rolling = resource_subtract(user->rolling, size_of(preempt, container));
        if (leaf->fair && compare(preempt, &app->actual, container->size) > 0)
            app->actual = resource_subtract(app->actual, size_of(preempt, container));
    }
}

static void pick(const struct leaf *leaf)
{
    struct resource sum = nothing;

    for (size_t i = 0; i < leaf->count; i++)
        sum = resource_add(sum, leaf->apps[i].actual);
    take_open_one(leaf->preempt, leaf->partition, &sum);
    victims_start_leaf(leaf->preempt, leaf->queue);
    for (size_t i = 0; i < leaf->count; i++)
        if (!resource_is_zero(&leaf->apps[i].actual))
            pick_from(leaf, &leaf->apps[i]);
}

/* --- the selector ------------------------------------------------------------------------ */

static bool is_used_enough(const struct preempt *preempt, uint32_t partition, uint32_t queue)
{
    const struct calc *calc = &preempt->settings.calc;
    const struct resource *total = &preempt->snapshot->partitions[partition];
    const struct preempt_figures *figures = figures_of(preempt, partition, queue);
    struct resource guaranteed = calc_max(calc, total, figures->guaranteed, preempt->settings.minimum);

    return !(calc_divide(calc, total, &figures->used, &guaranteed) < preempt->settings.intra_threshold);
}

static struct resource limit_of(const struct leaf *leaf, const struct resource *allowed)
{
    const struct preempt *preempt = leaf->preempt;
    const struct preempt_figures *figures = figures_of(preempt, leaf->partition, leaf->queue);
    const struct work *work = work_of(preempt, leaf->partition, leaf->queue);
    struct resource most = calc_multiply(&figures->guaranteed, (double)preempt->settings.intra_limit);

    most = compare(preempt, &most, &work->obtain) > 0 ? resource_subtract(most, work->obtain) : nothing;
    return calc_min(&preempt->settings.calc, &preempt->snapshot->cluster, most, *allowed);
}

static void select_in(struct preempt *preempt, uint32_t partition, uint32_t queue,
                      const struct resource *allowed)
{
    struct leaf leaf = { .preempt = preempt,
                         .partition = partition,
                         .queue = queue,
                         .fair = preempt->snapshot->queues[queue].fair_order,
                         .priority_first = preempt->settings.intra_priority_first };
    struct resource pool, gone;

    victims_load_apps(preempt, queue, partition);
    if (preempt->apps.count < 2)
        return;
    gather(&leaf);
    gone = leaving(&leaf);
    pool = resource_subtract(figures_of(preempt, partition, queue)->used,
                             work_of(preempt, partition, queue)->obtain);
    pool = resource_subtract(pool, gone);
    if (leaf.fair)
        set_fair_shares(&leaf, &pool);
    pool = resource_subtract(pool, leaf.masters);
    for (size_t i = leaf.count; i-- > 0;)
        deal(&leaf, &leaf.apps[i], &pool);
    deduct_coming(&leaf, resource_subtract(leaf.stopping, gone));
    set_gives(&leaf, limit_of(&leaf, allowed));
    match_all(&leaf);
    deduct_picks(&leaf);
    pick(&leaf);
}

/* A queue that gives nothing to other queues gives nothing within, either. */
static bool is_disabled(const struct preempt *preempt, uint32_t queue)
{
    return preempt->snapshot->queues[queue].disabled || preempt->snapshot->queues[queue].intra_disabled;
}

void intra_select(struct preempt *preempt)
{
    const struct resource allowed = preempt->allowed;
    uint32_t queue_count = preempt->snapshot->queue_count;

    for (uint32_t p = 0; p < preempt->snapshot->partition_count; p++)
        for (size_t i = 0; i < preempt->underserved.count; i++) {
            uint32_t queue = preempt->underserved.items[i] % queue_count;

            if (preempt->underserved.items[i] / queue_count == p && !is_disabled(preempt, queue) &&
                is_used_enough(preempt, p, queue))
                select_in(preempt, p, queue, &allowed);
        }
}
