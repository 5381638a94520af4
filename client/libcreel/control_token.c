/* SPDX-License-Identifier: Apache-2.0 */
/* control_token.c - sends signals to containers, and gets the token that permits it */
#include "client/libcreel/control_token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/libcreel/request.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "common/proto/log_access.h"

int control_token(struct creel_client *client, const char *app_id, const char *node_id,
                  ProtobufCBinaryData *token, struct err *err)
{
    Creel__Envelope *reply;
    Creel__GetLogAccess get = CREEL__GET_LOG_ACCESS__INIT;
    char *node = (char *)(uintptr_t)node_id;
    const ProtobufCBinaryData *given;
    int r;

    get.app_id = (char *)(uintptr_t)app_id;
    get.control = true;
    get.nodes = &node;
    get.n_nodes = 1;
    r = request_reply(client, REQUEST(GET_LOG_ACCESS, &get), ANSWER(LOG_ACCESS), &reply, err);
    if (r < 0)
        return r;
    given = log_access_token(reply->log_access, 0);
    token->len = given->len;
    token->data = mem_dup(given->data, given->len);
    wire_free(reply);
    return 0;
}

int control_reachable(const struct creel_container *container, struct err *err)
{
    if (container->state == CREEL_CONTAINER_COMPLETE)
        return err_set(err, EBUSY, "container %s is over", container->id);
    if (!*container->node_address || !*container->node_key)
        return err_set(err, EHOSTUNREACH, "container %s: its node %s is not connected", container->id,
                       container->node_id);
    return 0;
}

static int ask_agent(struct creel_client *client, const struct creel_container *container,
                     Creel__Envelope *request, struct err *err)
{
    struct channel_client *channel;
    Creel__Envelope *reply = NULL;
    char who[300];
    int r = channel_client_new(NULL, container->node_address, container->node_key, &client->own, NULL, NULL,
                               &channel, err);

    if (r < 0)
        return r;
    snprintf(who, sizeof(who), "the agent of node %s", container->node_id);
    r = channel_client_call(channel, request, client->timeout_ms, &reply, err);
    if (r == -ETIMEDOUT) {
        err_prefix(err, "%s did not answer within %g s", who, (double)client->timeout_ms / 1000.0);
        r = -EHOSTUNREACH;
    }
    if (r == 0) {
        r = client_check_reply(who, reply, CREEL__ENVELOPE__BODY_OK, err);
        wire_free(reply);
    }
    channel_client_free(channel);
    return r;
}

CREEL_EXPORT
int creel_container_signal(struct creel_client *client, const struct creel_container *container,
                           int signal_number, enum creel_signal_scope scope, struct creel_error *error)
{
    static const Creel__SignalScope scopes[] = {
        [CREEL_SIGNAL_GROUP] = CREEL__SIGNAL_SCOPE__SIGNAL_GROUP,
        [CREEL_SIGNAL_MAIN] = CREEL__SIGNAL_SCOPE__SIGNAL_MAIN,
        [CREEL_SIGNAL_ALL] = CREEL__SIGNAL_SCOPE__SIGNAL_ALL,
        [CREEL_SIGNAL_OTHERS] = CREEL__SIGNAL_SCOPE__SIGNAL_OTHERS,
        [CREEL_SIGNAL_STEPS] = CREEL__SIGNAL_SCOPE__SIGNAL_STEPS,
    };
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SignalContainer body = CREEL__SIGNAL_CONTAINER__INIT;
    struct err err = { 0 };
    int r = control_reachable(container, &err);

    if (r == 0 && signal_number <= 0)
        r = err_set(&err, EINVAL, "%d is no signal", signal_number);
    if (r == 0)
        r = control_token(client, container->app_id, container->node_id, &request.token, &err);
    if (r == 0) {
        body.container_id = (char *)(uintptr_t)container->id;
        body.signal = (uint32_t)signal_number;
        body.scope = scopes[scope];
        request.body_case = CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER;
        request.signal_container = &body;
        r = ask_agent(client, container, &request, &err);
    }
    free(request.token.data);
    return client_set_error(error, &err, r);
}
