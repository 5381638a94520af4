/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.c - attempts of an application
 *
 * The model has no containers, so the handlers request the container of each application master from the
 * resource manager, for the user of the request. Members of an attempt that the user may not see are empty,
 * as in YARN.
 */
#include <string.h>

#include "common/base/text_builder.h"
#include "web/rest/apps/app_document.h"
#include "web/rest/apps/app_find.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"
#include "yarn/app.h"

/* --- containers of application masters -------------------------------------------- */

struct master {
    const char *container_id, *node_id, *user; /* in the arena of the exchange */
    Creel__ContainerState state;
    int64_t allocated_ms, finished_ms;
};

struct attempts { /* in the arena of the exchange */
    const char *app_id;
    uint32_t first, last;          /* numbers of the attempts that are shown */
    const struct master **masters; /* of these; NULL: there is none, or the user may not see it */
    exchange_reply_fn *then;
    uint32_t next; /* that is to be written */
};

static const struct master *master_of(const struct attempts *attempts, uint32_t number)
{
    return attempts->masters[number - attempts->first];
}

static const struct master *copy_master(struct arena *arena, const Creel__ContainerReport *container)
{
    struct master *master = arena_new0(arena, struct master);

    *master = (struct master){
        .container_id = arena_strdup(arena, container->container_id),
        .node_id = arena_strdup(arena, container->node_id),
        .user = arena_strdup(arena, container->user),
        .state = container->state,
        .allocated_ms = container->allocated_ms,
        .finished_ms = container->finished_ms,
    };
    return master;
}

static void handle_masters(struct exchange *exchange, void *context, const Creel__Envelope *reply);

/* Asks for COUNT containers behind AFTER. */
static void ask_behind(struct exchange *exchange, struct attempts *attempts, const char *after,
                       uint32_t count)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    body.app_id = (char *)(uintptr_t)attempts->app_id;
    body.after = (char *)(uintptr_t)after;
    body.limit = count;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(exchange, &query, handle_masters, attempts);
}

/* Asks for the first containers of attempt NUMBER and later ones. The container of an application master has
 * the lowest id of its attempt. */
static void ask_from(struct exchange *exchange, struct attempts *attempts, uint32_t number)
{
    struct container_id after = { .attempt.attempt = number };
    char text[ID_TEXT_MAX];

    app_id_parse(attempts->app_id, &after.attempt.app);
    ask_behind(exchange, attempts, container_id_format(&after, text), attempts->last - number + 1);
}

static void handle_masters(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__ContainerList *list =
        reply->body_case == CREEL__ENVELOPE__BODY_CONTAINER_LIST ? reply->container_list : NULL;
    struct attempts *attempts = context;
    struct container_id id = { .number = 0 };

    for (size_t i = 0; list != NULL && i < list->n_containers; i++) {
        const Creel__ContainerReport *container = list->containers[i];

        if (container_id_parse(container->container_id, &id) && container->master &&
            id.attempt.attempt >= attempts->first && id.attempt.attempt <= attempts->last)
            attempts->masters[id.attempt.attempt - attempts->first] =
                copy_master(exchange_arena(exchange), container);
    }
    if (list == NULL || *list->next == '\0' || id.attempt.attempt >= attempts->last)
        attempts->then(exchange, attempts, reply);
    else if (list->n_containers > 0)
        ask_from(exchange, attempts, id.attempt.attempt + 1);
    else
        ask_behind(exchange, attempts, list->next, attempts->last);
}

/* Calls THEN with the attempts FIRST to LAST of APP, and with the last reply of the resource manager. */
static void ask_masters(struct exchange *exchange, const Creel__AppReport *app, uint32_t first, uint32_t last,
                        exchange_reply_fn *then)
{
    struct arena *arena = exchange_arena(exchange);
    struct attempts *attempts = arena_new0(arena, struct attempts);

    *attempts = (struct attempts){
        .app_id = arena_strdup(arena, app->app_id),
        .first = first,
        .last = last,
        .masters = arena_array0(arena, last - first + 1, sizeof(*attempts->masters)),
        .then = then,
        .next = first,
    };
    ask_from(exchange, attempts, first);
}

/* --- attempts --------------------------------------------------------------------- */

static const char *state_of(const Creel__AppReport *app, uint32_t number, const struct master *master)
{
    return yarn_attempt_state(app->state, number >= app->attempt,
                              master != NULL ? master->state : CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN);
}

static const char *id_text(struct arena *arena, const Creel__AppReport *app, uint32_t number)
{
    struct attempt_id id = { .attempt = number };
    char text[ID_TEXT_MAX];

    app_id_parse(app->app_id, &id.app);
    return arena_strdup(arena, attempt_id_format(&id, text));
}

/* Returns the start time of an attempt. As in YARN, the first attempt starts when the application is
 * submitted, a later one when its container is allocated. */
