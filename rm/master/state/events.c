/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - follow-up events, by which one state machine reports its changes to the next */
#include "rm/master/state/events.h"

static struct follow_up *add(struct master *m, enum follow_up_kind kind)
{
    struct follow_up *event;

    mem_grow(m->follow_ups, m->follow_up_count, m->follow_up_capacity);
    event = &m->follow_ups[m->follow_up_count++];
    *event = (struct follow_up){ .kind = kind };
    return event;
}

void rm_attempt_emit(struct master *m, struct attempt *attempt, enum attempt_event event)
{
    struct follow_up *follow_up = add(m, FOLLOW_UP_ATTEMPT);

    follow_up->attempt = attempt;
    follow_up->attempt_event = event;
}

void rm_attempt_emit_ended(struct master *m, struct attempt *attempt)
{
    add(m, FOLLOW_UP_AM_ENDED)->attempt = attempt;
}

void rm_app_emit(struct master *m, struct app *app, enum app_event event)
{
    struct follow_up *follow_up = add(m, FOLLOW_UP_APP);

    follow_up->app = app;
    follow_up->app_event = event;
}
