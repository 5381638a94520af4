/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - who is offered what next (yarn-behaviour 5.6)
 *
 * For each partition: the children of a queue by how much of their guarantee they use, the users of
 * a leaf by their first app, the apps of a user by the leaf's order. In these trees stands only who
 * wants something and was not refused by a limit that still holds. A change of sums takes the path
 * from the app to the root out (begin) and puts it back where it now belongs (end): cost follows
 * the depth, not the number of queues, users or apps.
 */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* --- orders ---------------------------------------------------------------- */

/* Within one parent: by guarantee used; priority-utilization puts priority before that, but
 * none that has its guarantee before one that has not. Then the larger queue, then file order. */
int capacity_compare_queues(const struct queue_part *a, const struct queue_part *b)
{
    const struct capacity_queue *qa = a->queue->config, *qb = b->queue->config;

    if (qa->parent && qa->parent->priority_utilization && qa->priority != qb->priority) {
        bool full_a = a->used_capacity >= 1, full_b = b->used_capacity >= 1;

        if (full_a == full_b)
            return qa->priority > qb->priority ? -1 : 1;
    }
    if (a->used_capacity != b->used_capacity)
        return a->used_capacity < b->used_capacity ? -1 : 1;
    if (a->share->absolute != b->share->absolute)
        return a->share->absolute > b->share->absolute ? -1 : 1;
    return (qa->position > qb->position) - (qa->position < qb->position);
}

/* First come, first served: recovered ones, then the higher priority, then the lower id. */
int capacity_order(const struct sched_app *a, const struct sched_app *b)
{
    if (a->recovered != b->recovered)
        return a->recovered ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return app_id_compare(&a->id, &b->id);
}

/* KEY is 0 where the order is fifo. */
int capacity_compare_parts(const struct app_part *a, const struct app_part *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->key != 0 && a->app->added_ms != b->app->added_ms)
        return a->app->added_ms < b->app->added_ms ? -1 : 1;
    return capacity_order(a->app, b->app);
}

/* Those awake by their first app; those asleep by what they use, so that the next to wake is the
 * first. A tree holds one kind alone. */
int capacity_compare_users(const struct user_part *a, const struct user_part *b)
{
    const struct sched *sched = a->leaf->sched;
    int r;

    if (!a->sleeping)
        return capacity_compare_parts(a->first, b->first);
    r = calc_compare(&sched->calc, &sched->label_total[a->leaf->label], user_used(a), user_used(b));
    return r != 0 ? r : strcmp(a->user->name, b->user->name);
}

int capacity_compare_names(const struct leaf_user *a, const struct leaf_user *b)
{
    return strcmp(a->name, b->name);
}

RB_GENERATE(sched_leaf_user_tree, leaf_user, link, capacity_compare_names)
RB_GENERATE(sched_user_part_tree, user_part, link, capacity_compare_users)
RB_GENERATE(sched_app_part_tree, app_part, link, capacity_compare_parts)
RB_GENERATE(sched_waiting_tree, sched_app, wanting, capacity_order)

/* --- keys ------------------------------------------------------------------ */

float capacity_used_fraction(const struct queue_part *part)
{
    const struct sched *sched = part->sched;
    const struct resource *total = &sched->label_total[part->label];
    struct resource base = calc_max(&sched->calc, total, part->share->effective_minimum,
                                    sched->minimum);
    float fraction = calc_divide(&sched->calc, total, queue_used(part), &base);

    return isnan(fraction) ? 0 : fraction;
}

/* The same, for the guarantee as it was when the index was built: see count_base. */
static float used_fraction(const struct sched *sched, const struct queue_part *part)
{
    double used = capacity_measure(sched, part->label, queue_used(part));
    float fraction = sched->calc.dominant ? (float)(used / part->base) : (float)used / (float)part->base;

    return isnan(fraction) ? 0 : fraction;
}

