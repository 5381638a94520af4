/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_entry.h - an application in an index, for policies that serve its requests in their order
 *
 * The index is a struct order (order.h): the policy gives it a comparison, and has one entry for each
 * application. The need of an entry is the size of the application's first request, so that a node with
 * little room finds the first application that can use it in O(log n).
 *
 * Memory: an entry is the policy's data of an application, allocated by the core: data_bytes.app is
 * sizeof(struct app_entry). When the application leaves, the policy takes it out of its index.
 */
#ifndef CREEL_RM_SCHED_APP_ENTRY_H
#define CREEL_RM_SCHED_APP_ENTRY_H

#include "rm/sched/order.h"
#include "rm/sched/policy.h"

struct app_entry {
    struct sched_app *app;              /* set by the core */
    struct order_entry entry;
};

/* The application of an entry, for comparisons. */
static inline struct sched_app *app_entry_app(const struct order_entry *entry)
{
    return order_record(entry, struct app_entry, entry)->app;
}

static inline struct app_entry *app_entry_of(const struct sched_app *app)
{
    return app->data;
}

/* The index that ENTRY is in; NULL: none. */
static inline struct order *app_entry_index(const struct app_entry *entry)
{
    return entry->entry.order;
}

/* ENTRY is in INDEX from now on, and in no other, at its place and with the need of the first request; NULL:
 * in none. In partition_changed() of the policy. The application has a pending request unless INDEX is
 * NULL. */
void app_entry_put(struct app_entry *entry, struct order *index);

/* The first application of INDEX behind AFTER (NULL: of all) whose first request fits on NODE (NULL: any
 * application); NULL: there is none. AFTER need not be in INDEX any more, but must exist. */
struct app_entry *app_entry_next(const struct order *index, const struct app_entry *after,
                                 const struct sched_node *node);

/* Audit: is the need right? */
bool app_entry_is_consistent(const struct app_entry *entry);

#endif
