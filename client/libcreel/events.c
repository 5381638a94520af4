/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - what happened to applications, containers, nodes and queues */
#include "client/include/creel-events.h"

#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"
#include "common/proto/event_kind.h"

static struct creel_event event_from(const Creel__Event *event)
{
    return (struct creel_event){
        .number = event->number,
        .time_ms = event->time_ms,
        .object = event_object_names[event_object(event->kind)],
        .name = event_name(event->kind),
        .id = event_id(event),
        .app_id = event->app_id,
        .node_id = event->node_id,
        .user = event->user,
        .queue = event->queue,
        .by = event->by,
        .text = event->text,
        .exit_status = event->exit_status,
        .restored = event->restored,
        .ends_app = event_is_end_of_app(event->kind),
    };
}

/* Takes PAGES. */
static struct creel_events *show(struct pages *taken)
{
    struct creel_events *shown = RESULT_NEW(struct creel_events, taken);
    const struct pages *pages = result_pages(shown);
    struct creel_event *items;
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->event_list->n_events;
    shown->items = items = RESULT_ARRAY(shown, count, struct creel_event);
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__EventList *list = pages->items[i]->event_list;

        for (size_t j = 0; j < list->n_events; j++)
            items[shown->count++] = event_from(list->events[j]);
        shown->lost += list->lost;
        shown->restarted = shown->restarted || list->restarted;
        shown->last = list->last;
        shown->now_ms = list->now_ms;
    }
    return shown;
}

/* A page that does not go on is the last one. */
static bool next_events(Creel__Envelope *request, const Creel__Envelope *reply)
{
    uint64_t before = request->list_events->after;

    request->list_events->after = reply->event_list->last;
    return reply->event_list->more && reply->event_list->last > before;
}

CREEL_EXPORT
int creel_event_list(struct creel_client *client, const struct creel_event_filter *filter,
                     struct creel_events **ret, struct creel_error *error)
{
    struct pages pages = { 0 };
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;
    struct err err = { 0 };
    int r;

    body.after = filter->after;
    body.newest = filter->newest;
    body.app_id = texts_borrow(filter->app_id);
    body.nodes = (char **)(uintptr_t)filter->nodes;
    body.n_nodes = filter->node_count;
    body.queue = texts_borrow(filter->queue);
    body.since_ms = filter->since_ms;
    body.tasks = filter->tasks;
    body.containers = filter->containers;
    r = request_pages(client, REQUEST(LIST_EVENTS, &body), ANSWER(EVENT_LIST), next_events, &pages, &err);
    if (r == 0)
        *ret = show(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_events_free(struct creel_events *events)
{
    result_free(events);
}
