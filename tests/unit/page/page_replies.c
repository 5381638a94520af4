/* SPDX-License-Identifier: Apache-2.0 */
/* page_replies.c - replies of the fake resource manager of page_world.h: containers, users of queues,
 * configuration, history, events */
#include "tests/unit/page/page_replies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"

#define CONFIGURATION_ROWS 3 /* of one reply */
#define PAGE_ROWS 250        /* of one reply to a list, as in rm/master/state/page.c */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

static Creel__Resource *resource(struct page_world *world, int64_t memory_mb, int64_t vcores)
{
    Creel__Resource *made = arena_new0(world->arena, Creel__Resource);

    creel__resource__init(made);
    made->memory_mb = memory_mb;
    made->vcores = vcores;
    return made;
}

static size_t page_end(size_t first, size_t limit, size_t count)
{
    size_t rows = limit > 0 && limit < PAGE_ROWS ? limit : PAGE_ROWS;

    return count - first > rows ? first + rows : count;
}

/* --- containers ---------------------------------------------------------------- */

static char *container_id(struct page_world *world, size_t i)
{
    return arena_printf(world->arena, "container_%" PRId64 "_0007_%02zu_%06zu", WORLD_CLUSTER_MS,
                        i / world->container_count + 1, i % world->container_count + 1);
}

Creel__ContainerReport *page_container_new(struct page_world *world, size_t i)
{
    Creel__ContainerReport *container = arena_new0(world->arena, Creel__ContainerReport);
    size_t of_attempt = i % world->container_count;
    bool ended = of_attempt + 3 >= world->container_count;

    creel__container_report__init(container);
    container->container_id = container_id(world, i);
    container->app_id = text("application_1795500000000_0007");
    container->node_id = text(world->nodes[i % world->node_count]->node_id);
    container->user = text("ann");
    container->node_address = container->node_id;
    container->state =
        ended ? CREEL__CONTAINER_STATE__CONTAINER_COMPLETE : CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    container->exit_status = of_attempt + 2 == world->container_count ? 137 : 0;
    container->resource = resource(world, 4096, 2);
    container->started_ms = WORLD_NOW_MS - 600000;
    container->finished_ms = ended ? WORLD_NOW_MS - 60000 : 0;
    container->title = of_attempt == 0 ? text("") : arena_printf(world->arena, "%zu", i);
    container->master = of_attempt == 0;
    container->swap_peak_bytes = i == 2 ? 5 << 20 : 0;
    container->memory_peak_bytes = (UINT64_C(300) + 310 * i) << 20;
    container->cpu_time_us = 100000000 * i;
    return container;
}

/* Returns the index of the first container behind AFTER, an id that need not exist. */
static size_t container_behind(const struct page_world *world, const char *after)
{
    size_t count = world->container_count;
    struct container_id id;

    if (!container_id_parse(after, &id))
        return 0;
    return (id.attempt.attempt - 1) * count + (id.number < count ? id.number : count);
}

void page_reply_containers(struct page_world *world, const Creel__ListContainers *query,
                           Creel__Envelope *reply)
{
    size_t count = world->attempt_count * world->container_count;
    size_t first = container_behind(world, query->after), end;
    Creel__ContainerList *list = arena_new0(world->arena, Creel__ContainerList);

    creel__container_list__init(list);
    first = first < count ? first : count;
    end = page_end(first, query->limit, count);
    if (world->containers_apart)
        end = *query->after == '\0' ? 0 : first + 2 < end ? first + 2 : end;
    list->containers = arena_array0(world->arena, end - first + 1, sizeof(*list->containers));
    if (end < count)
        list->next = end > 0 ? container_id(world, end - 1) : text("container_1_0001_01_000000");
    for (size_t i = first; i < end; i++) {
        Creel__ContainerReport *container =
            i == 0 && world->container != NULL ? world->container : page_container_new(world, i);

        if (!query->live_only || container->finished_ms == 0)
            list->containers[list->n_containers++] = container;
    }
    reply->body_case = CREEL__ENVELOPE__BODY_CONTAINER_LIST;
    reply->container_list = list;
}

/* --- users of queues ------------------------------------------------------------- */

static char *user_name(struct page_world *world, size_t i)
{
    static const char *const names[] = { "ann", "bob", "carla" };

    return i < COUNT(names) ? text(names[i]) : arena_printf(world->arena, "user%06zu", i);
}

