/* SPDX-License-Identifier: Apache-2.0 */
/* machines.c - hands follow-up events to the state machines */
#include "rm/master/app.h"
#include "rm/master/attempt.h"
#include "rm/master/events.h"

static void handle(struct master *m, const struct follow_up *event)
{
    switch (event->kind) {
    case FOLLOW_UP_ATTEMPT:
        rm_attempt_event(m, event->attempt, event->attempt_event);
        break;
    case FOLLOW_UP_AM_ENDED:
        rm_app_on_am_ended(m, event->attempt);
        break;
    case FOLLOW_UP_APP:
        rm_app_event(m, event->app, event->app_event);
        break;
    }
}

void rm_events_run(struct master *m)
{
    for (size_t i = 0; i < m->follow_up_count; i++) {
        struct follow_up event = m->follow_ups[i]; /* a copy: the array may be reallocated meanwhile */

        handle(m, &event);
    }
    m->follow_up_count = 0;
}