static int64_t start_of(const Creel__AppReport *app, uint32_t number, const struct master *master)
{
    if (number == 1)
        return app->submitted_ms;
    return master != NULL ? master->allocated_ms : 0;
}

static int64_t end_of(const Creel__AppReport *app, uint32_t number, const struct master *master)
{
    if (number == app->attempt)
        return app->finished_ms;
    return master != NULL ? master->finished_ms : 0;
}

/* Returns the "host:port" of the interface of the node of MASTER; "": it has none, or is not known. */
static const char *http_address_of(const struct rest_app_writer *to, const struct master *master)
{
    const Creel__NodeReport *node = web_model_node(to->model, master->node_id);

    return node != NULL ? node->http_address : "";
}

static const char *joined(struct arena *arena, char **texts, size_t count)
{
    return text_builder_join(arena, (const char *const *)texts, count, ", ");
}

/* As in YARN, all attempts have the present list of nodes that first containers avoid.
 * Differs: YARN names hosts, creel nodes (rm/master/nodes/failed_nodes.h). */
static void add_attempt(const struct rest_app_writer *to, const Creel__AppReport *app, uint32_t number,
                        const struct master *master)
{
    struct document *document = to->document;

    document_begin(document, NULL);
    document_uint(document, "id", number);
    document_int(document, "startTime", start_of(app, number, master));
    document_int(document, "finishedTime", end_of(app, number, master));
    document_text(document, "containerId", master ? master->container_id : "");
    document_text(document, "nodeHttpAddress", master ? http_address_of(to, master) : "");
    document_text(document, "nodeId", master ? master->node_id : "");
    document_text(document, "logsLink",
                  master ? rest_log_url(to, master->container_id, master->node_id, master->user,
                                        master->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
                         : "");
    document_text(document, "blacklistedNodes",
                  number == app->attempt ? joined(to->arena, app->blacklisted, app->n_blacklisted) : "");
    document_text(document, "nodesBlacklistedBySystem",
                  joined(to->arena, app->avoided_nodes, app->n_avoided_nodes));
    document_text(document, "appAttemptId", id_text(to->arena, app, number));
    document_text(document, "exportPorts", "null");
    document_text(document, "appAttemptState", state_of(app, number, master));
    document_end(document);
}

static enum rest_more next_attempt(struct exchange *exchange, void *context, struct arena *arena,
                                   struct document *document)
{
    struct attempts *attempts = context;
    const Creel__AppReport *app = web_model_app(rest_model(exchange), attempts->app_id);
    struct rest_app_writer to;

    if (app == NULL)
        return REST_BROKEN;
    if (attempts->next > attempts->last) {
        document_end_list(document);
        return REST_END;
    }
    to = rest_app_writer_of(exchange);
    to.document = document;
    to.arena = arena;
    add_attempt(&to, app, attempts->next, master_of(attempts, attempts->next));
    attempts->next++;
    return REST_MORE;
}

static void send_attempts(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct attempts *attempts = context;
    struct document *document;

    (void)reply;
    if (rest_find_app(exchange) == NULL)
        return;
    document = rest_begin(exchange, "appAttempts", REST_NATURAL);
    if (document == NULL)
        return;
    document_begin_list(document, "appAttempt", attempts->last);
    rest_send_items(exchange, document, next_attempt, attempts);
}

void rest_attempts(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);

    if (app != NULL)
        ask_masters(exchange, app, 1, app->attempt, send_attempts);
}

static void send_attempt(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct attempts *attempts = context;
    const Creel__AppReport *app = rest_find_app(exchange);
    uint32_t number = attempts->first;
    const struct master *master = master_of(attempts, number);
    struct document *document;

    if (app == NULL)
        return;
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        rest_upstream_error(exchange, reply->error);
        return;
    }
    document = rest_begin(exchange, "appAttempt", REST_MAPPED);
    if (document == NULL)
        return;
    document_text(document, "appAttemptId", id_text(exchange_arena(exchange), app, number));
    document_text(document, "host", yarn_or_not_available(app->am_host));
    document_int(document, "rpcPort", -1);
    document_text(document, "trackingUrl", app->tracking_url);
    document_text(document, "originalTrackingUrl", yarn_or_not_available(app->tracking_url));
    document_text(document, "diagnosticsInfo", app->diagnostics);
    document_text(document, "appAttemptState", state_of(app, number, master));
    if (master != NULL)
        document_text(document, "amContainerId", master->container_id);
    document_int(document, "startedTime", start_of(app, number, master));
    document_int(document, "finishedTime", end_of(app, number, master));
    rest_send(exchange, 200, document);
}

void rest_attempt(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct attempt_id id;

    if (app != NULL && rest_find_attempt(exchange, app, &id))
        ask_masters(exchange, app, id.attempt, id.attempt, send_attempt);
}
