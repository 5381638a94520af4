/* SPDX-License-Identifier: Apache-2.0 */
/* notify_queue.c - queue of job events for which the notify command has not run yet */
#include "rm/net/notify/notify_queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

STAILQ_HEAD(notify_events, notify_event);

struct notify_queue {
    struct notify_events waiting;
    size_t count, bytes;                        /* of WAITING */
    struct notify_event *taken[NOTIFY_AT_ONCE]; /* NULL: unused place */
};

static void variables_free(char **variables)
{
    for (size_t i = 0; variables != NULL && variables[i] != NULL; i++)
        free(variables[i]);
    free(variables);
}

static void event_free(struct notify_event *event)
{
    if (event == NULL)
        return;
    free(event->app_id);
    free(event->text);
    variables_free(event->variables);
    free(event);
}

struct notify_queue *notify_queue_new(void)
{
    struct notify_queue *queue = mem_new0(struct notify_queue);

    STAILQ_INIT(&queue->waiting);
    return queue;
}

void notify_queue_free(struct notify_queue *queue)
{
    struct notify_event *event;

    if (queue == NULL)
        return;
    while ((event = STAILQ_FIRST(&queue->waiting)) != NULL) {
        STAILQ_REMOVE_HEAD(&queue->waiting, link);
        event_free(event);
    }
    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++)
        event_free(queue->taken[i]);
    free(queue);
}

bool notify_queue_add(struct notify_queue *queue, const char *app_id, const char *name, const char *text,
                      size_t length, char **variables)
{
    struct notify_event *event;

    if (queue->count >= NOTIFY_QUEUE_MAX || length > NOTIFY_QUEUE_BYTES_MAX - queue->bytes) {
        variables_free(variables);
        return false;
    }
    event = mem_new0(struct notify_event);
    event->app_id = mem_strdup(app_id);
    event->name = name;
    event->text = mem_dup(text, length);
    event->length = length;
    event->variables = variables;
    STAILQ_INSERT_TAIL(&queue->waiting, event, link);
    queue->count++;
    queue->bytes += length;
    return true;
}

static bool is_taken(const struct notify_queue *queue, const char *app_id)
{
    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++)
        if (queue->taken[i] != NULL && strcmp(queue->taken[i]->app_id, app_id) == 0)
            return true;
    return false;
}

static struct notify_event **free_place(struct notify_queue *queue)
{
    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++)
        if (queue->taken[i] == NULL)
            return &queue->taken[i];
    return NULL;
}

/* The search passes over few events: a job has at most two, and at most NOTIFY_AT_ONCE events are taken. */
struct notify_event *notify_queue_pop(struct notify_queue *queue)
{
    struct notify_event **place = free_place(queue);
    struct notify_event *event;

    if (place == NULL)
        return NULL;
    STAILQ_FOREACH(event, &queue->waiting, link)
        if (!is_taken(queue, event->app_id))
            break;
    if (event == NULL)
        return NULL;
    STAILQ_REMOVE(&queue->waiting, event, notify_event, link);
    queue->count--;
    queue->bytes -= event->length;
    *place = event;
    return event;
}

void notify_queue_done(struct notify_queue *queue, struct notify_event *event)
{
    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++)
        if (queue->taken[i] == event)
            queue->taken[i] = NULL;
    event_free(event);
}

size_t notify_queue_waiting(const struct notify_queue *queue)
{
    return queue->count;
}
