/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_kind.h - the object and the name of a kind of event, from the schema
 *
 * EventKind is the only list of events: a new event is a value there, and a call in rm/master that adds it.
 * EVENT_APP_HELD is the event HELD of an object "app".
 */
#ifndef CREEL_PROTO_EVENT_KIND_H
#define CREEL_PROTO_EVENT_KIND_H

#include <stdbool.h>
#include <string.h>

#include "common/proto/creel.pb-c.h"
#include "common/proto/value_name.h"

enum event_object { EVENT_OF_APP, EVENT_OF_CONTAINER, EVENT_OF_NODE, EVENT_OF_QUEUE, EVENT_OBJECTS };

/* As in the JSON of creel events. */
static const char *const event_object_names[EVENT_OBJECTS] = { "app", "container", "node", "queue" };

static inline enum event_object event_object(Creel__EventKind kind)
{
    const char *name = value_name(&creel__event_kind__descriptor, (int)kind);

    return strncmp(name, "CONTAINER_", 10) == 0 ? EVENT_OF_CONTAINER
           : strncmp(name, "NODE_", 5) == 0     ? EVENT_OF_NODE
           : strncmp(name, "QUEUE_", 6) == 0    ? EVENT_OF_QUEUE
                                                : EVENT_OF_APP;
}

/* Returns "HELD" for EVENT_APP_HELD; "UNKNOWN" for a kind that a newer resource manager sends. */
static inline const char *event_name(Creel__EventKind kind)
{
    const char *name = value_name(&creel__event_kind__descriptor, (int)kind);
    const char *behind = strchr(name, '_');

    return behind != NULL ? behind + 1 : name;
}

/* Returns the id of the object of EVENT. */
static inline const char *event_id(const Creel__Event *event)
{
    switch (event_object(event->kind)) {
    case EVENT_OF_CONTAINER:
        return event->container_id;
    case EVENT_OF_NODE:
        return event->node_id;
    case EVENT_OF_QUEUE:
        return event->queue;
    default:
        return event->app_id;
    }
}

static inline bool event_is_end_of_app(Creel__EventKind kind)
{
    return kind == CREEL__EVENT_KIND__EVENT_APP_FINISHED || kind == CREEL__EVENT_KIND__EVENT_APP_FAILED ||
           kind == CREEL__EVENT_KIND__EVENT_APP_KILLED;
}

#endif
