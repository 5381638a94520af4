/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - a red-black tree augmented with the least need, and what is blocked, of each subtree */
#include "rm/sched/order.h"

#include <assert.h>

#define EACH(amount) { { amount, amount, amount, amount, amount, amount, amount, amount } }

const struct resource order_never = EACH(ORDER_NEVER), order_always = EACH(ORDER_ALWAYS),
                      order_no_room = EACH(ORDER_NO_ROOM), order_any_room = EACH(ORDER_NEVER - 1);

static_assert(RESOURCE_TYPES_MAX == 8, "these have all types");

static const struct resource no_amount;

static int compare_entries(const struct order_entry *a, const struct order_entry *b)
{
    const struct order *order = a->order ? a->order : b->order;

    return order->compare(a, b);
}

static void copy(int types, struct resource *to, const struct resource *from)
{
    for (int t = 0; t < types; t++)
        to->value[t] = from->value[t];
}

static void take_least(int types, struct resource *least, const struct resource *other)
{
    for (int t = 0; t < types; t++)
        if (other->value[t] < least->value[t])
            least->value[t] = other->value[t];
}

static void add(int types, struct resource *sum, const struct resource *amount)
{
    for (int t = 0; t < types; t++)
        sum->value[t] += amount->value[t];
}

static bool is_same(int types, const struct resource *a, const struct resource *b)
{
    for (int t = 0; t < types; t++)
        if (a->value[t] != b->value[t])
            return false;
    return true;
}

/* Sets *KEPT; did it change? */
static bool set_amount(int types, struct resource *kept, const struct resource *amount)
{
    if (is_same(types, kept, amount))
        return false;
    copy(types, kept, amount);
    return true;
}

/* Computes the values of ENTRY's subtree from its own and its children's; did they change? The tree calls
 * this for each entry whose children it changes. */
static bool augment(struct order_entry *entry)
{
    const struct order_entry *children[] = { RB_LEFT(entry, link), RB_RIGHT(entry, link) };
    struct resource need, exchange, blocked;
    int types = entry->order->types;
    bool changed;

    copy(types, &need, &entry->need);
    copy(types, &exchange, &entry->exchange);
    copy(types, &blocked, &entry->blocked);
    for (int i = 0; i < 2; i++)
        if (children[i]) {
            take_least(types, &need, &children[i]->least_need);
            take_least(types, &exchange, &children[i]->least_exchange);
            add(types, &blocked, &children[i]->blocked_sum);
        }
    changed = set_amount(types, &entry->least_need, &need);
    changed = set_amount(types, &entry->least_exchange, &exchange) || changed;
    return set_amount(types, &entry->blocked_sum, &blocked) || changed;
}

#undef RB_AUGMENT
#define RB_AUGMENT(entry) augment(entry)

RB_PROTOTYPE(order_tree, order_entry, link, compare_entries)
RB_GENERATE(order_tree, order_entry, link, compare_entries)

/* ENTRY's own values changed: correct those of its subtree, and of those above until one stays. */
static void augment_upwards(struct order_entry *entry)
{
    while (entry && augment(entry))
        entry = RB_PARENT(entry, link);
}

static void set_values(struct order_entry *entry, const struct resource *need,
                       const struct resource *exchange, const struct resource *blocked)
{
    int types = entry->order ? entry->order->types : RESOURCE_TYPES_MAX;
    bool same = is_same(types, &entry->need, need) && is_same(types, &entry->exchange, exchange) &&
                is_same(types, &entry->blocked, blocked);

    if (same)
        return;
    entry->need = *need;
    entry->exchange = *exchange;
    entry->blocked = *blocked;
    if (entry->order)
        augment_upwards(entry);
}

void order_init(struct order *order, order_compare_fn *compare, int types)
{
    RB_INIT(&order->tree);
    order->compare = compare;
    order->count = 0;
    order->types = types;
}

/* Inserts ENTRY without values, which changes those of no subtree, and then sets them. */
void order_insert(struct order *order, struct order_entry *entry)
{
    struct resource need = entry->need, exchange = entry->exchange, blocked = entry->blocked;
    struct order_entry *other;

    assert(entry->order == NULL);
    set_values(entry, &order_never, &order_never, &no_amount);
    entry->least_need = entry->least_exchange = order_never;
    entry->blocked_sum = no_amount;
    entry->order = order;
    other = RB_INSERT(order_tree, &order->tree, entry);
    assert(other == NULL);              /* the comparison is total */
    (void)other;
    order->count++;
    set_values(entry, &need, &exchange, &blocked);
}

void order_remove(struct order_entry *entry)
{
    struct resource need = entry->need, exchange = entry->exchange, blocked = entry->blocked;
    struct order *order = entry->order;

    if (order == NULL)
        return;
    set_values(entry, &order_never, &order_never, &no_amount);
    RB_REMOVE(order_tree, &order->tree, entry);
    order->count--;
    entry->order = NULL;
    set_values(entry, &need, &exchange, &blocked);
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

void order_set_need(struct order_entry *entry, const struct resource *need, const struct resource *exchange)
{
    struct resource blocked = entry->blocked;

    set_values(entry, need, exchange, &blocked);
}

void order_set_blocked(struct order_entry *entry, const struct resource *blocked)
{
    struct resource need = entry->need, exchange = entry->exchange;

    set_values(entry, &need, &exchange, blocked);
}

static bool qualifies(int types, const struct resource *need, const struct resource *exchange,
                      const struct order_offer *offer)
{
    return offer == NULL || order_fits(types, need, &offer->room) ||
           order_fits(types, exchange, &offer->exchange);
}

/* The first entry of the subtree at ENTRY that is behind AFTER and qualifies. */
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

/* May entries that need, exchange and block so much be passed over? Then their room is subtracted. */
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
    if (after == NULL && pass_over(order->types, &entry->least_need, &entry->least_exchange,
                                   &entry->blocked_sum, offer))
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
    struct order_tree tree = order->tree;       /* the macros take no const */
    struct order_entry *entry;
    size_t count = 0;

    RB_FOREACH(entry, order_tree, &tree) {
        struct order_entry anew = *entry;

        if (entry->order != order || augment(&anew) ||
            (before && order->compare(before, entry) >= 0))
            return false;
        before = entry;
        count++;
    }
    return count == order->count;
}
