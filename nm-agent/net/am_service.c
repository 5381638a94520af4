/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_service.c - handles the requests on the agent's own port: application masters, log readers, users of
 * exec
 *
 * Users and AMs of running attempts may connect, as the RM decides (peer_keys.h). A request must carry a
 * token that the RM signed. This file checks the tokens, so that the core gets only authorized requests.
 */
#include <errno.h>

#include "common/base/mem.h"
#include "nm-agent/net/daemon.h"

/* Converts an error of token_open to the error code of the reply. A token may be signed with a key that is
 * newer than the last heartbeat: then the client must try again. */
static Creel__ErrorCode token_error(int code)
{
    switch (code) {
    case -EKEYEXPIRED:
        return CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    case -EBADMSG:
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    default:
        return CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    }
}

static int open_grant(const struct daemon *daemon, const ProtobufCBinaryData *token,
                      Creel__ContainerGrant **ret, struct err *err)
{
    ProtobufCMessage *message;
    int r = token_open(&daemon->ring, CREEL__TOKEN_KIND__TOKEN_CONTAINER, &creel__container_grant__descriptor,
                       token->data, token->len, &message, err);

    if (r == 0)
        *ret = (Creel__ContainerGrant *)message;
    return r;
}

static void free_grants(Creel__ContainerGrant **grants, size_t count)
{
    for (size_t i = 0; i < count; i++)
        creel__container_grant__free_unpacked(grants[i], NULL);
    free(grants);
}

static void on_start(struct daemon *daemon, const struct peer *peer, const Creel__Envelope *envelope)
{
    const Creel__StartContainers *body = envelope->start_containers;
    size_t count = body->n_containers;
    Creel__ContainerGrant **grants = mem_array0(count + 1, sizeof(*grants));
    struct agent_start_request *requests = mem_array0(count + 1, sizeof(*requests));
    char **texts = mem_array0(count + 1, sizeof(*texts));

    for (size_t i = 0; i < count; i++) {
        struct err err = { 0 };
        int r = open_grant(daemon, &body->containers[i]->token, &grants[i], &err);

        requests[i].launch = body->containers[i]->launch;
        if (r == 0) {
            requests[i].grant = grants[i];
            continue;
        }
        texts[i] = mem_strdup(err.text);
        requests[i].refusal = token_error(r);
        requests[i].refusal_text = texts[i];
    }
    agent_on_start(daemon->agent, daemon_now(), peer->connection, envelope->request_id, requests, count,
                   &daemon->effects);
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
    free(requests);
    free_grants(grants, count);
}

/* Handles StopContainers, all or nothing: if one token is refused, nothing is stopped. */
static void on_stop(struct daemon *daemon, const struct peer *peer, const Creel__Envelope *envelope)
{
    const Creel__StopContainers *body = envelope->stop_containers;
    Creel__ContainerGrant **grants = mem_array0(body->n_tokens + 1, sizeof(*grants));
    struct err err = { 0 };
    int r = 0;

    for (size_t i = 0; i < body->n_tokens && r == 0; i++)
        r = open_grant(daemon, &body->tokens[i], &grants[i], &err);
    if (r == 0)
        agent_on_stop(daemon->agent, daemon_now(), peer->connection, envelope->request_id,
                      (const Creel__ContainerGrant *const *)grants, body->n_tokens, &daemon->effects);
    else
        channel_server_refuse(daemon->server, peer->connection, envelope->request_id, token_error(r), "%s",
                              err.text);
    free_grants(grants, body->n_tokens);
}

static void on_message(void *context, const struct peer *peer, const Creel__Envelope *envelope)
{
    struct daemon *daemon = context;

    switch (envelope->body_case) {
    case CREEL__ENVELOPE__BODY_START_CONTAINERS:
        on_start(daemon, peer, envelope);
        return;
    case CREEL__ENVELOPE__BODY_STOP_CONTAINERS:
        on_stop(daemon, peer, envelope);
        return;
    case CREEL__ENVELOPE__BODY_READ_LOG:
        log_service_read(daemon, peer, envelope);
        return;
    case CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER:
    case CREEL__ENVELOPE__BODY_START_EXEC:
    case CREEL__ENVELOPE__BODY_WRITE_EXEC:
    case CREEL__ENVELOPE__BODY_READ_EXEC:
    case CREEL__ENVELOPE__BODY_END_EXEC:
        exec_service_receive(daemon->exec, peer, envelope);
        return;
    default:
        channel_server_refuse(daemon->server, peer->connection, envelope->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                              "%s is not for an agent: is this the resource manager's port?",
                              wire_body_name(envelope->body_case));
    }
}

static bool send_to_rm(void *context, Creel__Envelope *request)
{
    return rm_link_send(context, request);
}

static void on_lookup_done(void *context, const char *public_text)
{
    gateway_pool_lookup_done(((struct daemon *)context)->gateways, public_text);
}

int am_service_open(struct daemon *daemon, struct err *err)
{
    int r;

    daemon->peer_keys = peer_keys_new(daemon->loop, PEER_KEYS_REQUESTS, send_to_rm, on_lookup_done, daemon);
    gateway_pool_set_lookup(daemon->gateways, peer_keys_find, daemon->peer_keys);
    gateway_pool_set_owners(daemon->gateways, peer_keys_user, daemon->peer_keys);
    r = channel_server_new(daemon->gateways, daemon->settings.listen_address, ADMISSION_LOOKUP,
                           &daemon->own_key, on_message, daemon, &daemon->server, err);
    if (r < 0)
        err_prefix(err, "yarn.nodemanager.address");
    return r;
}
