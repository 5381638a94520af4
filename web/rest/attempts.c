/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.c - attempts of an application, and their containers
 *
 * The model has no containers, so the handlers request them from the resource manager for the user of the
 * request. Members of an attempt that the user may not see are empty, as in YARN.
 */
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "web/rest/app_document.h"
#include "web/rest/app_find.h"
#include "web/rest/handlers.h"
#include "web/rest/parts.h"
#include "web/rest/reply.h"

#define CONTAINERS_MAX 10000 /* in one response */

static void ask_containers(struct exchange *exchange, const char *app_id, const char *container_id,
                           bool live_only, exchange_reply_fn *then, void *context)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    if (container_id != NULL)
        body.container_id = (char *)(uintptr_t)container_id;
    else
        body.app_id = (char *)(uintptr_t)app_id;
    body.limit = CONTAINERS_MAX;
    body.live_only = live_only;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(exchange, &query, then, context);
}

static bool is_of_attempt(const Creel__ContainerReport *container, uint32_t attempt)
{
    struct container_id id;

    return container_id_parse(container->container_id, &id) && id.attempt.attempt == attempt;
}

/* Returns the container of the application master of ATTEMPT; NULL: none, or the user may not see it. */
static const Creel__ContainerReport *master_of(const Creel__Envelope *reply, uint32_t attempt)
{
    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST)
        return NULL;
    for (size_t i = 0; i < reply->container_list->n_containers; i++) {
        const Creel__ContainerReport *container = reply->container_list->containers[i];

        if (container->master && is_of_attempt(container, attempt))
            return container;
    }
    return NULL;
}

/* Returns the attempt's state as YARN's RMAppAttemptState. */
static const char *state_of(const Creel__AppReport *app, uint32_t attempt,
                            const Creel__ContainerReport *master)
{
    if (attempt < app->attempt)
        return "FAILED";
    if (rest_app_is_over(app) || app->state == CREEL__APP_STATE__APP_RUNNING)
        return rest_app_state(app->state);
    if (master == NULL)
        return app->state == CREEL__APP_STATE__APP_ACCEPTED ? "SCHEDULED" : "NEW";
    return master->state >= CREEL__CONTAINER_STATE__CONTAINER_STARTING ? "LAUNCHED" : "ALLOCATED";
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
static int64_t start_of(const Creel__AppReport *app, uint32_t number, const Creel__ContainerReport *master)
{
    if (number == 1)
        return app->submitted_ms;
    return master != NULL ? master->allocated_ms : 0;
}

static int64_t end_of(const Creel__AppReport *app, uint32_t number, const Creel__ContainerReport *master)
{
    if (number == app->attempt)
        return app->finished_ms;
    return master != NULL ? master->finished_ms : 0;
}

/* Returns the "host:port" of the interface of the node of CONTAINER; "": it has none, or is not known. */
static const char *http_address_of(const struct rest_app_writer *to, const Creel__ContainerReport *container)
{
    const Creel__NodeReport *node = web_model_node(to->model, container->node_id);

    return node != NULL ? node->http_address : "";
}

static const char *joined(struct arena *arena, char **texts, size_t count)
{
    return text_builder_join(arena, (const char *const *)texts, count, ", ");
}

/* As in YARN, all attempts have the present list of nodes that first containers avoid.
 * Differs: YARN names hosts, creel nodes (rm/master/failed_nodes.h). */
static void add_attempt(const struct rest_app_writer *to, const Creel__AppReport *app, uint32_t number,
                        const Creel__ContainerReport *master)
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

static void send_attempts(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct rest_app_writer to;

    (void)context;
    if (app == NULL)
        return;
    to = rest_app_writer_of(exchange);
    to.document = rest_begin(exchange, "appAttempts", REST_NATURAL);
    if (to.document == NULL)
        return;
    document_begin_list(to.document, "appAttempt", app->attempt);
    for (uint32_t number = 1; number <= app->attempt; number++)
        add_attempt(&to, app, number, master_of(reply, number));
    document_end_list(to.document);
    rest_send(exchange, 200, to.document);
}

void rest_attempts(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);

    if (app != NULL)
        ask_containers(exchange, app->app_id, NULL, false, send_attempts, NULL);
}

static void send_attempt(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct attempt_id *id = context;
    const Creel__AppReport *app = rest_find_app(exchange);
    const Creel__ContainerReport *master = master_of(reply, id->attempt);
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
    document_text(document, "appAttemptId", id_text(exchange_arena(exchange), app, id->attempt));
    document_text(document, "host", *app->am_host != '\0' ? app->am_host : "N/A");
    document_int(document, "rpcPort", -1);
    document_text(document, "trackingUrl", app->tracking_url);
    document_text(document, "originalTrackingUrl", *app->tracking_url != '\0' ? app->tracking_url : "N/A");
    document_text(document, "diagnosticsInfo", app->diagnostics);
    document_text(document, "appAttemptState", state_of(app, id->attempt, master));
    if (master != NULL)
        document_text(document, "amContainerId", master->container_id);
    document_int(document, "startedTime", start_of(app, id->attempt, master));
    document_int(document, "finishedTime", end_of(app, id->attempt, master));
    rest_send(exchange, 200, document);
}

