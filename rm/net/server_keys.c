/* SPDX-License-Identifier: Apache-2.0 */
/* server_keys.c - whose a key is, and the requests of agents for that */
#include "common/base/id.h"
#include "common/base/mem.h"
#include "rm/net/daemon.h"
#include "rm/net/server.h"

/* Returns the user of an attempt or of an application; NULL: it has ended. */
static const char *user_of_id(void *context, const char *id)
{
    const struct daemon *daemon = context;
    struct attempt_id attempt;

    return attempt_id_parse(id, &attempt) ? master_attempt_user(daemon->master, id)
                                          : master_live_user(daemon->master, id);
}

/* Returns the user with a key, or of the attempt or application with it; NULL: the key is not known. */
static const char *user_of_key(struct daemon *daemon, const char *public_text)
{
    const char *id = derived_keys_find(daemon->credentials.attempt_keys, public_text);

    if (id == NULL)
        id = derived_keys_find(daemon->credentials.job_keys, public_text);
    return id != NULL ? user_of_id(daemon, id) : identity_user_of_key(&daemon->users, public_text);
}

static bool is_known(void *context, const char *public_text)
{
    return user_of_key(context, public_text) != NULL;
}

/* Notifies the agent at CONNECTION that a key is withdrawn. If the message is lost, the agent learns it from
 * the reply to its next FindKeys. */
static void notify_withdrawn(void *context, uint64_t connection, const char *public_text)
{
    struct daemon *daemon = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;
    char *keys[] = { (char *)(uintptr_t)public_text };

    body.withdrawn_keys = keys;
    body.n_withdrawn_keys = 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    envelope.find_keys_reply = &body;
    (void)channel_server_send(daemon->ports[MASTER_AGENT].server, connection, &envelope);
}

void server_find_keys(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__FindKeys *find = request->find_keys;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply reply = CREEL__FIND_KEYS_REPLY__INIT;
    scoped_free char **known = mem_array0(find->n_public_keys + 1, sizeof(*known));
    scoped_free char **users = mem_array0(find->n_public_keys + 1, sizeof(*users));

    for (size_t i = 0; i < find->n_public_keys; i++) {
        char *key = find->public_keys[i];
        const char *user = user_of_key(port->daemon, key);

        if (user == NULL)
            continue;
        users[reply.n_known_users++] = (char *)(uintptr_t)user;
        known[reply.n_known_keys++] = key;
        asked_keys_add(port->daemon->credentials.asked_keys, peer->connection, key, loop_monotonic_ms());
    }
    reply.known_keys = known;
    reply.known_users = users;
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    envelope.find_keys_reply = &reply;
    (void)channel_server_send(port->server, peer->connection, &envelope);
}

void server_open_keys(struct daemon *daemon)
{
    gateway_pool_set_owners(daemon->gateways, user_of_id, daemon);
    daemon->credentials.asked_keys = asked_keys_new(is_known, notify_withdrawn, daemon);
}
