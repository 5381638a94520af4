/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal.c - /containers/CONTAINER/signal/COMMAND: signal the processes of a container
 *
 * The resource manager gives the user of the request a token for the container's agent if the user may
 * control the application. Differs: YARN lets every user signal every container.
 */
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "common/base/id.h"
#include "common/proto/log_access.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"
#include "web/rest/write/write.h"

struct signalling {
    const char *container_id;
    uint32_t signal;
    const char *address, *key; /* address and public key of the agent */
};

/* The values of YARN's SignalContainerCommand. */
static const struct {
    const char *name;
    uint32_t signal;
} commands[] = {
    { "OUTPUT_THREAD_DUMP", SIGQUIT },
    { "GRACEFUL_SHUTDOWN", SIGTERM },
    { "FORCEFUL_SHUTDOWN", SIGKILL },
};

/* Returns the signal of the command in the path; 0 after answering 400. */
static uint32_t find_signal(struct exchange *exchange)
{
    const char *command = exchange_capture(exchange, 1);

    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (strcasecmp(command, commands[i].name) == 0)
            return commands[i].signal;
    rest_send_text(exchange, 400,
                   arena_printf(exchange_arena(exchange),
                                "Invalid command: %s, valid "
                                "commands "
                                "are: [OUTPUT_THREAD_DUMP, GRACEFUL_SHUTDOWN, FORCEFUL_SHUTDOWN]",
                                command));
    return 0;
}

static void refuse_absent(struct exchange *exchange, const char *container_id)
{
    rest_send_text(
        exchange, 404,
        arena_printf(exchange_arena(exchange), "Trying to signal an absent container %s", container_id));
}

static void signalled(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct signalling *signalling = context;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
        reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND)
        refuse_absent(exchange, signalling->container_id);
    else if (!rest_write_failed(exchange, reply, NULL))
        rest_send_text(exchange, 200, "");
}

static void handle_access(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct signalling *signalling = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__SignalContainer body = CREEL__SIGNAL_CONTAINER__INIT;

    if (rest_write_failed(exchange, reply, NULL))
        return;
    if (reply->body_case != CREEL__ENVELOPE__BODY_LOG_ACCESS ||
        log_access_token(reply->log_access, 0)->len == 0) {
        exchange_refuse(exchange, 502, "the reply of the resource manager was not the expected one");
        return;
    }
    body.container_id = (char *)(uintptr_t)signalling->container_id;
    body.signal = signalling->signal;
    body.scope = CREEL__SIGNAL_SCOPE__SIGNAL_GROUP;
    query.token = *log_access_token(reply->log_access, 0);
    query.body_case = CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER;
    query.signal_container = &body;
    exchange_ask_agent(exchange, signalling->address, signalling->key, &query, signalled, context);
}

static void handle_container(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct signalling *signalling = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetLogAccess body = CREEL__GET_LOG_ACCESS__INIT;
    const Creel__ContainerReport *container = NULL;

    if (reply->body_case == CREEL__ENVELOPE__BODY_CONTAINER_LIST && reply->container_list->n_containers > 0)
        container = reply->container_list->containers[0];
    else if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
             reply->error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        rest_upstream_error(exchange, reply->error);
        return;
    }
    if (container == NULL || *container->node_address == '\0' ||
        container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        refuse_absent(exchange, signalling->container_id);
        return;
    }
    signalling->address = arena_strdup(exchange_arena(exchange), container->node_address);
    signalling->key = arena_strdup(exchange_arena(exchange), container->agent_key);
    body.app_id = container->app_id;
    body.control = true;
    body.nodes = (char **)(uintptr_t)&container->node_id;
    body.n_nodes = 1;
    query.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    query.get_log_access = &body;
    exchange_ask(exchange, &query, handle_access, signalling);
}

void rest_signal(struct exchange *exchange)
{
    struct signalling *signalling = arena_new0(exchange_arena(exchange), struct signalling);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    struct container_id parsed;

    if (!rest_may_write(exchange))
        return;
    signalling->container_id = exchange_capture(exchange, 0);
    if (!container_id_parse(signalling->container_id, &parsed)) {
        rest_illegal_argument(exchange, arena_printf(exchange_arena(exchange), "Invalid ContainerId: %s",
                                                     signalling->container_id));
        return;
    }
    signalling->signal = find_signal(exchange);
    if (signalling->signal == 0)
        return;
    body.container_id = (char *)(uintptr_t)signalling->container_id;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(exchange, &query, handle_container, signalling);
}
