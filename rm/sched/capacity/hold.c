/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - full queues, and nodes offered to them in exchange for what they have reserved
 *
 * In a full queue an app gets a container only by giving up a node that is kept for it (yarn-behaviour 6,
 * continue-looking). Most nodes that come round have too little room for those who keep any; each offer
 * would visit them all, to no effect but that they count a missed opportunity. So a queue that was visited
 * in vain remembers from how much free room on a node another visit could end otherwise (HELD_NEED), and
 * is stepped over until then (shelf.h). That holds until something below it changes, or what its parent
 * has left for it; but for a leaf where all who were asked keep a node for just that, and the next would
 * need more room, it also holds while the parent's room is anything below what they want (HELD_MOST), full
 * or not. A queue above such leaves remembers the least of what they do. One that is full, and not by its
 * own maximum, FOLLOWS them: its need is the least of theirs, whatever ends or is placed below it, for what
 * it has left while its parent is full is what the parent has.
 *
 * What a skipped visit would have counted is made good later. A parent counts how often all its children
 * were passed over; a child that is held owes what was counted since (HELD_FROM), its parent's own debts
 * included; where somebody took the node, those before it are credited one by one. A queue that follows and
 * is visited settles its account, and that pass of its parent is not owed a second time. A leaf pays to the
 * demands in COUNTED before anybody looks at them.
 */
#include "rm/sched/capacity/internal.h"

/* Parent: how often its children were passed over. Leaf: how often its own visit was left out. */
static int64_t count_of(const struct queue_part *part)
{
    int64_t count = part->held_count;

    if (part->held && part->held_counts)
        count += count_of(part->up) - part->held_from + shelf_counted(part->up->shelf, part->key);
    return count;
}

static void pay(struct queue_part *leaf)
{
    struct demand *demand;

    SLIST_FOREACH(demand, &leaf->counted, counted)
        demand->opportunities += (uint32_t)leaf->held_count;
    leaf->held_count = 0;
    SLIST_INIT(&leaf->counted);
}

int64_t capacity_hold_opportunities(const struct sched_app *app, const struct demand *demand)
{
    const struct app_part *part = sched_app_part_have(app, demand->label);
    const struct demand *owed;

    if (part)
        SLIST_FOREACH(owed, &part->leaf->counted, counted)
            if (owed == demand)
                return demand->opportunities + count_of(part->leaf);
    return demand->opportunities;
}

static void forget_one(struct queue_part *part)
{
    part->held_count = count_of(part);
    part->held = part->held_follows = false;
    if (part->is_leaf)
        pay(part);
}

void capacity_hold_forget(struct queue_part *part)
{
    for (; part; part = part->up)
        if (part->held) {
            forget_one(part);
            capacity_note(part);
        }
}

void capacity_hold_forget_changing(struct queue_part *part)
{
    for (; part; part = part->up)
        if (part->held && !part->held_follows)
            forget_one(part);
}

void capacity_hold_settle(struct queue_part *part)
{
    int64_t count = count_of(part);

    if (part->held_follows) {
        part->held_from += count - part->held_count;
        part->held_count = count;
        return;
    }
    forget_one(part);
    part->held_unsaid = true;           /* the visit mostly ends in a note of its own: its shelf learns of
                                           both then, at the latest when the visit is over */
}

bool capacity_in_whole(const struct sched *sched, const struct resource *room)
{
    const int64_t *step = sched->minimum.value, *value = room->value;
    bool whole = true;

    if (sched->calc.dominant && sched->calc.types == 2 && calc_is_power_of_two(step[0]) &&
        calc_is_power_of_two(step[1]))
        return ((value[0] | value[1]) >= 0) &
               (((value[0] & (step[0] - 1)) | (value[1] & (step[1] - 1))) == 0);
    for (int t = 0; t < calc_types(&sched->calc); t++)
        whole = whole && value[t] >= 0 && calc_is_multiple(value[t], step[t]);
    return whole;
}

/* A container that ends gives room to all alike, and changes neither who is asked first nor what for; unless
 * apps stand in order of use, or users at their limits. Its parent may then have what it has now in another
 * state, so that what counts for the present room alone does not stand. */
static bool outlives_end(const struct queue_part *part)
{
    if (part->asleep || (part->held && !part->held_follows && !(part->held_firm && part->held_most > 0)))
        return false;
    return !part->held || !part->is_leaf || (!part->fair && RB_EMPTY(&part->sleepers));
}

void capacity_hold_ending(struct queue_part *leaf, const struct resource *amount)
{
    struct queue_part *part;
    bool held = false;

    for (part = leaf; part && outlives_end(part); part = part->up)
        held = held || part->held;
    if (held && !capacity_in_whole(leaf->sched, amount))
        part = leaf;                    /* what is known is of whole containers */
    capacity_hold_forget_changing(part);
}

