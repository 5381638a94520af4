/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - finds events in the reports of the model; filters, sorts and pages them */
#include "web/model/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/exit_status.h"
#include "common/base/mem.h"
#include "web/model/noted.h"
#include "web/model/pick.h"
#include "web/model/rows.h"

_Static_assert(WEB_EVENT_NO_EXIT == CONTAINER_EXIT_NONE, "an event without exit status");

/* --- visits -------------------------------------------------------------------- */

struct visit {
    const struct web_event_filter *filter;
    const struct web_event_page *page;
    void (*take)(struct visit *visit, const struct web_event *event);
    size_t count; /* of events that matched */
    /* for one of the functions "take" */
    const char *key;
    struct web_event found; /* with KEY */
    struct pick pick;
    struct web_event *slots; /* one more than pick.limit */
    struct web_event *spare; /* the slot that is not in the heap; NULL: none was used yet */
};

static bool is_in_queue(const char *path, const char *queue)
{
    size_t length = strlen(queue);
    const char *dot = strrchr(path, '.');

    if (strncmp(path, queue, length) == 0 && (path[length] == '\0' || path[length] == '.'))
        return true;
    return dot != NULL && strcmp(dot + 1, queue) == 0;
}

static bool fits(const struct web_event_filter *filter, const struct web_event *event)
{
    return event->time_ms > 0 && event->time_ms >= filter->since_ms &&
           (filter->kinds == 0 || (filter->kinds & 1u << event->kind) != 0) &&
           (filter->app_id == NULL || strcmp(event->app_id, filter->app_id) == 0) &&
           (filter->node == NULL || strcmp(event->node, filter->node) == 0) &&
           (filter->queue == NULL || is_in_queue(event->queue, filter->queue)) &&
           (filter->user == NULL || strcmp(event->user, filter->user) == 0 ||
            strcmp(event->by, filter->user) == 0);
}

static void see(struct visit *visit, const struct web_event *event)
{
    if (!fits(visit->filter, event))
        return;
    visit->count++;
    visit->take(visit, event);
}

static void see_app(struct visit *visit, const Creel__AppReport *app)
{
    struct web_event event = WEB_EVENT_NONE;

    event.kind = WEB_EVENT_APP;
    event.id = event.app_id = app->app_id;
    event.user = app->user;
    event.queue = app->queue;
    event.time_ms = app->submitted_ms;
    event.name = "SUBMITTED";
    event.by = app->user;
    event.text = app->name;
    see(visit, &event);
    for (size_t i = 0; i < app->n_holds; i++) {
        event.step++;
        event.time_ms = app->holds[i]->since_ms;
        event.name = "HELD";
        event.by = app->holds[i]->by;
        event.text = app->holds[i]->reason;
        see(visit, &event);
    }
    event.step = 100;
    event.time_ms = app->started_ms;
    event.name = "STARTED";
    event.by = event.text = "";
    event.node = app->master_node_id;
    see(visit, &event);
    if (app->finished_ms == 0)
        return;
    event.step = 101;
    event.time_ms = app->finished_ms;
    event.name = app->state == CREEL__APP_STATE__APP_FAILED   ? "FAILED"
                 : app->state == CREEL__APP_STATE__APP_KILLED ? "KILLED"
                                                              : "FINISHED";
    event.text = app->diagnostics;
    event.exit_status = app->exit_status;
    event.node = "";
    see(visit, &event);
}

static void see_node(struct visit *visit, const Creel__NodeReport *node)
{
    const Creel__NodeAdminState *decision = node->admin_state;
    struct web_event event = WEB_EVENT_NONE;

    event.kind = WEB_EVENT_NODE;
    event.id = event.node = node->node_id;
    event.time_ms = node->registered_ms;
    event.name = "REGISTERED";
    event.text = node->version;
    see(visit, &event);
    event.step = 1;
    if (decision != NULL) {
        bool drains =
            node->state == CREEL__NODE_STATE__NODE_DRAINING || node->state == CREEL__NODE_STATE__NODE_DRAINED;

        event.time_ms = decision->since_ms;
        event.name = drains ? "DRAINING" : "DECOMMISSIONING";
        event.by = decision->by;
        event.text = *decision->reason != '\0' ? decision->reason
                     : decision->by_file       ? "by the lists of hosts"
                                               : "";
        see(visit, &event);
    }
    if (node->state == CREEL__NODE_STATE__NODE_LOST) {
        event.step = 2;
        event.time_ms = node->last_heartbeat_ms;
        event.name = noted_node_state(node->state);
        event.by = "";
        event.text = "no heartbeat after this time";
        see(visit, &event);
    }
}