/* By how much used_fraction divides: the memory, or the largest share, of what is guaranteed. */
static void count_base(struct queue_part *part)
{
    const struct sched *sched = part->sched;
    const struct resource *total = &sched->label_total[part->label];
    struct resource base = calc_max(&sched->calc, total, part->share->effective_minimum,
                                    sched->minimum);

    part->base = sched->calc.dominant ? calc_largest_share(&sched->calc, total, &base)
                                      : (double)base.value[RESOURCE_MEMORY_MB];
    calc_store(&sched->calc, queue_maximum(part), &part->share->effective_maximum);
    part->most_used = (float)(capacity_measure(sched, part->label, &part->share->effective_maximum) /
                              part->base);
    part->user_floor = part->is_leaf ? capacity_user_floor(sched, part) : 0;
}

/* Use in MiB; with size-based weight, by log2 of the demand (5.6, ordering-policy fair). */
static double fair_key(const struct app_part *part)
{
    const struct capacity_queue *queue = part->leaf->queue->config;
    double used = (double)app_used(part)->value[RESOURCE_MEMORY_MB];

    if (queue->order != CAPACITY_ORDER_FAIR)
        return 0;
    if (queue->size_based_weight) {
        double demand = used + (double)app_pending(part)->value[RESOURCE_MEMORY_MB];
        double weight = log1p(demand) / log(2);

        used = weight > 0 ? used / weight : used;
    }
    return used + 1;                    /* 0 would mean fifo */
}

/* --- in and out ------------------------------------------------------------ */

static struct sched_user_part_tree *tree_of(struct user_part *user)
{
    return user->sleeping ? &user->leaf->sleepers : &user->leaf->awake;
}

static void user_out(struct user_part *user)
{
    if (user->listed)
        RB_REMOVE(sched_user_part_tree, tree_of(user), user);
    user->leaf->first_awake = NULL;
    user->listed = false;
}

static void user_in(struct user_part *user)
{
    user->first = RB_MIN(sched_app_part_tree, &user->apps);
    user->listed = user->first != NULL;
    user->leaf->first_awake = NULL;
    if (user->listed)
        RB_INSERT(sched_user_part_tree, tree_of(user), user);
    else
        user->sleeping = false;
}

bool capacity_part_wants(const struct queue_part *part)
{
    if (part->is_leaf)
        return !RB_EMPTY(&part->awake) || !RB_EMPTY(&part->sleepers);
    return part->shelf && part->shelf->count > 0;
}

/* How far PART is below its maximum. Closer to it than its parent is to its own, PART is handed down that
 * maximum whole, and may have more room in another type than its parent has (5.5, and only where a share is
 * the largest of several). */
static float gap_of(const struct queue_part *part)
{
    double gap = ((double)part->most_used * (1 - 1e-6) - (double)part->used_capacity) * part->base;

    return gap > 0 ? capacity_at_least(gap) : 0;
}

float capacity_part_need(const struct queue_part *part)
{
    float need = part->is_leaf ? part->need : part->shelf->need, gap;

    if (part->asleep)
        return SHELF_NEVER;
    if (part->is_leaf && need < part->up->shelf->least)
        need = part->up->shelf->least;
    if (!part->sched->calc.dominant)
        return need;
    gap = gap_of(part);
    return gap < need ? gap : need;
}

float capacity_part_hold(const struct queue_part *part)
{
    if (part->need > 0 || calc_is_zero(&part->sched->calc, queue_reserved(part)))
        return SHELF_NEVER;             /* (who is asked first has reserved nothing, and wants more) */
    if (part->held_follows)
        return part->shelf->hold;
    return part->held ? part->held_need : 0;
}

/* From the highest bit on: full or not, and priority, if that counts before use; used capacity (a float
 * that is not negative is in order as its bits are); what decides between equals. */
uint64_t capacity_part_key(const struct queue_part *part)
{
    float used = part->used_capacity > 0 ? part->used_capacity : 0;
    uint64_t key = part->key_fixed;
    uint32_t bits;

    memcpy(&bits, &used, sizeof(bits));
    if (part->up->shelf->priority_first)
        key |= (uint64_t)(used >= 1) << (SHELF_KEY_BITS - 1);
    return key | (uint64_t)bits << part->up->shelf->rank_bits;
}