void rest_attempt(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct attempt_id *id = arena_new0(exchange_arena(exchange), struct attempt_id);

    if (app != NULL && rest_find_attempt(exchange, app, id))
        ask_containers(exchange, app->app_id, NULL, false, send_attempt, id);
}

/* --- containers ----------------------------------------------------------------- */

/* Returns the container's state as YARN's ContainerState. */
static const char *container_state(const Creel__ContainerReport *container)
{
    if (container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        return "COMPLETE";
    return container->state >= CREEL__CONTAINER_STATE__CONTAINER_RUNNING ? "RUNNING" : "NEW";
}

static int64_t elapsed_ms(const struct rest_app_writer *to, const Creel__ContainerReport *container)
{
    int64_t end_ms = container->finished_ms != 0 ? container->finished_ms : to->cluster->now_ms;

    return end_ms > container->allocated_ms ? end_ms - container->allocated_ms : 0;
}

static void container_members(const struct rest_app_writer *to, const Creel__ContainerReport *container)
{
    struct document *document = to->document;
    bool is_over = container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    const Creel__Resource *resource = container->resource;

    document_text(document, "containerId", container->container_id);
    document_int(document, "allocatedMB", rest_memory_mb(resource));
    document_int(document, "allocatedVCores", rest_vcores(resource));
    document_text(document, "assignedNodeId", container->node_id);
    document_uint(document, "priority", container->priority);
    document_int(document, "startedTime", container->allocated_ms);
    document_int(document, "finishedTime", container->finished_ms);
    document_int(document, "elapsedTime", elapsed_ms(to, container));
    if (*container->diagnostics != '\0')
        document_text(document, "diagnosticsInfo", container->diagnostics);
    document_text(document, "logUrl",
                  rest_log_url(to, container->container_id, container->node_id, container->user, is_over));
    document_int(document, "containerExitStatus", is_over ? container->exit_status : 0);
    document_text(document, "containerState", container_state(container));
    document_text(document, "nodeHttpAddress", rest_node_url(to, container->node_id));
    document_text(document, "nodeId", container->node_id);
    document_begin_map(document, "allocatedResources", 2);
    document_entry(document, "memory-mb", arena_printf(to->arena, "%" PRId64, rest_memory_mb(resource)));
    document_entry(document, "vcores", arena_printf(to->arena, "%" PRId64, rest_vcores(resource)));
    document_end_map(document);
    document_text(document, "exposedPorts", "");
}

static void send_containers(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct attempt_id *id = context;
    const Creel__ContainerReport **shown;
    struct rest_app_writer to;
    size_t count = 0;

    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST) {
        rest_upstream_error(exchange, reply->error);
        return;
    }
    shown = arena_array0(exchange_arena(exchange), reply->container_list->n_containers + 1, sizeof(*shown));
    for (size_t i = 0; i < reply->container_list->n_containers; i++)
        if (is_of_attempt(reply->container_list->containers[i], id->attempt))
            shown[count++] = reply->container_list->containers[i];
    to = rest_app_writer_of(exchange);
    to.document = rest_begin(exchange, "containers", REST_MAPPED);
    if (to.document == NULL)
        return;
    document_begin_list(to.document, "container", count);
    for (size_t i = 0; i < count; i++) {
        document_begin(to.document, NULL);
        container_members(&to, shown[i]);
        document_end(to.document);
    }
    document_end_list(to.document);
    rest_send(exchange, 200, to.document);
}

void rest_containers(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct attempt_id *id = arena_new0(exchange_arena(exchange), struct attempt_id);

    if (app != NULL && rest_find_attempt(exchange, app, id))
        ask_containers(exchange, app->app_id, NULL, true, send_containers, id);
}

static void send_container(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const char *container_id = context;
    struct rest_app_writer to;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
        reply->error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        rest_upstream_error(exchange, reply->error);
        return;
    }
    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST ||
        reply->container_list->n_containers == 0) {
        rest_not_found(exchange,
                       arena_printf(exchange_arena(exchange),
                                    "org.apache.hadoop.yarn.exceptions."
                                    "ContainerNotFoundException: Container with id '%s' doesn't exist in RM.",
                                    container_id));
        return;
    }
    to = rest_app_writer_of(exchange);
    to.document = rest_begin(exchange, "container", REST_MAPPED);
    if (to.document == NULL)
        return;
    container_members(&to, reply->container_list->containers[0]);
    rest_send(exchange, 200, to.document);
}

void rest_container(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct attempt_id id;
    const char *container_id;

    if (app == NULL || !rest_find_attempt(exchange, app, &id))
        return;
    container_id = rest_find_container(exchange, 2);
    if (container_id != NULL)
        ask_containers(exchange, NULL, container_id, false, send_container, (void *)(uintptr_t)container_id);
}