void page_reply_users(struct page_world *world, const Creel__ListQueueUsers *query, Creel__Envelope *reply)
{
    Creel__QueueUserList *list = arena_new0(world->arena, Creel__QueueUserList);
    size_t first = 0, end;

    creel__queue_user_list__init(list);
    while (*query->after != '\0' && first < world->user_count &&
           strcmp(user_name(world, first), query->after) <= 0)
        first++;
    end = page_end(first, query->limit, world->user_count);
    list->users = arena_array0(world->arena, end - first + 1, sizeof(*list->users));
    for (size_t i = first; i < end; i++) {
        Creel__QueueUserReport *user = arena_new0(world->arena, Creel__QueueUserReport);

        creel__queue_user_report__init(user);
        user->user = user_name(world, i);
        user->used = resource(world, 40960 * (int64_t)(i + 1), 20);
        user->limit = resource(world, 131072, 64);
        user->active = i != 2;
        user->active_apps = 2;
        list->users[list->n_users++] = user;
    }
    if (end < world->user_count)
        list->next = user_name(world, end - 1);
    reply->body_case = CREEL__ENVELOPE__BODY_QUEUE_USER_LIST;
    reply->queue_user_list = list;
}

/* --- configuration and history --------------------------------------------------- */

/* Replies with at most CONFIGURATION_ROWS keys from FIRST on. */
void page_reply_configuration(struct page_world *world, uint32_t first, Creel__Envelope *envelope)
{
    static const struct {
        const char *key, *value, *origin;
        bool refreshed, hidden;
    } rows[] = {
        { "creel.log.level", "info", "default", false, false },
        { "site.store.password", "", "/etc/creel/creel-site.xml:4", false, true },
        { "yarn.acl.enable", "true", "/etc/creel/yarn-site.xml:7", false, false },
        { "yarn.scheduler.capacity.root.dev.maximum-capacity", "60",
          "scheduler-conf of ann, 2026-11-24T14:22:47Z", true, false },
        { "yarn.scheduler.capacity.root.queues", "<b>prod</b>,dev", "/etc/creel/capacity-scheduler.xml:3",
          true, false },
    };
    size_t count = sizeof(rows) / sizeof(rows[0]);
    Creel__Configuration *body = arena_new0(world->arena, Creel__Configuration);

    creel__configuration__init(body);
    body->entries = arena_array0(world->arena, count, sizeof(*body->entries));
    for (size_t i = first; i < count && body->n_entries < CONFIGURATION_ROWS; i++) {
        Creel__ConfigurationEntry *entry = arena_new0(world->arena, Creel__ConfigurationEntry);

        creel__configuration_entry__init(entry);
        entry->key = arena_strdup(world->arena, rows[i].key);
        entry->value = arena_strdup(world->arena, rows[i].value);
        entry->origin = arena_strdup(world->arena, rows[i].origin);
        entry->refreshed = rows[i].refreshed;
        entry->hidden = rows[i].hidden;
        body->entries[body->n_entries++] = entry;
        body->next = i + 1 < count ? (uint32_t)i + 1 : 0;
    }
    envelope->body_case = CREEL__ENVELOPE__BODY_CONFIGURATION;
    envelope->configuration = body;
}

/* The ended applications of the model that the filter lets pass. */
void page_reply_history(struct page_world *world, const Creel__ListJobHistory *list,
                        Creel__Envelope *envelope)
{
    Creel__JobHistory *body = arena_new0(world->arena, Creel__JobHistory);

    creel__job_history__init(body);
    envelope->body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY;
    envelope->job_history = body;
    if (world->history_empty > 0) {
        world->history_empty--;
        body->next = text("application_1795500000000_0050");
        return;
    }
    if (world->history_warns_late && *list->after == '\0')
        body->next = text("application_1795500000000_0050");
    else if (world->history_warning != NULL)
        body->warning = text(world->history_warning);
    body->apps = arena_array0(world->arena, world->app_count + 1, sizeof(*body->apps));
    for (size_t i = world->app_count; i-- > 0 && body->n_apps < list->limit;) {
        Creel__AppReport *app = world->apps[i];

        if (app->finished_ms > 0 && (list->n_users == 0 || strcmp(list->users[0], app->user) == 0) &&
            (list->n_states == 0 || list->states[0] == app->state))
            body->apps[body->n_apps++] = app;
    }
}

/* --- events ------------------------------------------------------------------------ */

struct made_events {
    struct page_world *world;
    Creel__Event **items;
    size_t count, capacity;
};