static struct shelf_entry entry_of(struct queue_part *part, uint64_t key)
{
    return (struct shelf_entry){
        .key = key, .part = part,
        .need = capacity_part_need(part), .hold = capacity_part_hold(part),
        .most = part->held ? part->held_most : -1,
        .counts = part->held && part->held_counts,
    };
}

/* Where PART, or whether it, stands in its parent's order may have changed. What is stale is made anew before
 * it is looked at. */
static void place_part(const struct sched *sched, struct queue_part *part)
{
    bool wants = part->up && part->placed && capacity_part_wants(part);
    struct shelf_entry entry;

    part->held_unsaid = false;
    if (!wants) {
        if (part->listed)
            shelf_leave(part->up->shelf, part->key);
        part->listed = false;
        return;
    }
    if (sched->capacity->stale)
        return;
    entry = entry_of(part, capacity_part_key(part));
    if (part->listed)
        shelf_move(part->up->shelf, part->key, &entry);
    else
        shelf_enter(part->up->shelf, &entry);
    part->key = entry.key;
    part->listed = true;
}

void capacity_note(struct queue_part *part)
{
    for (; part->up && part->listed; part = part->up) {
        struct shelf_entry now = entry_of(part, part->key);

        part->held_unsaid = false;
        if (!shelf_note(part->up->shelf, &now))
            return;
    }
}

static void wake_queue(struct queue_part *part)
{
    capacity_hold_forget(part);
    part->need = 0;
    for (; part; part = part->up) {     /* who sleeps for what those below need, too */
        part->asleep = false;
        capacity_note(part);
    }
}

void capacity_limits_changed(struct sched_queue *leaf, const struct queue_part *changing)
{
    for (int l = 0; l < leaf->part_count; l++)
        if (leaf->parts[l] && leaf->parts[l] != changing) {
            leaf->parts[l]->limit_known = false;
            wake_queue(leaf->parts[l]);
        }
}

static void count_ratio(const struct sched *sched, struct user_part *user)
{
    float ratio = calc_ratio(&sched->calc, user_used(user), &sched->label_total[user->leaf->label]);

    ratio = isfinite(ratio) ? ratio : 0;
    user->leaf->used_ratios += (double)ratio - (double)user->ratio;
    user->ratio = ratio;
}

double capacity_measure_any(const struct sched *sched, int label, const int64_t *a)
{
    const struct resource *total = &sched->label_total[label];
    double most = 0;

    if (!sched->calc.dominant)
        return (double)a[RESOURCE_MEMORY_MB];
    for (int t = 0; t < sched->calc.types; t++) {
        double share = (double)a[t] / (double)total->value[t];

        if (total->value[t] > 0 && share > most)
            most = share;
    }
    return most;
}

float capacity_at_least(double measure)
{
    return (float)(measure * (1 - 1e-6));       /* a float may be above the double that it is made of */
}

void capacity_begin(struct app_part *part)
{
    const struct resource *ending = part->app->sched->ending;
    bool fair = part->leaf->fair;

    part->leaf->limit_known = false;
    if (fair || part->user->sleeping)
        user_out(part->user);
    if (fair && part->listed) {
        RB_REMOVE(sched_app_part_tree, &part->user->apps, part);
        part->listed = false;
    }
    if (ending)
        capacity_hold_ending(part->leaf, ending);
    else
        capacity_hold_forget_changing(part->leaf);
}

