/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - lists the events of applications, nodes and queues that the model knows (pure)
 *
 * A report has the times at which its object was submitted, started, ended and so on. Each of these times is
 * an event, as in `creel events`. A change without a time in the report (queue and attempt of an
 * application, state of a node or queue) is an event if the model had a report from before the change: the
 * newest WEB_NOTED_EVENTS of these events are kept (noted.h).
 *
 * Events of containers and of the configuration are not in the model: callers pass them to
 * web_model_list_events.
 */
#ifndef CREEL_WEB_MODEL_EVENTS_H
#define CREEL_WEB_MODEL_EVENTS_H

#include "web/model/model.h"

enum web_event_kind { WEB_EVENT_APP, WEB_EVENT_CONTAINER, WEB_EVENT_NODE, WEB_EVENT_QUEUE };
#define WEB_EVENT_KINDS 4

struct web_event {
    int64_t time_ms;
    enum web_event_kind kind;
    unsigned step;       /* orders events of one object with the same time */
    const char *name;    /* "SUBMITTED" */
    const char *id;      /* of the application, container or node; path of the queue */
    const char *app_id;  /* application of the application or container; "": none */
    const char *node;    /* id of the node of the node or container; "": none */
    const char *user;    /* owner of the application or container; "": none */
    const char *by;      /* user who caused the event; "": not known, or not a user */
    const char *queue;   /* path of the queue of the application or queue; "": none */
    const char *text;    /* more about the event; may be "" */
    int32_t exit_status; /* CONTAINER_EXIT_NONE: the event has none */
};

/* An event without texts, to be filled. */
#define WEB_EVENT_NONE \
    ((struct web_event){ .name = "", \
                         .id = "", \
                         .app_id = "", \
                         .node = "", \
                         .user = "", \
                         .by = "", \
                         .queue = "", \
                         .text = "", \
                         .exit_status = WEB_EVENT_NO_EXIT })
#define WEB_EVENT_NO_EXIT (-1000) /* CONTAINER_EXIT_NONE */

/* Conditions, all of which must hold. A field that is 0 or NULL is no condition. */
struct web_event_filter {
    uint32_t kinds;     /* one bit for each: 1 << kind */
    const char *app_id; /* events of this application and of its containers */
    const char *node;   /* id of a node: its events, and those of its containers */
    const char *queue;  /* path or last part of a queue; queues below match too */
    const char *user;   /* owner, or the user who caused the event */
    int64_t since_ms;   /* this time or later */
};

enum web_event_order { WEB_EVENT_BY_TIME, WEB_EVENT_BY_NAME, WEB_EVENT_BY_OBJECT, WEB_EVENT_BY_USER };

struct web_event_page {
    enum web_event_order order; /* equal events are ordered by time */
    bool descending;
    const char *after; /* web_event_key of the row before the page; NULL or invalid: the first page */
    size_t limit;
};

/* Fills RET, which has room for LIMIT rows, with events of the model and those of MORE, and returns the
 * number of rows. Texts of RET belong to the model and to MORE. Sets TOTAL to the number of events that
 * match. Cost: by time, linear in the number of applications and nodes, and some nanoseconds for an
 * application whose events are not on the page; else, or with a node in the filter, the events of the newest
 * WEB_EVENT_APPS_MAX applications are listed that the time in the filter lets pass. */
size_t web_model_list_events(const struct web_model *model, const struct web_event_filter *filter,
                             const struct web_event *more, size_t more_count,
                             const struct web_event_page *page, struct web_event *ret, size_t *total);

#define WEB_EVENT_APPS_MAX 10000 /* some milliseconds */

/* Returns whether that bound leaves out applications. */
bool web_model_events_are_cut(const struct web_model *model, const struct web_event_filter *filter,
                              enum web_event_order order);

#define WEB_EVENT_KEY_SIZE 320

/* Writes a text that identifies EVENT in the lists of later requests. Returns RET. */
const char *web_event_key(const struct web_event *event, char ret[WEB_EVENT_KEY_SIZE]);

#endif