static Creel__Event *add_event(struct made_events *made, Creel__EventKind kind, int64_t time_ms)
{
    Creel__Event *event = arena_new0(made->world->arena, Creel__Event);

    creel__event__init(event);
    event->kind = kind;
    event->time_ms = time_ms;
    event->exit_status = -1000;
    mem_grow(made->items, made->count, made->capacity);
    made->items[made->count++] = event;
    return event;
}

static void add_app(struct made_events *made, const Creel__AppReport *app)
{
    static const Creel__EventKind ends[] = {
        [CREEL__APP_STATE__APP_FINISHED] = CREEL__EVENT_KIND__EVENT_APP_FINISHED,
        [CREEL__APP_STATE__APP_FAILED] = CREEL__EVENT_KIND__EVENT_APP_FAILED,
        [CREEL__APP_STATE__APP_KILLED] = CREEL__EVENT_KIND__EVENT_APP_KILLED,
    };
    Creel__EventKind kinds[] = { CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, CREEL__EVENT_KIND__EVENT_APP_STARTED,
                                 app->finished_ms > 0 ? ends[app->state] : 0 };
    int64_t times[] = { app->submitted_ms, app->started_ms, app->finished_ms };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        Creel__Event *event;

        if (times[i] == 0)
            continue;
        event = add_event(made, kinds[i], times[i]);
        event->app_id = app->app_id;
        event->user = app->user;
        event->queue = app->queue;
        event->by = i == 0 ? app->user : event->by;
        event->text = i == 0 ? app->name : i == 2 ? app->diagnostics : event->text;
        event->exit_status = i == 2 ? app->exit_status : -1000;
    }
}

static void add_container(struct made_events *made, const Creel__ContainerReport *container)
{
    for (int i = 0; i < (container->finished_ms > 0 ? 2 : 1); i++) {
        Creel__Event *event = add_event(made,
                                        i == 0 ? CREEL__EVENT_KIND__EVENT_CONTAINER_STARTED
                                               : CREEL__EVENT_KIND__EVENT_CONTAINER_ENDED,
                                        i == 0 ? container->started_ms : container->finished_ms);

        event->container_id = container->container_id;
        event->app_id = container->app_id;
        event->node_id = container->node_id;
        event->user = container->user;
        event->queue = text("root.dev.ml");
        event->exit_status = i == 0 ? -1000 : container->exit_status;
    }
}

static void add_configured(struct made_events *made, const char *queue, const char *what)
{
    Creel__Event *event =
        add_event(made, CREEL__EVENT_KIND__EVENT_QUEUE_CONFIGURED, WORLD_NOW_MS - 30 * 60000);

    event->queue = text(queue);
    event->by = text("ann");
    event->text = text(what);
}

static int compare_times(const void *a, const void *b)
{
    const Creel__Event *x = *(Creel__Event *const *)a, *y = *(Creel__Event *const *)b;

    return (x->time_ms > y->time_ms) - (x->time_ms < y->time_ms);
}

/* Makes the events of the applications, the nodes, the containers of application 7, and a change of two
 * queues by ann. Their numbers are in the order of their times. The caller frees the array. */
static struct made_events make_events(struct page_world *world)
{
    struct made_events made = { .world = world };

    for (size_t i = 0; i < world->app_count; i++)
        add_app(&made, world->apps[i]);
    for (size_t i = 0; i < world->node_count; i++)
        add_event(&made, CREEL__EVENT_KIND__EVENT_NODE_REGISTERED, world->nodes[i]->registered_ms)->node_id =
            world->nodes[i]->node_id;
    for (size_t i = 0; i < world->attempt_count * world->container_count; i++)
        add_container(&made, page_container_new(world, i));
    add_configured(&made, "root.dev.ml", "maximum-capacity=45, state=STOPPED");
    add_configured(&made, "root.gone", "capacity=" HOSTILE_NAME);
    qsort(made.items, made.count, sizeof(*made.items), compare_times);
    for (size_t i = 0; i < made.count; i++)
        made.items[i]->number = i + 1;
    return made;
}

static bool has_kind(const Creel__ListEvents *query, Creel__EventKind kind)
{
    for (size_t i = 0; i < query->n_kinds; i++)
        if (query->kinds[i] == kind)
            return true;
    return query->n_kinds == 0;
}