void capacity_end(struct app_part *part)
{
    bool listed = part->app->state == APP_ACTIVE && part->pending_containers > 0;
    const struct sched *sched = part->app->sched;

    capacity_rest(part->app, part->leaf);
    if (sched->use_changed)
        capacity_users_changed(part->leaf->queue);
    count_ratio(sched, part->user);
    if (listed != part->listed) {
        user_out(part->user);
        if (listed) {
            part->key = fair_key(part);
            RB_INSERT(sched_app_part_tree, &part->user->apps, part);
        } else {
            RB_REMOVE(sched_app_part_tree, &part->user->apps, part);
        }
        part->listed = listed;
    }
    if (!part->user->listed) {
        if (!calc_is_zero(&sched->calc, user_reserved(part->user)))
            part->user->sleeping = false;       /* an app that came with it could give that up */
        user_in(part->user);
    }
    capacity_know_need(part->leaf);
    for (struct queue_part *at = part->leaf; at->up; at = at->up) {    /* root stands in no order */
        at->used_capacity = used_fraction(sched, at);
        at->asleep = false;
        capacity_hold_changed(at);
        place_part(sched, at);
    }
}

/* APP's asks, or the nodes that it avoids, are about to be others: what they owe is due, and who was refused
 * behind or before it may not be. */
void capacity_touch(struct sched_app *app)
{
    for (struct app_part *part = app->parts; part; part = part->next)
        wake_queue(part->leaf);
}

/* Is there anybody who could take something of partition LABEL? */
static bool wants_of(const struct sched *sched, const struct queue_part *root, int label)
{
    struct resource room = resource_subtract(root->share->effective_maximum, capacity_firm_use(root));

    return root->shelf->hold < SHELF_NEVER || capacity_any_killable(root) ||
           (double)root->shelf->need <= capacity_measure(sched, label, &room);
}

bool capacity_wants(const struct sched *sched)
{
    const struct sched_queue *root = TAILQ_FIRST(&sched->queues);

    capacity_settle((struct sched *)(uintptr_t)sched);
    for (int l = 0; l < root->part_count; l++)
        if (root->parts[l] && capacity_part_wants(root->parts[l]) &&
            wants_of(sched, root->parts[l], l))
            return true;
    return false;
}

/* --- sleep ----------------------------------------------------------------- */

void capacity_starve(const struct app_part *part, const struct demand *refused)
{
    struct queue_part *leaf = part->leaf;

    if (leaf->sched->capacity->visits_all)
        return;
    leaf->need = capacity_demand_need(part, refused);
    leaf->need_firm = false;
    capacity_note(leaf);
}

void capacity_sleep(struct queue_part *part)
{
    if (part->sched->capacity->visits_all)
        return;
    part->asleep = true;
    capacity_note(part);
}

void capacity_sleep_user(struct user_part *user)
{
    if (user->leaf->sched->capacity->visits_all)
        return;
    user_out(user);
    user->sleeping = true;
    user_in(user);
}

static void wake(struct user_part *user)
{
    user_out(user);
    user->sleeping = false;
    user_in(user);
}

void capacity_wake_users(struct sched *sched, struct queue_part *leaf, bool all)
{
    struct user_part *user = RB_MIN(sched_user_part_tree, &leaf->sleepers), *next;

    for (; user; user = next) {
        next = RB_NEXT(sched_user_part_tree, &leaf->sleepers, user);
        if (all || !capacity_user_over(sched, user, queue_user_limit(leaf)))
            wake(user);
        else if (leaf->queue->weighted == 0)
            return;                     /* the others use more still */
    }
}

/* --- all anew -------------------------------------------------------------- */

/* The leaf's order may have changed, and with it what an app's key is. */
static void rebuild_apps(struct sched_queue *queue)
{
    struct leaf_user *user;
    struct sched_app *app;

    RB_FOREACH(user, sched_leaf_user_tree, &queue->users)
        for (struct user_part *part = user->parts; part; part = part->next)
            RB_INIT(&part->apps);
    TAILQ_FOREACH(app, &queue->apps, of_queue)
        for (struct app_part *part = app->parts; part; part = part->next) {
            part->key = fair_key(part);
            if (part->listed)
                RB_INSERT(sched_app_part_tree, &part->user->apps, part);
        }
}

