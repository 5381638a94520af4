/* SPDX-License-Identifier: Apache-2.0 */
/* server_hosts.c - which hosts may register as nodes, and which may join */
#include <errno.h>
#include <string.h>

#include "common/io/wire/endpoint.h"
#include "rm/net/daemon.h"
#include "rm/net/server.h"

/* --- nodes that register --------------------------------------------------------- */

/* Returns true if PEER may be the node NODE_ID. A certificate for one agent names its host, and is valid
 * for the nodes of that host only. The shared certificate is valid for hosts without a certificate of
 * their own. */
static bool may_be(const struct port *port, const struct peer *peer, const char *node_id)
{
    char host[ENDPOINT_HOST_MAX];
    int number;

    if (endpoint_parse(node_id, -1, host, sizeof(host), &number, NULL) < 0)
        return false;
    if (strcmp(peer->principal, KEY_AGENT_SHARED) != 0)
        return strcmp(peer->principal, host) == 0;
    return !key_is_there(conf_text(port->daemon->confs.started, CONF_KEY_DIR), KEY_AGENT, host) &&
           !master_has_joined(port->daemon->master, host);
}

/* Returns the id of the node that REQUEST registers; NULL: it registers none. */
static const char *registering_node(const Creel__Envelope *request)
{
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_REGISTER_NODE:
        return request->register_node->node_id;
    case CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS:
        return request->register_containers->node_id;
    default:
        return NULL;
    }
}

bool server_refuse_node(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    const char *node_id = registering_node(request);
    struct err err = { 0 };

    if (port->channel != MASTER_AGENT || node_id == NULL || may_be(port, peer, node_id))
        return false;
    err_set(&err, EACCES,
            "node %s: its agent signed in with the certificate agents/%s, which is "
            "not that host's: give the agent a certificate of its host's name (creel keygen agent)",
            node_id, peer->principal);
    port->daemon->metrics.sign_in_failures++;
    log_line(LOG_LEVEL_WARN, "agent at %s: refused: %s", peer->address, err.text);
    gateway_pool_note_registration(port->daemon->gateways, peer, err.text);
    channel_server_refuse(port->server, peer->connection, request->request_id,
                          CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "%s", err.text);
    return true;
}

/* Returns the reason for which REPLY refuses a registration; NULL: it does not, the node is WAITING, or an
 * administrator has retired it. */
static const char *registration_fault(const Creel__Envelope *reply)
{
    const Creel__RegisterNodeReply *body;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        return reply->error->message;
    if (reply->body_case != CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY)
        return NULL;
    body = reply->register_node_reply;
    if (body->action == CREEL__NODE_ACTION__NODE_RESYNC) /* without a history: another version */
        return body->history == NULL ? body->diagnostics : NULL;
    return body->action == CREEL__NODE_ACTION__NODE_SHUTDOWN && !body->retired ? body->diagnostics : NULL;
}

void server_note_registration(const struct port *port, const struct peer *peer, const Creel__Envelope *reply)
{
    if (reply != NULL)
        gateway_pool_note_registration(port->daemon->gateways, peer, registration_fault(reply));
}

/* --- hosts that join ------------------------------------------------------------- */

bool server_refuse_join(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    const char *host;

    if (request->body_case == CREEL__ENVELOPE__BODY_GET_IDENTITY)
        return false;
    if (request->body_case != CREEL__ENVELOPE__BODY_JOIN_NODE) {
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                              "a join token is for creel setup node and creel setup client");
        return true;
    }
    host = request->join_node->host;
    if (!key_is_there(conf_text(port->daemon->confs.started, CONF_KEY_DIR), KEY_AGENT, host))
        return false;
    channel_server_refuse(port->server, peer->connection, request->request_id,
                          CREEL__ERROR_CODE__ERROR_BAD_STATE,
                          "%s has a certificate already, agents/%s: "
                          "use creel keygen agent --export %s",
                          host, host, host);
    return true;
}
