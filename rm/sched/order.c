/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - red-black tree that stores the least need and the blocked sum of each subtree */
#include "rm/sched/order.h"

#include <assert.h>

#define EACH(amount) \
    { \
        { \
            amount, amount, amount, amount, amount, amount, amount, amount \
        } \
    }

const struct resource order_never = EACH(ORDER_NEVER), order_always = EACH(ORDER_ALWAYS),
                      order_no_room = EACH(ORDER_NO_ROOM), order_any_room = EACH(ORDER_NEVER - 1);

static_assert(RESOURCE_TYPES_MAX == 8, "these have all types");

/* The values of a missing child, and of a hidden entry, in a subtree. */
static const struct order_entry nothing = {
    .need = EACH(ORDER_NEVER),
    .exchange = EACH(ORDER_NEVER),
    .least_need = EACH(ORDER_NEVER),
    .least_exchange = EACH(ORDER_NEVER),
};

static int compare_entries(const struct order_entry *a, const struct order_entry *b)
{
    const struct order *order = a->order ? a->order : b->order;

    return order->compare(a, b);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Sets *KEPT to VALUE. Returns true if this changed it. */
static bool set(int64_t *kept, int64_t value)
{
    bool changed = *kept != value;

    *kept = value;
    return changed;
}

/* Computes the values of ENTRY's subtree from its own and its children's. Returns true if they changed. The
 * tree calls this for each entry whose children it changes. */
static bool augment(struct order_entry *entry)
{
    const struct order_entry *left = RB_LEFT(entry, link) ? RB_LEFT(entry, link) : &nothing;
    const struct order_entry *right = RB_RIGHT(entry, link) ? RB_RIGHT(entry, link) : &nothing;
    const struct order_entry *own = entry->order->hidden == entry ? &nothing : entry;
    int types = entry->order->types;
    bool changed = false;

    for (int t = 0; t < types; t++) {
        changed |=
            set(&entry->least_need.value[t],
                least(own->need.value[t], least(left->least_need.value[t], right->least_need.value[t])));
        changed |= set(&entry->least_exchange.value[t],
                       least(own->exchange.value[t],
                             least(left->least_exchange.value[t], right->least_exchange.value[t])));
        changed |= set(&entry->blocked_sum.value[t],
                       own->blocked.value[t] + left->blocked_sum.value[t] + right->blocked_sum.value[t]);
    }
    return changed;
}

#undef RB_AUGMENT
#define RB_AUGMENT(entry) augment(entry)

RB_PROTOTYPE(order_tree, order_entry, link, compare_entries)
RB_GENERATE(order_tree, order_entry, link, compare_entries)

/* Updates the values of ENTRY's subtree after its own values changed, and those of the subtrees above until
 * one does not change. */
static void augment_upwards(struct order_entry *entry)
{
    while (entry && augment(entry))
        entry = RB_PARENT(entry, link);
}

static bool is_same(int types, const struct resource *a, const struct resource *b)
{
    for (int t = 0; t < types; t++)
        if (a->value[t] != b->value[t])
            return false;
    return true;
}

void order_init(struct order *order, order_compare_fn *compare, int types)
{
    RB_INIT(&order->tree);
    order->compare = compare;
    order->hidden = NULL;
    order->count = 0;
    order->types = types;
}

/* The tree updates the values of some subtrees when an entry is inserted or removed, but not of all above.
 * Therefore the entry is hidden during this time, so that the subtrees above do not change. */
void order_insert(struct order *order, struct order_entry *entry)
{
    struct order_entry *other;

    assert(entry->order == NULL);
    entry->order = order;
    order->hidden = entry;
    entry->least_need = entry->least_exchange = order_never;
    entry->blocked_sum = nothing.blocked;
    other = RB_INSERT(order_tree, &order->tree, entry);
    assert(other == NULL);
    (void)other;
    order->count++;
    order->hidden = NULL;
    augment_upwards(entry);
}

void order_remove(struct order_entry *entry)
{
    struct order *order = entry->order;

    if (order == NULL)
        return;
    order->hidden = entry;
    augment_upwards(entry);
    RB_REMOVE(order_tree, &order->tree, entry);
    order->hidden = NULL;
    order->count--;
    entry->order = NULL;
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

void order_set(struct order_entry *entry, const struct resource *need, const struct resource *exchange,
               const struct resource *blocked)
{
    int types = entry->order ? entry->order->types : RESOURCE_TYPES_MAX;

    if (is_same(types, &entry->need, need) && is_same(types, &entry->exchange, exchange) &&
        is_same(types, &entry->blocked, blocked))
        return;
    entry->need = *need;
    entry->exchange = *exchange;
    entry->blocked = *blocked;
    if (entry->order)
        augment_upwards(entry);
}

void order_set_need(struct order_entry *entry, const struct resource *need, const struct resource *exchange)
{
    order_set(entry, need, exchange, &entry->blocked);
}

static bool qualifies(int types, const struct resource *need, const struct resource *exchange,
                      const struct order_offer *offer)
{
    return offer == NULL || order_fits(types, need, &offer->room) ||
           order_fits(types, exchange, &offer->exchange);
}

/* Returns the first entry of the subtree at ENTRY that is after AFTER and qualifies; NULL: none. */
static struct order_entry *find_in(struct order_entry *entry, const struct order *order,
                                   const struct order_entry *after, const struct order_offer *offer)
{
    struct order_entry *found;

    if (entry == NULL || !qualifies(order->types, &entry->least_need, &entry->least_exchange, offer))
        return NULL;
    if (after && order->compare(entry, after) <= 0)
        return find_in(RB_RIGHT(entry, link), order, after, offer);
    found = find_in(RB_LEFT(entry, link), order, after, offer);
    if (found)
        return found;
    if (qualifies(order->types, &entry->need, &entry->exchange, offer))
        return entry;
    return find_in(RB_RIGHT(entry, link), order, NULL, offer);
}

struct order_entry *order_find(const struct order *order, const struct order_entry *after,
                               const struct order_offer *offer)
{
    return find_in(RB_ROOT(&order->tree), order, after, offer);
}

/* Returns true if entries with this need, exchange and blocked room may be skipped, and subtracts the blocked
 * room. */
static bool pass_over(int types, const struct resource *need, const struct resource *exchange,
                      const struct resource *blocked, struct order_offer *offer)
{
    if (qualifies(types, need, exchange, offer) || !order_fits(types, blocked, &offer->room))
        return false;
    for (int t = 0; t < types; t++)
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
    if (after == NULL &&
        pass_over(order->types, &entry->least_need, &entry->least_exchange, &entry->blocked_sum, offer))
        return NULL;
    found = pass_in(RB_LEFT(entry, link), order, after, offer);
    if (found)
        return found;
    if (!pass_over(order->types, &entry->need, &entry->exchange, &entry->blocked, offer))
        return entry;
    return pass_in(RB_RIGHT(entry, link), order, NULL, offer);
}

struct order_entry *order_pass(const struct order *order, const struct order_entry *after,
                               struct order_offer *offer)
{
    return pass_in(RB_ROOT(&order->tree), order, after, offer);
}

const struct resource *order_least_need(const struct order *order)
{
    const struct order_entry *root = RB_ROOT(&order->tree);

    return root ? &root->least_need : &order_never;
}

const struct resource *order_least_exchange(const struct order *order)
{
    const struct order_entry *root = RB_ROOT(&order->tree);

    return root ? &root->least_exchange : &order_never;
}

bool order_is_consistent(const struct order *order)
{
    const struct order_entry *before = NULL;
    struct order_tree tree = order->tree; /* a copy, since the macros take no const */
    struct order_entry *entry;
    size_t count = 0;

    RB_FOREACH(entry, order_tree, &tree) {
        struct order_entry anew = *entry;

        if (entry->order != order || augment(&anew) || (before && order->compare(before, entry) >= 0))
            return false;
        before = entry;
        count++;
    }
    return count == order->count;
}