/* Does what PART remembers stand where its parent has ROOM left, which MEASUREs so much? */
static bool stands(const struct queue_part *part, const struct resource *room, double measure)
{
    return measure < (double)part->held_most && !calc_any_below_zero(&part->sched->calc, room);
}

bool capacity_hold_reaches(const struct sched *sched, const struct queue_part *leaf,
                           double most)
{
    for (int t = 0; t < calc_types(&sched->calc); t++) {
        double total = (double)sched->label_total[leaf->label].value[t];

        if ((double)(queue_maximum(leaf)->value[t] - queue_used(leaf)->value[t]) <
            (sched->calc.dominant ? most * total : most))
            return false;
    }
    return true;
}

void capacity_hold_know_least(struct queue_part *parent)
{
    const struct sched *sched = parent->sched;
    struct shelf *shelf = parent->shelf;

    shelf->least = capacity_at_least(capacity_measure(sched, parent->label, &sched->minimum));
    for (int t = 0; t < calc_types(&sched->calc); t++) {
        double total = sched->calc.dominant ? (double)sched->label_total[parent->label].value[t] : 1;

        shelf->least_left.value[t] = calc_truncate(ceil((double)shelf->least * (1 + 4e-6) * total));
    }
}

/* While PART's parent has less than the smallest container, does PART, a queue above others, have just that
 * left, so that its children alone say from what room on it could exchange anything? If its maximum keeps
 * nothing of it back, and what it uses is in whole containers. */
static bool may_follow(const struct queue_part *part)
{
    const struct sched *sched = part->sched;
    const int64_t *used = queue_used(part)->value, *most = queue_maximum(part)->value;
    const int64_t *least = part->up->shelf->least_left.value, *step = sched->minimum.value;

    if (part->shelf->count == 0 || calc_is_zero(&sched->calc, queue_reserved(part)))
        return false;
    for (int t = 0; t < calc_types(&sched->calc); t++)
        if (most[t] - used[t] < least[t] || !calc_is_multiple(used[t], step[t]))
            return false;
    return true;
}

void capacity_hold_ask(struct queue_part *part)
{
    if (!may_follow(part))
        forget_one(part);
}

/* THIS_PASS will be counted of the parent, but is not owed. */
static void remember(const struct visit *visit, struct queue_part *part, double most, bool this_pass)
{
    struct resource *room = &part->up->shelf->held_room;

    if (visit->sched->capacity->visits_all) {
        SLIST_INIT(&part->counted);
        return;
    }
    if (part->held) {
        forget_one(part);
        capacity_note(part);
    }
    part->held = true;
    part->held_firm = visit->firm;
    part->held_follows = !part->is_leaf && most <= 0 && visit->counts && may_follow(part);
    part->held_need = capacity_at_least(visit->least);
    part->held_counts = visit->counts && (part->held_follows || part->held_need > 0);
    part->held_most = most > 0 ? capacity_at_least(most) : 0;
    part->held_from = count_of(part->up) + (this_pass && visit->offer->opportunity ? 1 : 0);
    if (part->held_unsaid)              /* its shelf counts on from where it was */
        part->held_from += shelf_counted(part->up->shelf, part->key);
    if (!visit->full && !stands(part, room, capacity_measure(visit->sched, part->label, room)))
        room->value[RESOURCE_MEMORY_MB] = INT64_MIN;    /* to be looked at in the next exchange */
    capacity_note(part);
}

void capacity_hold_remember(const struct visit *visit, struct queue_part *part, double most)
{
    remember(visit, part, most, true);
}

void capacity_hold_remember_taker(const struct visit *visit, struct queue_part *leaf, double most)
{
    remember(visit, leaf, most, false);
}

void capacity_hold_begin(struct queue_part *parent, const struct resource *room)
{
    struct shelf *shelf = parent->shelf;
    double measure;

    if (resource_equal(&shelf->held_room, room))
        return;
    shelf->held_room = *room;
    if (parent->held) {                 /* for another room */
        forget_one(parent);
        capacity_note(parent);
    }
    measure = capacity_measure(parent->sched, parent->label, room);
    for (uint32_t rank = 0; rank < shelf->room_for; rank++) {
        struct queue_part *part = shelf_child(shelf, rank);

        if (part && part->held && !stands(part, room, measure)) {
            forget_one(part);
            capacity_note(part);
        }
    }
}

void capacity_hold_passed(const struct visit *visit, struct queue_part *parent)
{
    parent->held_count += visit->offer->opportunity ? 1 : 0;
}

void capacity_hold_taken(const struct visit *visit, struct queue_part *parent, uint64_t key)
{
    if (visit->offer->opportunity)
        shelf_pass(parent->shelf, key);
}
