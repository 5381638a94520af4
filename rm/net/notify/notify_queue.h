/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify_queue.h - queue of job events for which the notify command has not run yet
 *
 * No I/O and no clock. At most NOTIFY_QUEUE_MAX events, with at most NOTIFY_QUEUE_BYTES_MAX bytes together,
 * wait, and at most NOTIFY_AT_ONCE are taken at a time. Events are taken in the order in which they were
 * added, with one exception: a job's second event is not taken before its first one is done.
 */
#ifndef CREEL_RM_NOTIFY_QUEUE_H
#define CREEL_RM_NOTIFY_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#define NOTIFY_QUEUE_MAX ((size_t)1000)
#define NOTIFY_QUEUE_BYTES_MAX ((size_t)4 << 20) /* size of the texts of all waiting events */
#define NOTIFY_AT_ONCE 4

struct notify_event {
    char *app_id;
    const char *name; /* "begin", "end" or "fail"; static */
    char *text;       /* one JSON object with a newline */
    size_t length;
    char **variables; /* for the environment of the command: "NAME=VALUE", NULL at the end */
    STAILQ_ENTRY(notify_event) link;
};

struct notify_queue; /* opaque */

struct notify_queue *notify_queue_new(void);
/* Frees the events that wait and those that are taken. NULL is fine. */
void notify_queue_free(struct notify_queue *queue);

/* Adds an event; copies APP_ID and TEXT, and takes over VARIABLES, which may be NULL. False: the queue is
 * full, and nothing was added; VARIABLES are freed. */
bool notify_queue_add(struct notify_queue *queue, const char *app_id, const char *name, const char *text,
                      size_t length, char **variables);
/* Returns the next event, which the queue still owns; NULL: none may be taken now. */
struct notify_event *notify_queue_pop(struct notify_queue *queue);
/* Frees EVENT, which notify_queue_pop returned. */
void notify_queue_done(struct notify_queue *queue, struct notify_event *event);

size_t notify_queue_waiting(const struct notify_queue *queue); /* events that are not taken */

#endif
