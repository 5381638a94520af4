/* SPDX-License-Identifier: Apache-2.0 */
/* app_entry.c - applications in an index, by the size of their first request */
#include "rm/sched/app_entry.h"

static struct order_amount need_of(const struct sched_app *app)
{
    const struct demand *first = sched_demand_first(app);
    struct order_amount need = { { demand_size(first)->value[RESOURCE_MEMORY_MB],
                                   demand_size(first)->value[RESOURCE_VCORES] } };

    if (!app->sched->calc.dominant)
        need.value[ORDER_VCORES] = INT64_MIN;   /* only memory is counted: any number of vcores fits */
    return need;
}

void app_entry_put(struct app_entry *entry, struct order *index)
{
    const struct order_amount no_exchange = { { ORDER_NEVER, ORDER_NEVER } };

    if (entry->entry.order != index)
        order_remove(&entry->entry);
    if (index == NULL)
        return;
    order_set_need(&entry->entry, need_of(entry->app), no_exchange);
    if (!order_has(&entry->entry))
        order_insert(index, &entry->entry);
}

struct app_entry *app_entry_next(const struct order *index, const struct app_entry *after,
                                 const struct sched_node *node)
{
    struct order_offer offer = { .exchange = { { -1, -1 } } };
    struct order_entry *found;

    if (node) {
        struct resource room = sched_node_free(node);

        offer.room.value[ORDER_MEMORY_MB] = room.value[RESOURCE_MEMORY_MB];
        offer.room.value[ORDER_VCORES] = room.value[RESOURCE_VCORES];
    }
    found = order_find(index, after ? &after->entry : NULL, node ? &offer : NULL);
    return found ? order_record(found, struct app_entry, entry) : NULL;
}

bool app_entry_is_consistent(const struct app_entry *entry)
{
    struct order_amount need;

    if (entry->entry.order == NULL)
        return true;
    if (sched_demand_first(entry->app) == NULL)
        return false;
    need = need_of(entry->app);
    return entry->entry.need.value[0] == need.value[0] && entry->entry.need.value[1] == need.value[1];
}
