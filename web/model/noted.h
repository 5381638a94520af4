/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noted.h - events that are found when a report differs from the one before (private to the model)
 *
 * The newest WEB_NOTED_EVENTS are kept, in the order in which they were found.
 */
#ifndef CREEL_WEB_MODEL_NOTED_H
#define CREEL_WEB_MODEL_NOTED_H

#include "web/model/events.h"

#define WEB_NOTED_EVENTS 1000
#define WEB_EVENT_STEP_NOTED 1000000u /* first value of web_event.step of these events */

struct noted {
    struct web_event *events; /* owned, with their texts but NAME; ring */
    size_t count, next;       /* NEXT: index of the oldest event if the ring is full */
    unsigned last_step;
};

/* Find the changes between two reports of one object, which happened at NOW_MS at the latest. */
void noted_app(struct noted *noted, const Creel__AppReport *before, const Creel__AppReport *after,
               int64_t now_ms);
void noted_node(struct noted *noted, const Creel__NodeReport *before, const Creel__NodeReport *after,
                int64_t now_ms);
/* BEFORE or AFTER may be NULL: the queue was added or removed. */
void noted_queue(struct noted *noted, const Creel__QueueReport *before, const Creel__QueueReport *after,
                 int64_t now_ms);
void noted_free(struct noted *noted);

/* Returns "LOST" for NODE_LOST. */
const char *noted_node_state(Creel__NodeState state);

#endif
