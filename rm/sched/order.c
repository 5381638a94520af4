/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - a red-black tree augmented with the least need of each subtree */
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

/* Computes the least values of ENTRY's subtree from its own and its children's. */
static void augment(const struct order_entry *entry, struct order_amount *need, struct order_amount *exchange)
{
    const struct order_entry *children[] = { RB_LEFT(entry, link), RB_RIGHT(entry, link) };

    *need = entry->need;
    *exchange = entry->exchange;
    for (int i = 0; i < 2; i++)
        if (children[i]) {
            take_least(need, &children[i]->least_need);
            take_least(exchange, &children[i]->least_exchange);
        }
}

/* The tree calls this for each entry whose children it changes. */
#undef RB_AUGMENT
#define RB_AUGMENT(entry) augment(entry, &(entry)->least_need, &(entry)->least_exchange)

RB_PROTOTYPE(order_tree, order_entry, link, compare_entries)
RB_GENERATE(order_tree, order_entry, link, compare_entries)

static bool is_same(const struct order_amount *a, const struct order_amount *b)
{
    return a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

/* ENTRY's own values changed: correct the least values of its subtree, and of those above until one stays. */
static void augment_upwards(struct order_entry *entry)
{
    for (; entry; entry = RB_PARENT(entry, link)) {
        struct order_amount need, exchange;

        augment(entry, &need, &exchange);
        if (is_same(&need, &entry->least_need) && is_same(&exchange, &entry->least_exchange))
            return;
        entry->least_need = need;
        entry->least_exchange = exchange;
    }
}

void order_init(struct order *order, order_compare_fn *compare)
{
    RB_INIT(&order->tree);
    order->compare = compare;
    order->count = 0;
}

/* While its need is ORDER_NEVER, an entry can be put in and taken out and no least value changes. */
void order_insert(struct order *order, struct order_entry *entry)
{
    struct order_amount need = entry->need, exchange = entry->exchange;
    struct order_entry *other;

    assert(entry->order == NULL);
    entry->order = order;
    entry->need = entry->exchange = entry->least_need = entry->least_exchange = never;
    other = RB_INSERT(order_tree, &order->tree, entry);
    assert(other == NULL);              /* the comparison is total */
    (void)other;
    order->count++;
    order_set_need(entry, need, exchange);
}

void order_remove(struct order_entry *entry)
{
    struct order_amount need = entry->need, exchange = entry->exchange;
    struct order *order = entry->order;

    if (order == NULL)
        return;
    order_set_need(entry, never, never);
    RB_REMOVE(order_tree, &order->tree, entry);
    order->count--;
    entry->order = NULL;
    order_set_need(entry, need, exchange);
}

void order_set_need(struct order_entry *entry, struct order_amount need, struct order_amount exchange)
{
    bool same = is_same(&entry->need, &need) && is_same(&entry->exchange, &exchange);

    entry->need = need;
    entry->exchange = exchange;
    if (entry->order && !same)
        augment_upwards(entry);
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
        struct order_amount need, exchange;

        augment(entry, &need, &exchange);
        if (entry->order != order || !is_same(&need, &entry->least_need) ||
            !is_same(&exchange, &entry->least_exchange) ||
            (before && order->compare(before, entry) >= 0))
            return false;
        before = entry;
        count++;
    }
    return count == order->count;
}
