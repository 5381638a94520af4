/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - tournaments of queues or apps */
#include "rm/sched/fair/order.h"

#include <assert.h>
#include <string.h>

#include "common/base/mem.h"

#define NONE UINT32_MAX
#define SHRINKS_FROM 16                 /* slots */

static const struct fair_key no_key = { { UINT64_MAX, 0 }, UINT64_MAX };
static const struct fair_says says_nothing = { UINT32_MAX - 1, UINT32_MAX - 1 };

__extension__ typedef unsigned __int128 uint128;

/* By numbers alone. */
static inline bool is_less(const struct fair_key *a, const struct fair_key *b)
{
    if (a->value[0] != b->value[0])
        return a->value[0] < b->value[0];
    return a->value[1] != b->value[1] ? a->value[1] < b->value[1] : a->tie < b->tie;
}

static inline bool is_equal(const struct fair_key *a, const struct fair_key *b)
{
    return a->value[0] == b->value[0] && a->value[1] == b->value[1] && a->tie == b->tie;
}

static inline bool is_nobody(const struct fair_entry *entry)
{
    return entry->key.value[0] == UINT64_MAX;
}

/* Of two with the same key. */
static bool __attribute__((noinline)) is_before_by_name(const struct fair_entry *a,
                                                        const struct fair_entry *b,
                                                        fair_compare_fn *compare)
{
    return !is_nobody(a) && compare(a->item, b->item) < 0;
}

/* Is A before B? */
static inline bool is_before(const struct fair_entry *a, const struct fair_entry *b,
                             fair_compare_fn *compare)
{
    if (a->key.value[0] != b->key.value[0])
        return a->key.value[0] < b->key.value[0];
    if (a->key.value[1] != b->key.value[1])
        return a->key.value[1] < b->key.value[1];
    return a->key.tie != b->key.tie ? a->key.tie < b->key.tie : is_before_by_name(a, b, compare);
}

int fair_order_compare(const struct fair_item *a, const struct fair_item *b,
                       fair_compare_fn *compare)
{
    if (is_less(&a->key, &b->key))
        return -1;
    return a == b ? 0 : is_less(&b->key, &a->key) ? 1 : compare(a, b);
}

static struct fair_says said_by(const struct fair_item *item)
{
    if (!item->known)
        return (struct fair_says){ 0, 1 };
    return (struct fair_says){ item->need[0], item->need[1] << 1 | (uint32_t)item->reserves };
}

/* --- matches --------------------------------------------------------------- */

/* Places: 1 is the final, those from CAPACITY on are slots. There is an even number of slots, so that
 * a slot meets a slot first, and then winners. Behind the entries there is the winner's slot of each match,
 * and then what is said at each place, in as many of them as there are slots, and in twice as many. */

#define SLOT_SIZE (sizeof(struct fair_entry) + sizeof(uint32_t) + 2 * sizeof(struct fair_says))

static inline uint32_t *winners_of(const struct fair_order *order)
{
    return (uint32_t *)(void *)&order->entries[order->capacity];
}

static inline struct fair_says *says_of(const struct fair_order *order)
{
    return (struct fair_says *)(void *)&winners_of(order)[order->capacity];
}

static inline struct fair_says *says_of_slot(const struct fair_order *order, uint32_t slot)
{
    return &says_of(order)[order->capacity + slot];
}

static inline uint32_t winner_at(const struct fair_order *order, uint32_t place)
{
    return place >= order->capacity ? place - order->capacity : winners_of(order)[place];
}

static inline uint32_t play(const struct fair_order *order, uint32_t place, fair_compare_fn *compare)
{
    uint32_t a = winner_at(order, 2 * place), b = winner_at(order, 2 * place + 1);

    return is_before(&order->entries[b], &order->entries[a], compare) ? b : a;
}

static inline bool same_says(const struct fair_says *a, const struct fair_says *b)
{
    return a->memory == b->memory && a->vcores_reserves == b->vcores_reserves;
}

