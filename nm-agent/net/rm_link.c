/* SPDX-License-Identifier: Apache-2.0 */
/* rm_link.c - the connection to the RM: passes messages to the core, the fetcher or peer_keys.c */
#include "nm-agent/net/daemon.h"

#define AWAY_NOTE_MS 1500

/* Handles a reply about keys (peer_keys.h), and closes the connections of withdrawn keys. */
static void on_keys(struct daemon *daemon, const Creel__Envelope *envelope)
{
    const Creel__FindKeysReply *body = envelope->find_keys_reply;

    peer_keys_receive(daemon->peer_keys, envelope);
    if (envelope->body_case != CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY || envelope->request_id != 0)
        return;
    for (size_t i = 0; i < body->n_withdrawn_keys; i++)
        gateway_pool_judge_key(daemon->gateways, body->withdrawn_keys[i]);
}

/* Heartbeats are resent with the same request id: the time counts from the first sending. */
static void note_heartbeat(struct daemon *daemon, const Creel__Envelope *envelope)
{
    if (envelope->body_case != CREEL__ENVELOPE__BODY_HEARTBEAT ||
        envelope->request_id == daemon->heartbeat_id)
        return;
    daemon->heartbeat_id = envelope->request_id;
    daemon->heartbeat_sent_us = loop_monotonic_us();
}

static void note_heartbeat_reply(struct daemon *daemon, const Creel__Envelope *envelope)
{
    if (envelope->body_case != CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY ||
        envelope->request_id != daemon->heartbeat_id)
        return;
    daemon->heartbeat_rtt_us = loop_monotonic_us() - daemon->heartbeat_sent_us;
    daemon->heartbeat_id = 0; /* a second reply to it does not count */
}

static void on_message(void *context, const Creel__Envelope *envelope)
{
    struct daemon *daemon = context;

    note_heartbeat_reply(daemon, envelope);
    if (envelope->request_id >= PEER_KEYS_REQUESTS ||
        envelope->body_case == CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY)
        on_keys(daemon, envelope);
    else if (envelope->request_id >= FETCH_REQUESTS)
        fetcher_receive(daemon->fetcher, envelope);
    else
        agent_on_message(daemon->agent, daemon_now(), envelope, &daemon->effects);
}

int rm_link_open(struct daemon *daemon, struct err *err)
{
    int r = channel_client_new(daemon->loop, daemon->settings.rm_agent_address, daemon->rm_key.public_text,
                               &daemon->own_key, on_message, daemon, &daemon->rm, err);

    if (r < 0)
        return r;
    channel_client_name_peer(daemon->rm, "creel-rm", "yarn.resourcemanager.resource-tracker.address");
    return 0;
}

/* Logs what it may mean that the resource manager refuses the key of an agent that has containers. */
static void note_refused(struct daemon *daemon)
{
    size_t live = agent_summarise(daemon->agent).live;

    if (live == 0 || daemon->refusal_noted || !channel_client_is_refused(daemon->rm))
        return;
    daemon->refusal_noted = true;
    log_line(
        LOG_LEVEL_WARN,
        "creel-rm does not know the key of this node, which has %zu container%s: was its state lost? On its "
        "host: creel admin state restore FILE; or install -d -m 755 agents in its key directory, copy "
        "%s/agents/%s of this node into it, then creel admin state accept. Containers continue until then",
        live, live == 1 ? "" : "s", conf_text(daemon->conf, CONF_KEY_DIR), daemon->settings.host);
}

/* Logs the loss of the RM, after a delay: a connection takes a moment, also after a restart of the RM. */
static void note_away(struct daemon *daemon)
{
    struct err err = { 0 };

    if (daemon->away_since_ms == 0)
        daemon->away_since_ms = loop_monotonic_ms();
    if (daemon->rm_away || loop_monotonic_ms() - daemon->away_since_ms < AWAY_NOTE_MS ||
        channel_client_state(daemon->rm, &err) == 0)
        return;
    daemon->rm_away = true;
    log_line(LOG_LEVEL_WARN, "%s (tried again until it answers)", err.text);
}

bool rm_link_send(struct daemon *daemon, Creel__Envelope *envelope)
{
    if (!channel_client_send(daemon->rm, envelope)) {
        note_away(daemon);
        note_refused(daemon);
        return false;
    }
    note_heartbeat(daemon, envelope);
    if (daemon->rm_away)
        log_line(LOG_LEVEL_INFO, "%s: connected to the resource manager", daemon->settings.rm_agent_address);
    daemon->rm_away = daemon->refusal_noted = false;
    daemon->away_since_ms = 0;
    return true;
}
