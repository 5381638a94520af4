/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - a red-black tree augmented with the least need, and what is blocked, of each subtree */
#include "rm/sched/order.h"

#include <assert.h>

static const struct order_amount never = { { ORDER_NEVER, ORDER_NEVER } };

static int compare_entries(const struct order_entry *a, const struct order_entry *b)
{
    const struct order *order = a->order ? a->order : b->order;

    return order->compare(a, b);
}

static void take_least(struct order_amount *least, const struct order_amount *other)
{
    for (int t = 0; t < ORDER_TYPES; t++)
        if (other->value[t] < least->value[t])
            least->value[t] = other->value[t];
}

static void add(struct order_amount *sum, const struct order_amount *amount)
{
    for (int t = 0; t < ORDER_TYPES; t++)
        sum->value[t] += amount->value[t];
}

/* Computes the values of ENTRY's subtree from its own and its children's. The tree calls this for each entry
 * whose children it changes. */
static void augment(struct order_entry *entry)
{
    const struct order_entry *children[] = { RB_LEFT(entry, link), RB_RIGHT(entry, link) };

    entry->least_need = entry->need;
    entry->least_exchange = entry->exchange;
    entry->blocked_sum = entry->blocked;
    for (int i = 0; i < 2; i++)
        if (children[i]) {
            take_least(&entry->least_need, &children[i]->least_need);
            take_least(&entry->least_exchange, &children[i]->least_exchange);
            add(&entry->blocked_sum, &children[i]->blocked_sum);
        }
}

#undef RB_AUGMENT
#define RB_AUGMENT(entry) augment(entry)

RB_PROTOTYPE(order_tree, order_entry, link, compare_entries)
RB_GENERATE(order_tree, order_entry, link, compare_entries)