/* The bounds of what is said at the two places below PLACE. */
static inline struct fair_says say(const struct fair_order *order, uint32_t place)
{
    const struct fair_says *a = &says_of(order)[2 * place], *b = a + 1;
    uint32_t reserves = (a->vcores_reserves | b->vcores_reserves) & 1;
    uint32_t vcores = a->vcores_reserves < b->vcores_reserves ? a->vcores_reserves : b->vcores_reserves;

    return (struct fair_says){ a->memory < b->memory ? a->memory : b->memory,
                               (vcores & ~1u) | reserves };
}

/* SLOT goes by a smaller key than before. Where it meets whom it did not beat, nothing else changes. */
static void rise(struct fair_order *order, uint32_t slot, fair_compare_fn *compare)
{
    const struct fair_entry *entries = order->entries;
    uint32_t *winners = winners_of(order);

    for (uint32_t place = (order->capacity + slot) / 2; place > 0; place /= 2) {
        uint32_t winner = winners[place];

        if (winner == slot)
            continue;
        if (!is_before(&entries[slot], &entries[winner], compare))
            return;
        winners[place] = slot;
    }
}

/* Without a branch: which of two is less is hard to foresee where matches are played again. */
static inline bool is_before_evenly(const struct fair_entry *a, const struct fair_entry *b,
                                    fair_compare_fn *compare)
{
    uint128 rest_a = (uint128)a->key.value[1] << 64 | a->key.tie;
    uint128 rest_b = (uint128)b->key.value[1] << 64 | b->key.tie;
    bool less = a->key.value[0] < b->key.value[0], same = a->key.value[0] == b->key.value[0];

    if (__builtin_expect(a->key.tie == b->key.tie, 0) && same && rest_a == rest_b)
        return is_before_by_name(a, b, compare);
    return less | (same & (rest_a < rest_b));
}

/* SLOT goes by a greater key than before: what it had won is played again, and who wins that meets the
 * winners of the other halves. Who they are does not depend on how the matches end: all of them can be on
 * their way from memory at once. */
static void fall(struct fair_order *order, uint32_t slot, fair_compare_fn *compare)
{
    uint32_t place = (order->capacity + slot) / 2, other = slot ^ 1, first = slot;
    const struct fair_entry *entries = order->entries, *best = &entries[slot];
    uint32_t *winners = winners_of(order);

    while (winners[place] == slot) {
        const struct fair_entry *met = &entries[other];
        bool before = is_before_evenly(met, best, compare);

        best = before ? met : best;
        first = before ? other : first;
        winners[place] = first;
        other = winners[place ^ 1];
        place /= 2;
    }
}

/* What SLOT says changed. */
static void resay(struct fair_order *order, uint32_t slot)
{
    for (uint32_t place = (order->capacity + slot) / 2; place > 0; place /= 2) {
        struct fair_says says = say(order, place), *at = &says_of(order)[place];

        if (same_says(&says, at))
            return;
        *at = says;
    }
}

static void replay_all(struct fair_order *order, fair_compare_fn *compare)
{
    for (uint32_t place = order->capacity - 1; place > 0; place--) {
        winners_of(order)[place] = play(order, place, compare);
        says_of(order)[place] = say(order, place);
    }
    winners_of(order)[0] = NONE;        /* above the final nobody has won */
}

/* --- memory ---------------------------------------------------------------- */

void fair_order_clear(struct fair_order *order)
{
    free(order->entries);
    *order = (struct fair_order){ .unused = NONE, .aside = NONE };
}

static void link_unused(struct fair_order *order, uint32_t slot)
{
    order->entries[slot] = (struct fair_entry){ .key = no_key };
    order->entries[slot].key.tie = order->unused;
    *says_of_slot(order, slot) = says_nothing;
    order->unused = slot;
}

