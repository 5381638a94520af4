/* SPDX-License-Identifier: Apache-2.0 */
/*
 * methods_attempt.c - attempts of an application
 *
 * creel reports the present attempt with its application. Of each attempt, the first container is asked for:
 * it has the lowest id of its attempt, and may be forgotten.
 */
#include <string.h>

#include "hadoop/map/reports.h"
#include "hadoop/net/methods.h"

#define ATTEMPTS_FIELD 1 /* of Attempts, and the one of Attempt */

struct attempt_query {    /* in the arena of the exchange */
    struct attempt_id id; /* the attempt that is asked for at present */
    uint32_t first, last; /* that the answer has; 0: all */
    char app_id[ID_TEXT_MAX];
    const Creel__AppReport *app; /* a copy */
};

static void on_containers(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

/* Asks for the first container of the attempt. */
static void ask_master(struct hadoop_exchange *exchange, struct attempt_query *query)
{
    const struct container_id before = { .attempt = query->id, .number = 0 };
    Creel__Envelope ask = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    char after[ID_TEXT_MAX];

    body.app_id = query->app_id;
    body.after = hadoop_text(container_id_format(&before, after));
    body.limit = 1;
    ask.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    ask.list_containers = &body;
    exchange_ask(exchange, &ask, on_containers, query);
}

/* Finds the first container of the attempt in REPLY. */
static struct hadoop_master master_of(const struct attempt_query *query, const Creel__Envelope *reply)
{
    struct hadoop_master master = { .diagnostics = "" };
    const Creel__ContainerReport *container;
    struct container_id id;

    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST || reply->container_list->n_containers == 0)
        return master;
    container = reply->container_list->containers[0];
    if (!container_id_parse(container->container_id, &id) || id.attempt.attempt != query->id.attempt ||
        !container->master)
        return master;
    return (struct hadoop_master){
        .container_id = container->container_id,
        .diagnostics = container->diagnostics,
        .state = container->state,
        .allocated_ms = container->allocated_ms,
        .finished_ms = container->finished_ms,
    };
}

static void on_containers(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct attempt_query *query = context;
    struct hadoop_master master = master_of(query, reply);
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_CONTAINER_LIST);

    if (error != NULL && error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        methods_fail(exchange, error);
        return;
    }
    hadoop_bytes_add_element(
        exchange_body(exchange), ATTEMPTS_FIELD,
        &hadoop_attempt_report(exchange_arena(exchange), query->app, query->id.attempt, &master)->base);
    if (query->id.attempt >= query->last) {
        exchange_send(exchange);
        return;
    }
    query->id.attempt++;
    ask_master(exchange, query);
}

static void no_attempt(struct hadoop_exchange *exchange, const struct attempt_query *query)
{
    char text[ID_TEXT_MAX];

    methods_throw(exchange, YARN_EXCEPTION("ApplicationAttemptNotFoundException"),
                  arena_printf(exchange_arena(exchange),
                               "ApplicationAttempt with id '%s' doesn't exist in RM.",
                               attempt_id_format(&query->id, text)));
}

static void on_app(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_APP_LIST);
    struct attempt_query *query = context;

    if (error != NULL && error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        methods_fail(exchange, error);
        return;
    }
    if (error != NULL || reply->app_list->n_apps == 0) {
        methods_no_app(exchange, query->app_id);
        return;
    }
    query->app = exchange_keep(exchange, &reply->app_list->apps[0]->base);
    if (query->first == 0) {
        query->id.attempt = 1;
        query->last = query->app->attempt;
    }
    if (query->first > query->app->attempt)
        no_attempt(exchange, query);
    else if (query->last == 0) /* it has no attempt yet */
        exchange_send(exchange);
    else
        ask_master(exchange, query);
}

static void begin(struct hadoop_exchange *exchange, struct attempt_query *query)
{
    (void)app_id_format(&query->id.app, query->app_id);
    methods_ask_app(exchange, query->app_id, on_app, query);
}

void method_attempts(struct hadoop_exchange *exchange)
{
    const Hadoop__GetApp *message = exchange_message(exchange, &hadoop__get_app__descriptor);
    struct attempt_query *query;
    char text[ID_TEXT_MAX];

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct attempt_query);
    if (hadoop_app_id_text(message->app, text) && app_id_parse(text, &query->id.app))
        begin(exchange, query);
    else
        methods_no_app(exchange, "null");
}

void method_attempt(struct hadoop_exchange *exchange)
{
    const Hadoop__GetAttempt *message = exchange_message(exchange, &hadoop__get_attempt__descriptor);
    struct attempt_query *query;

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct attempt_query);
    if (!hadoop_attempt_id_read(message->attempt, &query->id)) {
        methods_no_app(exchange, "null");
        return;
    }
    query->first = query->last = query->id.attempt;
    begin(exchange, query);
}
