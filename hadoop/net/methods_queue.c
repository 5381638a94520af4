/* SPDX-License-Identifier: Apache-2.0 */
/* methods_queue.c - queues, and the rights of the user of a call to them */
#include <string.h>
#include <uthash.h>

#include "hadoop/map/reports.h"
#include "hadoop/net/methods.h"
#include "hadoop/net/pages.h"

#define RIGHTS_FIELD 1 /* of AllQueueRights */

/* --- one queue, and those below it -------------------------------------------------------- */

struct queue_row {     /* in the arena of the exchange */
    UT_hash_handle hh; /* by path */
    const char *path;
    Hadoop__QueueInfo *info;
    size_t capacity; /* of its children */
};

struct queue_query { /* in the arena of the exchange */
    const Hadoop__GetQueue *message;
    const Creel__ClusterInfo *cluster;
    struct queue_row *top;  /* the queue that is asked for */
    struct queue_row *rows; /* it and those below it */
    size_t apps_capacity;
    const char *after;
};

static void send_queue(struct hadoop_exchange *exchange, const struct queue_query *query)
{
    Hadoop__Queue answer = HADOOP__QUEUE__INIT;

    answer.queue = query->top->info;
    exchange_send_message(exchange, &answer.base);
}

/* As from YARN, there is an empty answer if there is no such queue. */
static void no_queue(struct hadoop_exchange *exchange, void *context)
{
    (void)context;
    exchange_send(exchange);
}

/* Returns ARRAY of COUNT pointers with room for one more, in ARENA. */
static void *grown(struct arena *arena, void *array, size_t count, size_t *capacity)
{
    void *longer;

    if (count < *capacity)
        return array;
    *capacity = *capacity > 0 ? 2 * *capacity : 8;
    longer = arena_array0(arena, *capacity, sizeof(void *));
    if (count > 0)
        memcpy(longer, array, count * sizeof(void *));
    return longer;
}

static struct queue_row *add_row(struct hadoop_exchange *exchange, struct queue_query *query,
                                 const Creel__QueueReport *queue)
{
    struct queue_row *row = arena_new0(exchange_arena(exchange), struct queue_row);
    const Creel__QueueReport *copy = exchange_keep(exchange, &queue->base);

    row->path = copy->path;
    row->info = hadoop_queue_info(exchange_arena(exchange), query->cluster, copy);
    HASH_ADD_KEYPTR(hh, query->rows, row->path, strlen(row->path), row);
    return row;
}

/* --- its applications ------------------------------------------------------------------- */

static void on_apps(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask_apps(struct hadoop_exchange *exchange, struct queue_query *query)
{
    static Creel__AppState live[] = { CREEL__APP_STATE__APP_NEW, CREEL__APP_STATE__APP_NEW_SAVING,
                                      CREEL__APP_STATE__APP_SUBMITTED, CREEL__APP_STATE__APP_ACCEPTED,
                                      CREEL__APP_STATE__APP_RUNNING };
    Creel__Envelope ask = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    char *queues[1] = { hadoop_text(query->top->path) };

    body.states = live;
    body.n_states = sizeof(live) / sizeof(*live);
    body.queues = queues;
    body.n_queues = 1;
    body.after = hadoop_text(query->after);
    ask.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    ask.list_apps = &body;
    exchange_ask(exchange, &ask, on_apps, query);
}

static void on_apps(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_APP_LIST);
    struct arena *arena = exchange_arena(exchange);
    struct queue_query *query = context;
    Hadoop__QueueInfo *info = query->top->info;

    if (error != NULL) {
        methods_fail(exchange, error);
        return;
    }
    for (size_t i = 0; i < reply->app_list->n_apps; i++) {
        info->apps = grown(arena, info->apps, info->n_apps, &query->apps_capacity);
        info->apps[info->n_apps++] = hadoop_app_report(
            arena, query->cluster, exchange_keep(exchange, &reply->app_list->apps[i]->base));
    }
    if (*reply->app_list->next == '\0') {
        send_queue(exchange, query);
        return;
    }
    query->after = arena_strdup(arena, reply->app_list->next);
    ask_apps(exchange, query);
}

static void end_queues(struct hadoop_exchange *exchange, void *context)
{
    struct queue_query *query = context;

    if (query->top == NULL)
        exchange_send(exchange);
    else if (query->message->with_apps)
        ask_apps(exchange, query);
    else
        send_queue(exchange, query);
}

/* --- the tree --------------------------------------------------------------------------- */

static void set_top(struct hadoop_exchange *exchange, void *context, const Creel__QueueReport *queue)
{
    struct queue_query *query = context;

    if (query->top == NULL)
        query->top = add_row(exchange, query, queue);
}

