/* SPDX-License-Identifier: Apache-2.0 */
/* app_entry.c - index of applications by the size of their first request */
#include "rm/sched/app_entry.h"

void app_entry_put(struct app_entry *entry, struct order *index)
{
    struct resource need;

    if (entry->entry.order != index)
        order_remove(&entry->entry);
    if (index == NULL)
        return;
    need = demand_capability(sched_demand_first(entry->app));
    order_set_need(&entry->entry, &need, &order_never);
    if (order_has(&entry->entry))
        order_update(&entry->entry);
    else
        order_insert(index, &entry->entry);
}

struct app_entry *app_entry_next(const struct order *index, const struct app_entry *after,
                                 const struct sched_node *node)
{
    struct order_offer offer = { .exchange = order_no_room };
    struct order_entry *found;

    if (node)
        offer.room = sched_node_room(node);
    found = order_find(index, after ? &after->entry : NULL, node ? &offer : NULL);
    if (found == NULL)
        return NULL;
    app_entry_app(found)->sched->visits += node ? 1 : 0;
    return order_record(found, struct app_entry, entry);
}

bool app_entry_is_consistent(const struct app_entry *entry)
{
    const struct demand *first = sched_demand_first(entry->app);
    struct resource need;
    int types;

    if (entry->entry.order == NULL)
        return true;
    if (first == NULL)
        return false;
    need = demand_capability(first);
    types = entry->entry.order->types; /* the index compares no further types */
    return order_fits(types, &need, &entry->entry.need) && order_fits(types, &entry->entry.need, &need);
}
