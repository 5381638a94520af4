/* SPDX-License-Identifier: Apache-2.0 */
/* query_events.c - ListEvents: events in the order of their numbers, in pages (page.h) */
#include <string.h>

#include "common/proto/event_copy.h"
#include "common/proto/event_kind.h"
#include "rm/master/parts/event_ring.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/page.h"

struct chosen_node {
    UT_hash_handle hh;
    const char *id;
};

struct event_query {
    struct master *m;
    const char *asker;
    const Creel__ListEvents *body;
    struct chosen_node *nodes; /* in the arena; NULL: all */
    bool sees;                 /* the asker sees applications of USER in QUEUE, those of the event before */
    const char *user, *queue;
};

/* --- filters --------------------------------------------------------------------- */

static void choose_nodes(struct event_query *query)
{
    struct arena *arena = query->m->out->arena;
    struct chosen_node *node;

    for (size_t i = 0; i < query->body->n_nodes; i++) {
        const char *id = query->body->nodes[i];

        HASH_FIND_STR(query->nodes, id, node);
        if (node != NULL)
            continue;
        node = arena_new0(arena, struct chosen_node);
        node->id = id;
        HASH_ADD_KEYPTR(hh, query->nodes, node->id, strlen(node->id), node);
    }
}

static bool is_of_node(const struct event_query *query, const Creel__Event *event)
{
    struct chosen_node *node;

    if (query->nodes == NULL)
        return true;
    HASH_FIND_STR(query->nodes, event->node_id, node);
    return node != NULL && event_object(event->kind) != EVENT_OF_APP;
}

static bool is_of_kind(const Creel__ListEvents *body, Creel__EventKind kind)
{
    for (size_t i = 0; i < body->n_kinds; i++)
        if (body->kinds[i] == kind)
            return true;
    return body->n_kinds == 0;
}

static bool is_in_queue(const Creel__Event *event, const char *queue)
{
    size_t length = strlen(queue);
    const char *path = event->queue, *dot = strrchr(path, '.');

    return (strncmp(path, queue, length) == 0 && (path[length] == '\0' || path[length] == '.')) ||
           (dot != NULL && strcmp(dot + 1, queue) == 0);
}

static bool fits(const struct event_query *query, const Creel__Event *event)
{
    const Creel__ListEvents *body = query->body;

    return event->time_ms >= body->since_ms && (body->tasks || *event->array_id == '\0') &&
           (body->containers || event_object(event->kind) != EVENT_OF_CONTAINER) &&
           (rm_text_is_empty(body->app_id) || strcmp(event->app_id, body->app_id) == 0) &&
           is_of_kind(body, event->kind) && is_of_node(query, event) &&
           (rm_text_is_empty(body->queue) || is_in_queue(event, body->queue)) &&
           (rm_text_is_empty(body->user) || strcmp(event->user, body->user) == 0 ||
            strcmp(event->by, body->user) == 0);
}

/* --- rights ------------------------------------------------------------------------ */

/* Returns whether the asker may see the application of EVENT, which may be forgotten. */
static bool sees_app(struct event_query *query, const Creel__Event *event)
{
    if (query->user == NULL || strcmp(query->user, event->user) != 0 ||
        strcmp(query->queue, event->queue) != 0)
        query->sees = rm_authz_owned(query->m, query->asker, AUTHZ_SEE_APP, event->user, event->queue);
    query->user = event->user;
    query->queue = event->queue;
    return query->sees;
}

/* Returns a copy of EVENT as the asker may see it; NULL: not at all. As in reports, all users see that an
 * application exists, but not its holds, nodes and diagnostics (rm_report_hide). */
static Creel__Event *shown(struct event_query *query, const struct kept_event *kept)
{
    enum event_object object = event_object(kept->event.kind);
    bool whole = object == EVENT_OF_NODE || object == EVENT_OF_QUEUE || sees_app(query, &kept->event);
    Creel__Event *copy;

    if (!whole && (object == EVENT_OF_CONTAINER || kept->event.kind == CREEL__EVENT_KIND__EVENT_APP_HELD ||
                   kept->event.kind == CREEL__EVENT_KIND__EVENT_APP_RELEASED))
        return NULL;
    copy = event_copy_in(query->m->out->arena, &kept->event);
    if (whole)
        return copy;
    copy->node_id = rm_message_text(query->m->out->arena, NULL);
    if (copy->kind != CREEL__EVENT_KIND__EVENT_APP_SUBMITTED &&
        copy->kind != CREEL__EVENT_KIND__EVENT_APP_MOVED)
        copy->text = rm_message_text(query->m->out->arena, NULL);
    return copy;
}

/* --- the list ------------------------------------------------------------------------ */

/* Sets where the list begins. Events of an earlier start are restored ones now, with other numbers. */
static void begin(const struct event_query *query, Creel__EventList *reply)
{
    const struct event_ring *ring = query->m->events.ring;
    const Creel__ListEvents *body = query->body;
    uint64_t start = event_ring_before(ring);

    if (body->newest_first) {
        reply->last = body->before > start ? body->before : event_ring_newest(ring) + 1;
        return;
    }
    reply->restarted = body->after > 0 && body->after < start;
    reply->last = body->after > start ? body->after : start;
}

static const struct kept_event *next_event(const struct event_query *query, uint64_t last)
{
    const struct event_ring *ring = query->m->events.ring;

    return query->body->newest_first ? event_ring_below(ring, last) : event_ring_after(ring, last);
}

static void fill(struct event_query *query, Creel__EventList *reply)
{
    struct page page = page_begin(query->m, query->body->limit);
    const struct kept_event *kept;

    begin(query, reply);
    while ((kept = next_event(query, reply->last)) != NULL) {
        Creel__Event *copy = NULL;

        if (!page_examine(&page)) {
            reply->more = true;
            return;
        }
        if (query->body->after > 0 && !query->body->newest_first && !kept->event.restored)
            reply->lost += kept->event.number - reply->last - 1;
        reply->last = kept->event.number;
        if (fits(query, &kept->event))
            copy = shown(query, kept);
        if (copy == NULL)
            continue;
        page_add(&page, &copy->base);
        page_append(query->m->out->arena, (void ***)&reply->events, &reply->n_events, copy);
    }
}

Creel__Envelope *rm_query_events(struct master *m, const char *user, const Creel__Envelope *in)
{
    struct event_query query = { .m = m, .asker = user, .body = in->list_events };
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_EVENT_LIST);
    Creel__EventList *reply = arena_new0(m->out->arena, Creel__EventList);

    creel__event_list__init(reply);
    envelope->event_list = reply;
    reply->now_ms = m->now_ms;
    if (in->list_events->newest) {
        reply->last = event_ring_newest(m->events.ring);
        return envelope;
    }
    choose_nodes(&query);
    fill(&query, reply);
    HASH_CLEAR(hh, query.nodes);
    return envelope;
}