static bool is_same(const struct order_amount *a, const struct order_amount *b)
{
    return a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

/* ENTRY's own values changed: correct those of its subtree, and of those above until one stays. */
static void augment_upwards(struct order_entry *entry)
{
    for (; entry; entry = RB_PARENT(entry, link)) {
        struct order_entry before = *entry;

        augment(entry);
        if (is_same(&before.least_need, &entry->least_need) &&
            is_same(&before.least_exchange, &entry->least_exchange) &&
            is_same(&before.blocked_sum, &entry->blocked_sum))
            return;
    }
}

static void set_values(struct order_entry *entry, struct order_amount need, struct order_amount exchange,
                       struct order_amount blocked)
{
    bool same = is_same(&entry->need, &need) && is_same(&entry->exchange, &exchange) &&
                is_same(&entry->blocked, &blocked);

    entry->need = need;
    entry->exchange = exchange;
    entry->blocked = blocked;
    if (entry->order && !same)
        augment_upwards(entry);
}

void order_init(struct order *order, order_compare_fn *compare)
{
    RB_INIT(&order->tree);
    order->compare = compare;
    order->count = 0;
}

/* While its values are these, an entry can be put in and taken out and those of no subtree change. */
static const struct order_amount no_amount;

void order_insert(struct order *order, struct order_entry *entry)
{
    struct order_amount need = entry->need, exchange = entry->exchange, blocked = entry->blocked;
    struct order_entry *other;

    assert(entry->order == NULL);
    set_values(entry, never, never, no_amount);
    entry->least_need = entry->least_exchange = never;
    entry->blocked_sum = no_amount;
    entry->order = order;
    other = RB_INSERT(order_tree, &order->tree, entry);
    assert(other == NULL);              /* the comparison is total */
    (void)other;
    order->count++;
    set_values(entry, need, exchange, blocked);
}

void order_remove(struct order_entry *entry)
{
    struct order_amount need = entry->need, exchange = entry->exchange, blocked = entry->blocked;
    struct order *order = entry->order;

    if (order == NULL)
        return;
    set_values(entry, never, never, no_amount);
    RB_REMOVE(order_tree, &order->tree, entry);
    order->count--;
    entry->order = NULL;
    set_values(entry, need, exchange, blocked);
}

void order_update(struct order_entry *entry)
{
    struct order *order = entry->order;
    const struct order_entry *before, *behind;

    if (order == NULL)
        return;
    before = RB_PREV(order_tree, &order->tree, entry);
    behind = RB_NEXT(order_tree, &order->tree, entry);
    if ((before == NULL || order->compare(before, entry) < 0) &&
        (behind == NULL || order->compare(entry, behind) < 0))
        return;
    order_remove(entry);
    order_insert(order, entry);
}

void order_set_need(struct order_entry *entry, struct order_amount need, struct order_amount exchange)
{
    set_values(entry, need, exchange, entry->blocked);
}

void order_set_blocked(struct order_entry *entry, struct order_amount blocked)
{
    set_values(entry, entry->need, entry->exchange, blocked);
}

static bool qualifies(const struct order_amount *need, const struct order_amount *exchange,
                      const struct order_offer *offer)
{
    return offer == NULL || order_fits(need, &offer->room) || order_fits(exchange, &offer->exchange);
}

/* The first entry of the subtree at ENTRY that is behind AFTER and qualifies. */
static struct order_entry *find_in(struct order_entry *entry, const struct order *order,
                                   const struct order_entry *after, const struct order_offer *offer)
{
    struct order_entry *found;

    if (entry == NULL || !qualifies(&entry->least_need, &entry->least_exchange, offer))
        return NULL;
    if (after && order->compare(entry, after) <= 0)
        return find_in(RB_RIGHT(entry, link), order, after, offer);
    found = find_in(RB_LEFT(entry, link), order, after, offer);
    if (found)
        return found;
    if (qualifies(&entry->need, &entry->exchange, offer))
        return entry;
    return find_in(RB_RIGHT(entry, link), order, NULL, offer);
}

struct order_entry *order_find(const struct order *order, const struct order_entry *after,
                               const struct order_offer *offer)
{
    return find_in(RB_ROOT(&order->tree), order, after, offer);
}

/* May entries that need, exchange and block so much be passed over? Then their room is subtracted. */
static bool pass_over(const struct order_amount *need, const struct order_amount *exchange,
                      const struct order_amount *blocked, struct order_offer *offer)
{
    if (qualifies(need, exchange, offer) || !order_fits(blocked, &offer->room))
        return false;
    for (int t = 0; t < ORDER_TYPES; t++)
        offer->room.value[t] -= blocked->value[t];
    return true;
}

static struct order_entry *pass_in(struct order_entry *entry, const struct order *order,
                                   const struct order_entry *after, struct order_offer *offer)
{
    struct order_entry *found;

    if (entry == NULL)
        return NULL;
    if (after && order->compare(entry, after) <= 0)
        return pass_in(RB_RIGHT(entry, link), order, after, offer);
    if (after == NULL && pass_over(&entry->least_need, &entry->least_exchange, &entry->blocked_sum, offer))
        return NULL;
    found = pass_in(RB_LEFT(entry, link), order, after, offer);
    if (found)
        return found;
    if (!pass_over(&entry->need, &entry->exchange, &entry->blocked, offer))
        return entry;
    return pass_in(RB_RIGHT(entry, link), order, NULL, offer);
}

struct order_entry *order_pass(const struct order *order, const struct order_entry *after,
                               struct order_offer *offer)
{
    return pass_in(RB_ROOT(&order->tree), order, after, offer);
}

struct order_amount order_least_need(const struct order *order)
{
    const struct order_entry *root = RB_ROOT(&order->tree);

    return root ? root->least_need : never;
}

struct order_amount order_least_exchange(const struct order *order)
{
    const struct order_entry *root = RB_ROOT(&order->tree);

    return root ? root->least_exchange : never;
}

bool order_is_consistent(const struct order *order)
{
    const struct order_entry *before = NULL;
    struct order_tree tree = order->tree;       /* the macros take no const */
    struct order_entry *entry;
    size_t count = 0;

    RB_FOREACH(entry, order_tree, &tree) {
        struct order_entry anew = *entry;

        augment(&anew);
        if (entry->order != order || !is_same(&anew.least_need, &entry->least_need) ||
            !is_same(&anew.least_exchange, &entry->least_exchange) ||
            !is_same(&anew.blocked_sum, &entry->blocked_sum) ||
            (before && order->compare(before, entry) >= 0))
            return false;
        before = entry;
        count++;
    }
    return count == order->count;
}