/* Returns the row of the parent of PATH, if PATH is to be shown; else NULL. */
static struct queue_row *parent_of(const struct queue_query *query, const char *path)
{
    const char *dot = strrchr(path, '.');
    struct queue_row *row;

    if (dot == NULL)
        return NULL;
    HASH_FIND(hh, query->rows, path, (size_t)(dot - path), row);
    return row == query->top || query->message->recursive ? row : NULL;
}

static void add_child(struct hadoop_exchange *exchange, void *context, const Creel__QueueReport *queue)
{
    struct queue_query *query = context;
    struct queue_row *row, *parent = parent_of(query, queue->path);

    if (parent == NULL)
        return;
    row = add_row(exchange, query, queue);
    parent->info->children =
        grown(exchange_arena(exchange), parent->info->children, parent->info->n_children, &parent->capacity);
    parent->info->children[parent->info->n_children++] = row->info;
}

static void add_children(struct hadoop_exchange *exchange, void *context)
{
    struct queue_query *query = context;

    if (query->top != NULL && query->message->with_children)
        pages_queues(exchange, NULL, add_child, end_queues, end_queues, query);
    else
        end_queues(exchange, query);
}

static void forget_rows(void *context)
{
    struct queue_query *query = context;

    HASH_CLEAR(hh, query->rows); /* the rows themselves are in the arena */
}

static void on_cluster(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    struct queue_query *query = context;

    query->cluster = cluster;
    exchange_at_end(exchange, forget_rows, query);
    pages_queues(exchange, query->message->name, set_top, add_children, no_queue, query);
}

void method_queue(struct hadoop_exchange *exchange)
{
    const Hadoop__GetQueue *message = exchange_message(exchange, &hadoop__get_queue__descriptor);
    struct queue_query *query;

    if (message == NULL)
        return;
    if (message->name == NULL || *message->name == '\0') {
        no_queue(exchange, NULL);
        return;
    }
    query = arena_new0(exchange_arena(exchange), struct queue_query);
    query->message = message;
    query->after = "";
    methods_ask_cluster(exchange, on_cluster, query);
}

/* --- rights ------------------------------------------------------------------------------ */

struct rights_row { /* in the arena of the exchange */
    const char *path;
    struct rights_row *next;
};

struct rights_query {               /* in the arena of the exchange */
    struct rights_row *rows, *last; /* queues that are still to be asked for */
};

static void on_access(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask_access(struct hadoop_exchange *exchange, void *context)
{
    const struct rights_query *query = context;
    Creel__Envelope ask = CREEL__ENVELOPE__INIT;
    Creel__GetQueueAccess body = CREEL__GET_QUEUE_ACCESS__INIT;

    if (query->rows == NULL) {
        exchange_send(exchange);
        return;
    }
    body.queue = hadoop_text(query->rows->path);
    ask.body_case = CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS;
    ask.get_queue_access = &body;
    exchange_ask(exchange, &ask, on_access, context);
}

static void on_access(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_QUEUE_ACCESS);
    struct rights_query *query = context;
    Hadoop__QueueRights row = HADOOP__QUEUE_RIGHTS__INIT;
    Hadoop__QueueRight rights[2];

    if (error != NULL && error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        methods_fail(exchange, error);
        return;
    }
    if (error == NULL) { /* else it was removed meanwhile */
        row.name = hadoop_text(hadoop_queue_name(query->rows->path));
        row.rights = rights;
        if (reply->queue_access->may_submit)
            rights[row.n_rights++] = HADOOP__QUEUE_RIGHT__RIGHT_SUBMIT;
        if (reply->queue_access->may_administer || reply->queue_access->administers_cluster)
            rights[row.n_rights++] = HADOOP__QUEUE_RIGHT__RIGHT_ADMINISTER;
        hadoop_bytes_add_element(exchange_body(exchange), RIGHTS_FIELD, &row.base);
    }
    query->rows = query->rows->next;
    ask_access(exchange, query);
}

static void add_path(struct hadoop_exchange *exchange, void *context, const Creel__QueueReport *queue)
{
    struct rights_row *row = arena_new0(exchange_arena(exchange), struct rights_row);
    struct rights_query *query = context;

    row->path = arena_strdup(exchange_arena(exchange), queue->path);
    if (query->last != NULL)
        query->last->next = row;
    else
        query->rows = row;
    query->last = row;
}

void method_queue_rights(struct hadoop_exchange *exchange)
{
    struct rights_query *query = arena_new0(exchange_arena(exchange), struct rights_query);

    pages_queues(exchange, NULL, add_path, ask_access, ask_access, query);
}
