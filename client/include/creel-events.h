/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-events.h - what happened to applications, containers, nodes and queues
 *
 * Part of libcreel. Memory and errors as in creel.h. The resource manager keeps the newest events. After a
 * restart it has those that its state store shows: submissions, starts, ends and present holds of
 * applications; allocations, starts, the last resize and ends of containers; drains of nodes that last;
 * changes of the properties of queues, and the last stop or start of each.
 */
#ifndef CREEL_EVENTS_H
#define CREEL_EVENTS_H

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct creel_event {
    uint64_t number; /* grows with each event */
    int64_t time_ms;
    const char *object; /* "app", "container", "node", "queue" */
    const char *name;   /* "SUBMITTED"; "UNKNOWN": an event that this version does not know */
    const char *id;     /* of the object */
    const char *app_id, *node_id;
    const char *user;  /* owner of the application */
    const char *queue; /* its path, or that of the queue of the application */
    const char *by;    /* user who caused the event; "": not known, or no user */
    const char *text;  /* more about it; may be "" */
    int exit_status;   /* CREEL_EXIT_NONE: the event has none */
    bool restored;     /* it happened before the start of the resource manager */
    bool ends_app;     /* the application has ended */
};

struct creel_events {
    const struct creel_event *items; /* in the order of their numbers */
    size_t count;
    uint64_t last;  /* for the next call (creel_event_filter.after) */
    uint64_t lost;  /* events after creel_event_filter.after that the resource manager has removed */
    int64_t now_ms; /* its time */
    bool restarted; /* it started after that event: events that its state does not show are missing */
};

struct creel_event_filter {   /* all conditions must hold; NULL or 0: no condition */
    uint64_t after;           /* events with higher numbers */
    bool newest;              /* no events: only LAST and NOW_MS */
    const char *app_id;       /* the whole id: its events, and those of its containers */
    const char *const *nodes; /* ids: their events, and those of their containers */
    size_t node_count;
    const char *queue; /* path or last part; queues below it, too */
    int64_t since_ms;
    bool tasks;      /* also of tasks of arrays */
    bool containers; /* also of containers */
};

/* Lists events. The caller frees *RET with creel_events_free. */
int creel_event_list(struct creel_client *client, const struct creel_event_filter *filter,
                     struct creel_events **ret, struct creel_error *error);
void creel_events_free(struct creel_events *events); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