static bool event_fits(const Creel__ListEvents *query, const Creel__Event *event)
{
    return event->time_ms >= query->since_ms && has_kind(query, event->kind) &&
           (query->containers || *event->container_id == '\0') &&
           (*query->app_id == '\0' || strcmp(query->app_id, event->app_id) == 0) &&
           (query->n_nodes == 0 || strcmp(query->nodes[0], event->node_id) == 0) &&
           (*query->queue == '\0' || strcmp(query->queue, event->queue) == 0) &&
           (*query->user == '\0' || strcmp(query->user, event->user) == 0 ||
            strcmp(query->user, event->by) == 0);
}

void page_reply_events(struct page_world *world, const Creel__ListEvents *query, Creel__Envelope *envelope)
{
    struct made_events made = make_events(world);
    Creel__EventList *list = arena_new0(world->arena, Creel__EventList);
    uint64_t limit = query->limit > 0 && query->limit < PAGE_ROWS ? query->limit : PAGE_ROWS;

    creel__event_list__init(list);
    list->events = arena_array0(world->arena, PAGE_ROWS, sizeof(*list->events));
    list->last = query->after;
    if (query->newest_first) /* (a greater number is of an earlier start of the resource manager) */
        list->last = query->before > 0 && query->before <= made.count ? query->before : made.count + 1;
    while (query->newest_first ? list->last > 1 : list->last < made.count) {
        Creel__Event *event = made.items[query->newest_first ? list->last - 2 : list->last];

        list->more = list->n_events == limit;
        if (list->more)
            break;
        list->last = event->number;
        if (event_fits(query, event))
            list->events[list->n_events++] = event;
    }
    free(made.items);
    envelope->body_case = CREEL__ENVELOPE__BODY_EVENT_LIST;
    envelope->event_list = list;
}

static Creel__JobHistorySum *make_sum(struct page_world *world, char *group, size_t i)
{
    Creel__JobHistorySum *sum = arena_new0(world->arena, Creel__JobHistorySum);

    creel__job_history_sum__init(sum);
    sum->group = group;
    sum->jobs = 10 + i % 7;
    sum->succeeded = 7 + i % 7;
    sum->failed = 2;
    sum->killed = 1;
    sum->waited_ms = sum->jobs * 1000 * (i % 50);
    sum->vcore_seconds = 3600 * (20 + i * 37 % 90);
    sum->memory_mb_seconds = 4096 * sum->vcore_seconds;
    sum->cpu_time_us = sum->vcore_seconds * 1000000 * (3 + i % 5) / 10;
    sum->memory_used_mb_seconds = sum->memory_mb_seconds * (2 + i % 4) / 10;
    return sum;
}

void page_reply_sums(struct page_world *world, const Creel__SumJobHistory *query, Creel__Envelope *envelope)
{
    static const char *const queues[] = { "root.dev.ml", "root.prod.etl", "root.prod.reports" };
    static const char *const users[] = { "<b>eve</b>", "ann", "bob" };
    bool by_hour = query->by == CREEL__HISTORY_GROUP__HISTORY_BY_HOUR;
    size_t count = by_hour ? 100 : 3, last = 0;
    Creel__JobHistorySums *body = arena_new0(world->arena, Creel__JobHistorySums);

    creel__job_history_sums__init(body);
    if (world->history_warning != NULL)
        body->warning = text(world->history_warning);
    body->sums = arena_array0(world->arena, count, sizeof(*body->sums));
    for (size_t i = 0; i < count && body->n_sums < 60; i++) {
        int64_t hour_ms = (WORLD_NOW_MS / 3600000 - (int64_t)(count - 1 - i)) * 3600000;
        const char *group = query->by == CREEL__HISTORY_GROUP__HISTORY_BY_USER ? users[i % 3] : queues[i % 3];

        if (by_hour)
            group = arena_printf(world->arena, "%" PRId64, hour_ms);
        if (by_hour && (hour_ms < query->filter->since_ms - 3600000 ||
                        (*query->filter->after != '\0' && hour_ms <= atoll(query->filter->after))))
            continue;
        body->sums[body->n_sums++] = make_sum(world, text(group), i);
        last = i;
    }
    if (last + 1 < count && body->n_sums == 60)
        body->next = body->sums[body->n_sums - 1]->group;
    envelope->body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY_SUMS;
    envelope->job_history_sums = body;
}

void page_reply_log_access(Creel__Envelope *reply)
{
    static Creel__LogAccess access = CREEL__LOG_ACCESS__INIT;
    static ProtobufCBinaryData token = { 5, (uint8_t *)(uintptr_t) "token" };

    access.tokens = &token;
    access.n_tokens = 1;
    reply->body_case = CREEL__ENVELOPE__BODY_LOG_ACCESS;
    reply->log_access = &access;
}
