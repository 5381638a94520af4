/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_list.h - finds the events of applications, containers and nodes in their reports, pure
 *
 * A report has the times at which its object was submitted, started, ended and so on. Each time is an
 * event, which is found once, however often the object is reported. Changes without a time in the report
 * (queue, attempt, state of a node) are found when a later report of the object differs, with the time of
 * that report.
 */
#ifndef CREEL_CLI_EVENT_LIST_H
#define CREEL_CLI_EVENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "client/include/creel.h"

struct event {
    int64_t time_ms;
    uint64_t number;                /* orders events of the same time: as they were found */
    const char *kind;               /* "app", "container", "node" */
    const char *name;               /* "SUBMITTED" */
    char *id, *user, *queue, *text; /* owned; "": none */
};

struct event_list; /* opaque */

/* Events before SINCE_MS are left out. */
struct event_list *event_list_new(int64_t since_ms);
void event_list_free(struct event_list *list); /* NULL is fine */

/* Find the new events in a report that was received at NOW_MS. */
void event_list_app(struct event_list *list, const struct creel_app *app, int64_t now_ms);
void event_list_container(struct event_list *list, const struct creel_container *container);
void event_list_node(struct event_list *list, const struct creel_node *node, int64_t now_ms);

/* Sorts the events found since the last call by time, and returns them with their number; they are valid
 * until the next call of any function. */
const struct event *event_list_next(struct event_list *list, size_t *count);

#endif
