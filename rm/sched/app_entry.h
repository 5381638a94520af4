/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_entry.h - ordered index of applications with pending requests, for policies that serve applications one
 * after another
 *
 * The index is a struct order (order.h). The policy supplies its comparison and has one entry for each
 * application. The need of an entry is the size of the application's first request, so that the first
 * application that can use a node with little room is found in O(log n).
 *
 * Memory: an entry is the policy's data of an application, allocated by the core: data_bytes.app is
 * sizeof(struct app_entry). When the application leaves, the policy removes the entry from its index.
 */
#ifndef CREEL_RM_SCHED_APP_ENTRY_H
#define CREEL_RM_SCHED_APP_ENTRY_H

#include "rm/sched/order.h"
#include "rm/sched/policy.h"

struct app_entry {
    struct sched_app *app; /* set by the core */
    struct order_entry entry;
};

/* Returns the application of an entry, for comparison functions. */
static inline struct sched_app *app_entry_app(const struct order_entry *entry)
{
    return order_record(entry, struct app_entry, entry)->app;
}

static inline struct app_entry *app_entry_of(const struct sched_app *app)
{
    return app->data;
}

/* Returns the index that contains ENTRY, or NULL if no index does. */
static inline struct order *app_entry_index(const struct app_entry *entry)
{
    return entry->entry.order;
}

/* Moves ENTRY into INDEX and out of its previous index, and sets its need to the size of the application's
 * first request. The application must have a pending request. INDEX NULL: only removes ENTRY, with or without
 * a pending request. For calls in the policy's partition_changed(). */
void app_entry_put(struct app_entry *entry, struct order *index);

/* Returns the first application of INDEX after AFTER (NULL: from the start) whose first request fits on NODE
 * (NULL: any application), or NULL if there is none. AFTER need not be in INDEX any more, but must not be
 * freed. */
struct app_entry *app_entry_next(const struct order *index, const struct app_entry *after,
                                 const struct sched_node *node);

/* Audit: returns true if the need of ENTRY is the size of the application's first request. */
bool app_entry_is_consistent(const struct app_entry *entry);

#endif
