/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.c - the timers of the master, in an ordered tree
 *
 * The timer of a node's liveness is not reset at each heartbeat, which would reorder the tree each time. When
 * the timer fires, its owner reads the time of the last heartbeat and sets the next timer.
 */
#include "rm/master/state.h"
#include "rm/master/state/deadline.h"

static int compare(const struct deadline *a, const struct deadline *b)
{
    if (a->at_ms != b->at_ms)
        return a->at_ms < b->at_ms ? -1 : 1;
    return (a->serial > b->serial) - (a->serial < b->serial);
}

RB_PROTOTYPE(rm_deadline_tree, deadline, link, compare)
RB_GENERATE(rm_deadline_tree, deadline, link, compare)

void rm_deadline_init(struct deadline *deadline, enum deadline_kind kind, void *owner)
{
    deadline->kind = kind;
    deadline->owner = owner;
    deadline->armed = false;
}

void rm_deadline_set(struct master *m, struct deadline *deadline, int64_t at_ms)
{
    rm_deadline_clear(m, deadline);
    deadline->at_ms = at_ms;
    deadline->serial = ++m->last_deadline;
    deadline->armed = true;
    RB_INSERT(rm_deadline_tree, &m->deadlines, deadline);
}

void rm_job_check_at(struct master *m, struct app *app, int64_t at_ms)
{
    rm_deadline_set(m, &app->recheck, at_ms);
}

void rm_deadline_clear(struct master *m, struct deadline *deadline)
{
    if (deadline->armed)
        RB_REMOVE(rm_deadline_tree, &m->deadlines, deadline);
    deadline->armed = false;
}

struct deadline *rm_deadline_first(const struct master *m)
{
    return RB_MIN(rm_deadline_tree, (struct rm_deadline_tree *)(uintptr_t)&m->deadlines);
}

struct deadline *rm_deadline_next(struct deadline *deadline)
{
    return RB_NEXT(rm_deadline_tree, NULL, deadline);
}
