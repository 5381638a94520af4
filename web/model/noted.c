/* SPDX-License-Identifier: Apache-2.0 */
/* noted.c - finds the events between two reports of an object */
#include "web/model/noted.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/proto/value_name.h"

static void drop(struct web_event *event)
{
    const char *const texts[] = { event->id, event->app_id, event->node, event->user,
                                  event->by, event->queue,  event->text };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        free((char *)(uintptr_t)texts[i]);
}

static void copy(const char **text)
{
    *text = mem_strdup(*text != NULL ? *text : "");
}

static void add(struct noted *noted, struct web_event event)
{
    struct web_event *place;

    if (noted->events == NULL)
        noted->events = mem_array0(WEB_NOTED_EVENTS, sizeof(*noted->events));
    place = &noted->events[noted->next];
    if (noted->count == WEB_NOTED_EVENTS)
        drop(place);
    else
        noted->count++;
    noted->next = (noted->next + 1) % WEB_NOTED_EVENTS;
    event.step = WEB_EVENT_STEP_NOTED + noted->last_step++ % WEB_EVENT_STEP_NOTED;
    *place = event;
    copy(&place->id);
    copy(&place->app_id);
    copy(&place->node);
    copy(&place->user);
    copy(&place->by);
    copy(&place->queue);
    copy(&place->text);
}

void noted_free(struct noted *noted)
{
    for (size_t i = 0; i < noted->count; i++)
        drop(&noted->events[i]);
    free(noted->events);
    *noted = (struct noted){ .count = 0 };
}

/* --- applications ------------------------------------------------------------- */

void noted_app(struct noted *noted, const Creel__AppReport *before, const Creel__AppReport *after,
               int64_t now_ms)
{
    struct web_event event = WEB_EVENT_NONE;
    scoped_free char *from = mem_printf("from %s", before->queue);

    event.time_ms = now_ms;
    event.kind = WEB_EVENT_APP;
    event.id = event.app_id = after->app_id;
    event.user = after->user;
    event.queue = after->queue;
    if (strcmp(before->queue, after->queue) != 0) {
        event.name = "MOVED";
        event.text = from;
        add(noted, event);
    }
    if (before->n_holds > 0 && after->n_holds == 0) {
        event.name = "RELEASED";
        event.text = "";
        add(noted, event);
    }
    if (before->attempt > 0 && after->attempt > before->attempt) {
        event.name = "RETRIED";
        event.text = after->restart_reason;
        add(noted, event);
    }
}

/* --- nodes and queues ---------------------------------------------------------- */

const char *noted_node_state(Creel__NodeState state)
{
    if (state == CREEL__NODE_STATE__NODE_SHUT_DOWN)
        return "SHUTDOWN"; /* YARN's name */
    return value_name(&creel__node_state__descriptor, (int)state);
}

/* A loss and an administrator's decision have their times in the report (events.c). */
static bool has_time(const Creel__NodeReport *node)
{
    return node->state == CREEL__NODE_STATE__NODE_LOST ||
           (node->admin_state != NULL && node->admin_state->since_ms > 0 &&
            node->state != CREEL__NODE_STATE__NODE_DRAINED &&
            node->state != CREEL__NODE_STATE__NODE_DECOMMISSIONED);
}

void noted_node(struct noted *noted, const Creel__NodeReport *before, const Creel__NodeReport *after,
                int64_t now_ms)
{
    struct web_event event = WEB_EVENT_NONE;

    event.time_ms = now_ms;
    event.kind = WEB_EVENT_NODE;
    event.id = event.node = after->node_id;
    if (*after->stuck_report != '\0' && strcmp(before->stuck_report, after->stuck_report) != 0) {
        event.name = "STUCK";
        event.text = after->stuck_report;
        add(noted, event);
    }
    if (before->state == after->state || has_time(after))
        return;
    event.name = noted_node_state(after->state);
    event.text = after->health_report;
    add(noted, event);
}

/* Returns the name of a queue's state as a constant. */
static const char *queue_state(const Creel__QueueReport *queue)
{
    static const char *const names[] = { "RUNNING", "STOPPED", "DRAINING" };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(queue->state, names[i]) == 0)
            return names[i];
    return "CHANGED";
}

void noted_queue(struct noted *noted, const Creel__QueueReport *before, const Creel__QueueReport *after,
                 int64_t now_ms)
{
    struct web_event event = WEB_EVENT_NONE;

    if (before != NULL && after != NULL && strcmp(before->state, after->state) == 0)
        return;
    event.time_ms = now_ms;
    event.kind = WEB_EVENT_QUEUE;
    event.name = before == NULL ? "ADDED" : after == NULL ? "REMOVED" : queue_state(after);
    event.id = event.queue = after != NULL ? after->path : before->path;
    event.text = before == NULL && after->dynamic ? "by a submission" : "";
    add(noted, event);
}
