/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.h - the timers of the master, in an ordered tree
 *
 * A deadline is embedded in the object that it concerns. One tree of the master orders all deadlines. A
 * deadline must be cleared before its object is freed.
 */
#ifndef CREEL_RM_MASTER_DEADLINE_H
#define CREEL_RM_MASTER_DEADLINE_H

#include <bsd/sys/tree.h>
#include <stdbool.h>
#include <stdint.h>

struct app;
struct master;

enum deadline_kind {
    DEADLINE_NODE,
    DEADLINE_SILENCE,
    DEADLINE_CONTAINER,
    DEADLINE_AM,
    DEADLINE_WAITER,
    DEADLINE_LIFETIME,
    DEADLINE_TICK,
    DEADLINE_PREEMPTION,
    DEADLINE_UPDATE,
    DEADLINE_BATCH,
    DEADLINE_EVICT,
    DEADLINE_WATCHER,
    DEADLINE_UNTRACKED,
    DEADLINE_ELIGIBLE,
    DEADLINE_APP,
    DEADLINE_REGISTER_LIST,
    DEADLINE_TURN
};

struct deadline {
    RB_ENTRY(deadline) link;
    int64_t at_ms;
    uint64_t serial; /* unique; orders deadlines with equal times */
    enum deadline_kind kind;
    void *owner; /* borrowed: the object that embeds the deadline */
    bool armed;
};

RB_HEAD(rm_deadline_tree, deadline);

void rm_deadline_init(struct deadline *deadline, enum deadline_kind kind, void *owner);
void rm_deadline_set(struct master *m, struct deadline *deadline, int64_t at_ms);
/* Sets the timer app->recheck of APP, which waits outside its queue or is an array: it is checked again at
 * AT_MS. */
void rm_job_check_at(struct master *m, struct app *app, int64_t at_ms);
void rm_deadline_clear(struct master *m, struct deadline *deadline);
struct deadline *rm_deadline_first(const struct master *m); /* NULL: none */
struct deadline *rm_deadline_next(struct deadline *deadline);

#endif