static void see_refresh(struct visit *visit, const Creel__ClusterInfo *cluster)
{
    struct web_event event = WEB_EVENT_NONE;

    event.kind = WEB_EVENT_QUEUE;
    event.id = event.queue = "root";
    event.time_ms = cluster->refreshed_ms;
    event.name = *cluster->refresh_error != '\0' ? "REFUSED" : "REFRESHED";
    event.by = cluster->refreshed_by;
    event.text =
        *cluster->refresh_error != '\0' ? cluster->refresh_error : "the configuration was read again";
    see(visit, &event);
}

static bool includes_kind(const struct web_event_filter *filter, enum web_event_kind kind)
{
    return filter->kinds == 0 || (filter->kinds & 1u << kind) != 0;
}

/* Returns whether no event of ROW can be on the page of a list by time: all are before the page, or behind
 * the last event chosen so far. */
static bool is_beside_page(const struct visit *visit, const struct app_row *row)
{
    int64_t first_ms = row->submitted_ms, last_ms = row->submitted_ms;
    const struct web_event *after = visit->pick.after, *worst = NULL;

    for (int i = 0; i < 2; i++) {
        int64_t time_ms = i == 0 ? row->started_ms : row->finished_ms;

        first_ms = time_ms > 0 && time_ms < first_ms ? time_ms : first_ms;
        last_ms = time_ms > last_ms ? time_ms : last_ms;
    }
    if (visit->pick.limit > 0 && visit->pick.count == visit->pick.limit)
        worst = visit->pick.rows[0];
    if (visit->page->descending)
        return (after != NULL && first_ms > after->time_ms) || (worst != NULL && last_ms < worst->time_ms);
    return (after != NULL && last_ms < after->time_ms) || (worst != NULL && first_ms > worst->time_ms);
}

/* Counts the events of ROW that fit, without reading its report. */
static void count_app(struct visit *visit, const struct app_row *row)
{
    const struct web_event_filter *filter = visit->filter;
    const int64_t times[] = { row->submitted_ms, row->started_ms, row->finished_ms };

    if ((filter->queue != NULL && !is_in_queue(row->queue->text, filter->queue)) ||
        (filter->user != NULL && strcmp(row->user->text, filter->user) != 0))
        return;
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
        visit->count += times[i] > 0 && times[i] >= filter->since_ms;
}

/* Returns whether the report of each application has to be read. */
static bool needs_reports(const struct web_event_filter *filter, enum web_event_order order)
{
    return order != WEB_EVENT_BY_TIME || filter->node != NULL;
}

static bool is_too_old(const struct app_row *row, const struct web_event_filter *filter)
{
    return row->finished_ms != 0 && row->finished_ms < filter->since_ms;
}

bool web_model_events_are_cut(const struct web_model *model, const struct web_event_filter *filter,
                              enum web_event_order order)
{
    size_t count = 0;

    if (!needs_reports(filter, order) || filter->app_id != NULL || !includes_kind(filter, WEB_EVENT_APP))
        return false;
    for (size_t i = 0; i < model->row_count; i++)
        count += !is_too_old(&model->rows[i], filter);
    return count > WEB_EVENT_APPS_MAX;
}

/* Visits the applications at the beginning of a list by time first, so that its heap changes seldom, and the
 * reports of the others need not be read. */
static void see_apps(struct visit *visit, const struct web_model *model)
{
    bool by_time = !needs_reports(visit->filter, visit->page->order);
    bool oldest_first = by_time && !visit->page->descending;
    size_t seen = 0;

    for (size_t i = 0; i < model->row_count && (by_time || seen < WEB_EVENT_APPS_MAX); i++) {
        const struct app_row *row = &model->rows[oldest_first ? i : model->row_count - 1 - i];

        if (is_too_old(row, visit->filter))
            continue;
        seen++;
        if (by_time && !row->has_holds && row->submitted_ms > 0 && is_beside_page(visit, row))
            count_app(visit, row);
        else
            see_app(visit, row->entry->report);
    }
}