static void rebuild_leaf(struct sched_queue *queue)
{
    struct leaf_user *user;

    for (int l = 0; l < queue->part_count; l++) {
        if (queue->parts[l] == NULL)
            continue;
        RB_INIT(&queue->parts[l]->awake);
        queue->parts[l]->first_awake = NULL;
        RB_INIT(&queue->parts[l]->sleepers);
    }
    rebuild_apps(queue);
    RB_FOREACH(user, sched_leaf_user_tree, &queue->users)
        for (struct user_part *part = user->parts; part; part = part->next) {
            count_ratio(queue->sched, part);
            part->sleeping = false;
            user_in(part);
        }
}

static int compare_ranks(const void *a, const void *b)
{
    const struct queue_part *pa = *(const struct queue_part *const *)a;
    const struct queue_part *pb = *(const struct queue_part *const *)b;
    int64_t at = pa->queue->config->position, bt = pb->queue->config->position;

    if (pa->share->absolute != pb->share->absolute)
        return pa->share->absolute > pb->share->absolute ? -1 : 1;
    return (at > bt) - (at < bt);
}

/* Which priorities there are, counted from the highest. More than fit into a key count as one: that takes
 * more than 32,768 siblings. */
static int compare_priorities(const void *a, const void *b)
{
    int32_t pa = (*(const struct queue_part *const *)a)->queue->config->priority;
    int32_t pb = (*(const struct queue_part *const *)b)->queue->config->priority;

    return (pa < pb) - (pa > pb);
}

static void fix_priorities(struct queue_part **children, uint32_t count, uint32_t rank_bits)
{
    uint64_t place = 0, most = ((uint64_t)1 << (SHELF_KEY_BITS - 32 - rank_bits)) - 1;

    qsort(children, count, sizeof(children[0]), compare_priorities);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && compare_priorities(&children[i - 1], &children[i]) != 0 && place < most)
            place++;
        children[i]->key_fixed |= place << (31 + rank_bits);
    }
}

/* The order of QUEUE's children where they use the same part of their guarantees, and an empty shelf. */
static void rank_children(struct sched_queue *queue, int label, struct queue_part **children)
{
    struct queue_part *part = queue->parts[label];
    struct capacity_queue *child;
    uint32_t count = 0;

    TAILQ_FOREACH(child, &queue->config->children, sibling)
        children[count++] = sched_queue_part(child->live, label);
    if (part->shelf && part->shelf->room_for >= count) {
        shelf_clear(part->shelf);
    } else {
        free(part->shelf);
        part->shelf = shelf_new(count);
    }
    qsort(children, count, sizeof(children[0]), compare_ranks);
    for (uint32_t i = 0; i < count; i++) {
        children[i]->key_fixed = i;
        children[i]->placed = true;
    }
    capacity_hold_know_least(part);
    part->shelf->priority_first = queue->config->priority_utilization;
    if (part->shelf->priority_first)
        fix_priorities(children, count, part->shelf->rank_bits);
}

static void empty_shelves(struct sched *sched)
{
    struct queue_part **children = mem_array0(sched->capacity->config->queue_count + 1,
                                              sizeof(struct queue_part *));
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        for (int l = 0; l < queue->part_count; l++)
            if (queue->parts[l] && queue->leaf)
                capacity_hold_forget(queue->parts[l]);
    TAILQ_FOREACH(queue, &sched->queues, link)
        for (int l = 0; l < queue->part_count; l++)
            if (queue->parts[l] && !queue->leaf)
                rank_children(queue, l, children);
    free(children);
}

void capacity_index_rebuild(struct sched *sched)
{
    struct sched_queue *queue;

    empty_shelves(sched);
    TAILQ_FOREACH_REVERSE(queue, &sched->queues, sched_queue_list, link) {
        if (queue->leaf)
            rebuild_leaf(queue);
        for (int l = 0; l < queue->part_count; l++) {
            struct queue_part *part = queue->parts[l];

            if (part == NULL)
                continue;
            part->asleep = part->limit_known = part->listed = false;
            part->held = part->held_follows = part->held_unsaid = false;
            part->need = 0;
            count_base(part);
            part->used_capacity = used_fraction(sched, part);
            place_part(sched, part);
        }
    }
}
