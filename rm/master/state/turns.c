/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - bounds the work of a step: what is left continues in later steps, the turns */
#include "rm/master/state/turns.h"

#include "rm/master/state.h"

void rm_turns_init(struct master *m)
{
    TAILQ_INIT(&m->turns.parents);
    TAILQ_INIT(&m->turns.scans);
    TAILQ_INIT(&m->turns.answers);
    rm_deadline_init(&m->turns.next, DEADLINE_TURN, m);
}

void rm_work_add(struct master *m, uint64_t units)
{
    m->turns.work += units;
    m->turns.all_work += units;
}

uint64_t master_work(const struct master *m)
{
    return m->turns.all_work;
}

bool rm_work_is_done(const struct master *m)
{
    return m->turns.work >= WORK_MAX;
}

void rm_turn_later(struct master *m)
{
    if (!m->turns.next.armed)
        rm_deadline_set(m, &m->turns.next, m->now_ms);
}

void rm_turn_add_parent(struct master *m, struct app *parent, bool ended)
{
    parent->turn.ended = ended || (parent->turn.listed && parent->turn.ended);
    if (!parent->turn.listed)
        TAILQ_INSERT_TAIL(&m->turns.parents, parent, turn.link);
    parent->turn.listed = true;
    rm_turn_later(m);
}

void rm_turn_drop(struct master *m, struct app *app)
{
    if (app->turn.listed)
        TAILQ_REMOVE(&m->turns.parents, app, turn.link);
    app->turn.listed = false;
}

void rm_turn_add_scan(struct master *m, struct app *app)
{
    if (!app->array->scan.listed)
        TAILQ_INSERT_TAIL(&m->turns.scans, app, array->scan.link);
    app->array->scan.listed = true;
    rm_turn_later(m);
}

void rm_turn_drop_scan(struct master *m, struct app *app)
{
    struct array_scan *scan = &app->array->scan;

    if (scan->listed)
        TAILQ_REMOVE(&m->turns.scans, app, array->scan.link);
    array_queue_clear(&scan->tasks);
    *scan = (struct array_scan){ .listed = false };
}