static void see_all(struct visit *visit, const struct web_model *model, const struct web_event *more,
                    size_t more_count)
{
    const struct web_event_filter *filter = visit->filter;
    struct node_entry *node, *next;

    visit->count = 0;
    if (includes_kind(filter, WEB_EVENT_APP) && filter->app_id != NULL &&
        web_model_app(model, filter->app_id) != NULL)
        see_app(visit, web_model_app(model, filter->app_id));
    else if (includes_kind(filter, WEB_EVENT_APP) && filter->app_id == NULL)
        see_apps(visit, model);
    if (includes_kind(filter, WEB_EVENT_NODE))
        HASH_ITER(hh, model->nodes, node, next)
            see_node(visit, node->report);
    if (includes_kind(filter, WEB_EVENT_QUEUE))
        see_refresh(visit, web_model_cluster(model));
    for (size_t i = 0; i < model->noted.count; i++)
        see(visit, &model->noted.events[i]);
    for (size_t i = 0; i < more_count; i++)
        see(visit, &more[i]);
}

/* --- the order ------------------------------------------------------------------ */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_by(enum web_event_order order, const struct web_event *a, const struct web_event *b)
{
    switch (order) {
    case WEB_EVENT_BY_NAME:
        return strcmp(a->name, b->name);
    case WEB_EVENT_BY_OBJECT:
        return strcmp(a->id, b->id);
    case WEB_EVENT_BY_USER:
        return strcmp(a->user, b->user);
    case WEB_EVENT_BY_TIME:
        break;
    }
    return 0;
}

static int compare_events(const void *context, const void *a, const void *b)
{
    const struct web_event_page *page = context;
    const struct web_event *x = a, *y = b;
    int result = compare_by(page->order, x, y);

    if (result == 0)
        result = compare_numbers(x->time_ms, y->time_ms);
    if (result == 0)
        result = compare_numbers(x->kind, y->kind);
    if (result == 0)
        result = strcmp(x->id, y->id);
    if (result == 0)
        result = compare_numbers(x->step, y->step);
    return page->descending ? -result : result;
}

/* --- pages ---------------------------------------------------------------------- */

const char *web_event_key(const struct web_event *event, char ret[WEB_EVENT_KEY_SIZE])
{
    snprintf(ret, WEB_EVENT_KEY_SIZE, "%" PRId64 ".%d.%u.%s", event->time_ms, (int)event->kind, event->step,
             event->id);
    return ret;
}

/* Sets what KEY has; returns false if it is no key. */
static bool read_key(const char *key, struct web_event *ret)
{
    unsigned kind;
    int length = 0;

    *ret = WEB_EVENT_NONE;
    if (strlen(key) >= WEB_EVENT_KEY_SIZE ||
        sscanf(key, "%" SCNd64 ".%u.%u.%n", &ret->time_ms, &kind, &ret->step, &length) < 3 || length == 0)
        return false;
    ret->kind = (enum web_event_kind)(kind < WEB_EVENT_KINDS ? kind : 0);
    ret->id = key + length;
    return true;
}

static void find(struct visit *visit, const struct web_event *event)
{
    char key[WEB_EVENT_KEY_SIZE];

    if (event->time_ms == visit->found.time_ms && strcmp(web_event_key(event, key), visit->key) == 0)
        visit->found = *event;
}

/* Keeps the event in a slot if it is among the first of the order. */
static void choose(struct visit *visit, const struct web_event *event)
{
    struct web_event *slot = visit->spare != NULL ? visit->spare : &visit->slots[visit->pick.count];

    *slot = *event;
    visit->spare = (struct web_event *)(uintptr_t)pick_add(&visit->pick, slot);
}

size_t web_model_list_events(const struct web_model *model, const struct web_event_filter *filter,
                             const struct web_event *more, size_t more_count,
                             const struct web_event_page *page, struct web_event *ret, size_t *total)
{
    scoped_free const void **rows = mem_array0(page->limit + 1, sizeof(*rows));
    scoped_free struct web_event *slots = mem_array0(page->limit + 1, sizeof(*slots));
    struct visit visit = { .filter = filter, .page = page, .slots = slots };

    visit.pick = (struct pick){
        .compare = compare_events,
        .context = page,
        .limit = page->limit,
        .rows = rows,
    };
    if (page->after != NULL && read_key(page->after, &visit.found)) {
        visit.key = page->after;
        visit.take = find;
        if (page->order != WEB_EVENT_BY_TIME)
            see_all(&visit, model, more, more_count);
        if (page->order == WEB_EVENT_BY_TIME || *visit.found.name != '\0')
            visit.pick.after = &visit.found;
    }
    visit.take = choose;
    see_all(&visit, model, more, more_count);
    pick_sort(&visit.pick);
    for (size_t i = 0; i < visit.pick.count; i++)
        ret[i] = *(const struct web_event *)rows[i];
    *total = visit.count;
    return visit.pick.count;
}