/* CAPACITY slots; items get others. */
static void resize(struct fair_order *order, uint32_t capacity, fair_compare_fn *compare)
{
    struct fair_order was = *order;
    uint32_t slot = 0;

    order->entries = mem_array0(capacity, SLOT_SIZE);
    order->capacity = capacity;
    order->unused = order->aside = NONE;
    for (uint32_t i = 0; i < was.capacity; i++)
        if (was.entries[i].item) {
            order->entries[slot] = was.entries[i];
            order->entries[slot].item->slot = slot;
            *says_of_slot(order, slot) = *says_of_slot(&was, i);
            slot++;
        }
    for (uint32_t i = capacity; i > slot; i--)
        link_unused(order, i - 1);
    free(was.entries);
    replay_all(order, compare);
}

/* --- in and out ------------------------------------------------------------ */

static bool is_aside(const struct fair_order *order, const struct fair_item *item)
{
    return is_nobody(&order->entries[item->slot]);
}

static void enter(struct fair_order *order, struct fair_item *item, fair_compare_fn *compare)
{
    struct fair_entry *entry;

    if (order->capacity == 0)
        order->unused = order->aside = NONE;
    if (order->unused == NONE) {
        assert(order->aside == NONE);
        resize(order, (order->capacity + order->capacity / 4 + 2) & ~1u, compare);
    }
    item->slot = order->unused;
    entry = &order->entries[item->slot];
    order->unused = (uint32_t)entry->key.tie;
    *entry = (struct fair_entry){ item->key, item };
    *says_of_slot(order, item->slot) = said_by(item);
    order->count++;
    item->listed = true;
    rise(order, item->slot, compare);
    resay(order, item->slot);
}

void fair_order_leave(struct fair_order *order, struct fair_item *item, fair_compare_fn *compare)
{
    uint32_t slot = item->slot;

    assert(order->entries[slot].item == item && !is_aside(order, item));
    link_unused(order, slot);
    order->count--;
    item->listed = false;
    if (order->capacity > SHRINKS_FROM && order->count < order->capacity / 8 && order->aside == NONE) {
        resize(order, order->capacity / 8 * 2, compare);
        return;
    }
    fall(order, slot, compare);
    resay(order, slot);
}

/* ITEM, which is in ORDER, goes by KEY, which is another than before. */
static void move(struct fair_order *order, struct fair_item *item, const struct fair_key *key,
                 fair_compare_fn *compare)
{
    struct fair_entry *entry = &order->entries[item->slot];
    bool less = is_less(key, &item->key);

    item->key = *key;
    if (is_nobody(entry))
        return;                         /* it is aside */
    entry->key = *key;
    if (less)
        rise(order, item->slot, compare);
    else
        fall(order, item->slot, compare);
}

void fair_order_place(struct fair_order *order, struct fair_item *item, const struct fair_key *key,
                      fair_compare_fn *compare)
{
    if (!item->listed) {
        item->key = *key;
        item->unsaid = false;
        enter(order, item, compare);
        return;
    }
    if (!is_equal(&item->key, key))
        move(order, item, key, compare);
    if (item->unsaid)
        fair_order_note(order, item);
}

void fair_order_note(struct fair_order *order, struct fair_item *item)
{
    assert(order->entries[item->slot].item == item);
    *says_of_slot(order, item->slot) = said_by(item);
    item->unsaid = false;
    resay(order, item->slot);
}

/* --- aside ----------------------------------------------------------------- */

void fair_order_set_aside(struct fair_order *order, struct fair_item *item,
                          fair_compare_fn *compare)
{
    struct fair_entry *entry = &order->entries[item->slot];

    assert(entry->item == item && !is_nobody(entry));
    entry->key = no_key;
    entry->key.tie = order->aside;
    order->aside = item->slot;
    fall(order, item->slot, compare);
}

void fair_order_put_back(struct fair_order *order, fair_compare_fn *compare)
{
    while (order->aside != NONE && order->capacity > 0) {
        uint32_t slot = order->aside;
        struct fair_entry *entry = &order->entries[slot];

        order->aside = (uint32_t)entry->key.tie;
        entry->key = entry->item->key;
        rise(order, slot, compare);
    }
}

