/* SPDX-License-Identifier: Apache-2.0 */
/* machines.c - hands follow-up events to the state machines */
#include "rm/master/machines/app.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/state/events.h"

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

/* Handles the events from FIRST to the last. Those that an event emits come directly after it: an application
 * knows that its attempt runs before the end of the attempt's container is handled. */
static void run_from(struct master *m, size_t first)
{
    size_t end = m->follow_up_count;

    for (size_t i = first; i < end; i++) {
        struct follow_up event = m->follow_ups[i]; /* a copy: the array may be reallocated meanwhile */

        handle(m, &event);
        run_from(m, end);
    }
    m->follow_up_count = first;
}

void rm_events_run(struct master *m)
{
    run_from(m, 0);
}
