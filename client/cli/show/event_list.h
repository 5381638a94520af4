/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_list.h - the events that the resource manager keeps, and those that the history shows, pure
 *
 * The resource manager keeps the newest events. The history has the beginning and the end of applications
 * that ended before these.
 */
#ifndef CREEL_CLI_EVENT_LIST_H
#define CREEL_CLI_EVENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "client/include/creel-events.h"

struct event_list; /* opaque */

struct event_list *event_list_new(void);
void event_list_free(struct event_list *list); /* NULL is fine */

/* Adds the events of the resource manager. EVENTS is borrowed until LIST is freed. */
void event_list_add(struct event_list *list, const struct creel_events *events);
/* Adds the events at SINCE_MS or later that APP, an ended application of the history, shows and that are not
 * in the list. APP is borrowed until LIST is freed. */
void event_list_add_ended(struct event_list *list, const struct creel_app *app, int64_t since_ms);

/* Returns pointers to the events in the order of time, and their number. */
const void *const *event_list_sorted(struct event_list *list, size_t *count);

/* Returns what is known about EVENT in one line: user, reason, exit status, node. The caller frees it. */
char *event_text(const struct creel_event *event);

#endif