/* --- the first ------------------------------------------------------------- */

static inline bool passes(const struct fair_filter *filter, const struct fair_says *says)
{
    return (filter->reserve && (says->vcores_reserves & 1)) ||
           (says->memory <= filter->memory && says->vcores_reserves >> 1 <= filter->vcores);
}

/* The first of those below PLACE that pass, if it is before BEST. */
static uint32_t look_below(const struct fair_order *order, uint32_t place, uint32_t best,
                           const struct fair_filter *filter, fair_compare_fn *compare)
{
    uint32_t winner = winner_at(order, place);
    const struct fair_entry *entry = &order->entries[winner];

    if (!passes(filter, &says_of(order)[place]) || is_nobody(entry) ||
        (best != NONE && !is_before(entry, &order->entries[best], compare)))
        return best;
    if (passes(filter, says_of_slot(order, winner)))
        return winner;
    if (place >= order->capacity)
        return best;
    best = look_below(order, 2 * place, best, filter, compare);
    return look_below(order, 2 * place + 1, best, filter, compare);
}

struct fair_item *fair_order_first(const struct fair_order *order, const struct fair_filter *filter,
                                   fair_compare_fn *compare)
{
    uint32_t slot;

    if (order->count == 0)
        return NULL;
    slot = winner_at(order, 1);
    if (filter && !passes(filter, says_of_slot(order, slot)))
        slot = look_below(order, 1, NONE, filter, compare);
    return slot == NONE || is_nobody(&order->entries[slot]) ? NULL : order->entries[slot].item;
}

/* --- all of them ----------------------------------------------------------- */

void fair_order_sum(const struct fair_order *order, struct fair_item *sum)
{
    const struct fair_says *says = order->count > 0 ? &says_of(order)[1] : &says_nothing;

    for (int t = 2; t < sum->types; t++)
        fair_item_set_need(sum, t, FAIR_NEED_MAX);
    sum->need[0] = says->memory < FAIR_NEED_MAX ? says->memory : FAIR_NEED_MAX;
    sum->need[1] = says->vcores_reserves >> 1;
    sum->reserves = (says->vcores_reserves & 1) != 0;
    for (uint32_t i = 0; sum->types > 2 && i < order->capacity; i++) {
        const struct fair_item *item = order->entries[i].item;

        for (int t = 2; item && t < sum->types; t++) {
            uint32_t need = item->known ? fair_item_need(item, t) : 0;

            if (need < fair_item_need(sum, t))
                fair_item_set_need(sum, t, need);
        }
    }
}

struct fair_item **fair_order_list(const struct fair_order *order, struct fair_item **list)
{
    for (uint32_t i = 0; i < order->capacity; i++)
        if (order->entries[i].item)
            *list++ = order->entries[i].item;
    return list;
}

bool fair_order_has(const struct fair_order *order, const struct fair_item *item)
{
    struct fair_says says = said_by(item);
    const struct fair_entry *entry;

    if (item->slot >= order->capacity)
        return false;
    entry = &order->entries[item->slot];
    return entry->item == item && is_equal(&entry->key, &item->key) &&
           same_says(says_of_slot(order, item->slot), &says);
}

bool fair_order_is_right(const struct fair_order *order, fair_compare_fn *compare)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < order->capacity; i++)
        count += order->entries[i].item != NULL;
    if (count != order->count || (order->capacity > 0 && order->aside != NONE))
        return false;
    for (uint32_t place = 1; place < order->capacity; place++) {
        struct fair_says says = say(order, place);
        uint32_t winner = play(order, place, compare);

        if (!same_says(&says, &says_of(order)[place]) ||
            (winner != winner_at(order, place) && !is_nobody(&order->entries[winner])))
            return false;
    }
    return true;
}
