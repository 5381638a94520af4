/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_agent.c - requests of agents: register and heartbeat
 *
 * Messages may be lost, repeated and late. A session number identifies one registration. Heartbeats are
 * numbered within a session. If the number of a heartbeat is not higher than that of the last one, its
 * content is ignored. It still counts as a sign of life, and it is answered.
 */
#include <string.h>

#include "rm/master/state/app_logs.h"
#include "rm/master/orders/admin_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/nodes/avoid.h"
#include "rm/master/state/changes.h"
#include "rm/master/nodes/clock.h"
#include "rm/master/machines/container.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/events.h"
#include "rm/master/services/evict.h"
#include "rm/master/services/history.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/state/index.h"
#include "rm/master/nodes/labels.h"
#include "rm/master/state/measure.h"
#include "rm/master/machines/node.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/services/node_report.h"
#include "rm/master/orders/node_total.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/register_list.h"
#include "rm/master/requests.h"

#define TOKEN_KEYS_SENT 4

/* --- replies --------------------------------------------------------------- */

static size_t fill_keys(struct master *m, const struct node *node, Creel__TokenKey ***list)
{
    struct arena *arena = m->out->arena;
    Creel__TokenKey *keys = arena_array0(arena, TOKEN_KEYS_SENT, sizeof(*keys));
    size_t count;

    for (size_t i = 0; i < TOKEN_KEYS_SENT; i++)
        creel__token_key__init(&keys[i]);
    count = m->config.token_keys(m->config.context, arena, node->id, keys, TOKEN_KEYS_SENT);
    *list = arena_array0(arena, TOKEN_KEYS_SENT, sizeof(**list));
    for (size_t i = 0; i < count && i < TOKEN_KEYS_SENT; i++)
        (*list)[i] = &keys[i];
    return count < TOKEN_KEYS_SENT ? count : TOKEN_KEYS_SENT;
}

/* Replies to an agent that accepts none of this resource manager's versions of the protocol: it is to keep
 * its containers and to try again. */
static void reply_mismatch(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                           struct protocol_range protocol)
{
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    Creel__RegisterNodeReply *reply = rm_register_reply_new(m);
    char text[PROTOCOL_MISMATCH_MAX];

    protocol_range_explain(protocol, in->register_node->version, m->config.protocol, m->config.version, text);
    reply->action = CREEL__NODE_ACTION__NODE_RESYNC;
    reply->diagnostics = rm_message_text(m->out->arena, text);
    envelope->register_node_reply = reply;
    rm_reply_to(m, peer, envelope);
}

/* The reason for which a node may not register. TEXT NULL: it may. RETIRED: an administrator wants it so. */
struct refusal {
    const char *text;
    bool retired;
};

static const struct refusal accepted = { .text = NULL };

/* Replies to a registration. SEEN: the history that the agent sent; NULL: none. */
static void reply_register(struct master *m, const struct master_peer *peer, uint64_t request_id,
                           const struct node *node, const Creel__History *seen, struct refusal refusal)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    Creel__RegisterNodeReply *reply = rm_register_reply_new(m);

    reply->heartbeat_interval_ms = (uint32_t)m->config.heartbeat_interval_ms;
    reply->expiry_ms = (uint64_t)m->config.node_expiry_ms;
    reply->now_ms = m->now_ms;
    reply->history = rm_history(m);
    reply->accepted = rm_history_accepted(m, seen);
    if (refusal.text != NULL) {
        reply->action = CREEL__NODE_ACTION__NODE_SHUTDOWN;
        reply->diagnostics = rm_message_text(m->out->arena, refusal.text);
        reply->retired = refusal.retired;
    } else {
        reply->action = CREEL__NODE_ACTION__NODE_NORMAL;
        reply->session = node->session;
        reply->n_token_keys = fill_keys(m, node, &reply->token_keys);
    }
    envelope->register_node_reply = reply;
    rm_reply_to(m, peer, envelope);
}

static uint64_t safe_seq(const struct master *m, struct node *node)
{
    struct ack *ack;

    while ((ack = TAILQ_FIRST(&node->acks)) != NULL && ack->store_seq <= m->stored_seq) {
        TAILQ_REMOVE(&node->acks, ack, link);
        free(ack);
    }
    return ack ? ack->seq - 1 : node->seq;
}

/* Adds the present history to the reply if NODE has not received it yet. The agent keeps that history, and
 * sends it when it registers again. */
static void add_history(struct master *m, struct node *node, Creel__HeartbeatReply *reply)
{
    Creel__History *now = rm_history(m);

    if (now == NULL || now->commit == node->history_sent)
        return;
    reply->history = now;
    node->history_sent = now->commit;
}

static void reply_heartbeat(struct master *m, const struct master_peer *peer, uint64_t request_id,
                            struct node *node)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
    Creel__HeartbeatReply *reply = arena_new0(m->out->arena, Creel__HeartbeatReply);

    creel__heartbeat_reply__init(reply);
    reply->heartbeat_interval_ms = (uint32_t)m->config.heartbeat_interval_ms;
    reply->now_ms = m->now_ms;
    if (node) {
        reply->action = CREEL__NODE_ACTION__NODE_NORMAL;
        reply->acked_seq = safe_seq(m, node);
        reply->orders = rm_node_orders(m, node, true);
        reply->log_level = node->log_level_wanted;
        if (node->keys_due)
            reply->n_token_keys = fill_keys(m, node, &reply->token_keys);
        node->keys_sent = node->keys_due;
        if (node->ignored > 0)
            reply->diagnostics = arena_printf(
                m->out->arena,
                "%u containers of its reports are unknown, and ignored: stop orders for %u others are not "
                "carried out yet",
                node->ignored, HASH_COUNT(node->orphans) + HASH_COUNT(node->finished));
        node->ignored = 0;
        add_history(m, node, reply);
        node->grown_sent = resource_max(node->total, node->offered);
        if (node->push)
            TAILQ_REMOVE(&m->pushes, node, in_pushes);
        node->push = false; /* this reply has all orders */
    } else {
        reply->action = CREEL__NODE_ACTION__NODE_RESYNC;
        reply->diagnostics = rm_message_text(m->out->arena, "not known here: register again");
    }
    envelope->heartbeat_reply = reply;
    rm_reply_to(m, peer, envelope);
}

/* --- acknowledgements -------------------------------------------------------- */

/* A repeated report may depend on a row of an earlier heartbeat, so the acknowledgement waits for all rows so
 * far. */
static void remember_ack(struct master *m, struct node *node)
{
    struct ack *ack;

    if (m->stored_seq == m->store_seq)
        return;
    ack = mem_new0(struct ack);
    ack->seq = node->seq;
    ack->store_seq = m->store_seq;
    TAILQ_INSERT_TAIL(&node->acks, ack, link);
}

/* --- registering ----------------------------------------------------------- */

/* Returns true for a late message of a previous agent process: the later registration takes precedence. (Not
 * for a lost node: a reinstalled machine whose clock was set back may register again.) */
static bool is_past_incarnation(const struct node *node, uint64_t incarnation)
{
    return node->state != NODE_STATE_LOST && incarnation < node->incarnation;
}

/* Returns true for a late registration: a heartbeat that the agent sent later has arrived before it. Its list
 * lacks containers that were started since, which are not lost. The agent does not wait for its reply. */
static bool is_overtaken(const struct node *node, uint64_t incarnation, uint64_t request_id)
{
    return node->session != 0 && incarnation == node->incarnation && request_id < node->heartbeat_request;
}

static const char *refuse_retired(struct master *m, const struct node *node, const Creel__RegisterNode *body)
{
    struct arena *arena = m->out->arena;
    const char *why = rm_hosts_refusal(m, body->node_id, body->address, NULL);

    if (node && node->admin.state == ADMIN_DECOMMISSIONED)
        return node->admin.by_file
                   ? arena_printf(arena, "node %s: was decommissioned: it %s", node->id, node->admin.reason)
                   : arena_printf(arena, "node %s: %s (creel node recommission %s returns it to service)",
                                  node->id, rm_format_admin_state(m, node), node->id);
    /* A node being decommissioned may register until it is empty. */
    if (why == NULL || (node && node->admin.state == ADMIN_DECOMMISSIONING))
        return NULL;
    return arena_printf(arena, "node %s: %s", body->node_id, why);
}

/* A maximum of 0 is no limit. */
static bool is_above(const struct resource *total, const struct resource *maximum, int type)
{
    int64_t limit = maximum->value[type];

    return total->value[type] > (limit > 0 ? limit : INT32_MAX);
}

/* A certificate of one host is worth as many nodes as nodes_per_certificate: nodes of that host, which
 * are neighbours in the order of ids. Silent nodes (liveness.h) do not count. Returns the reason of a
 * refusal; NULL: NODE_ID may register. The agent tries again, so that an agent whose port was changed is
 * a new node when its old one is silent. */
static const char *refuse_further_node(struct master *m, const struct master_peer *peer, const char *node_id)
{
    struct arena *arena = m->out->arena;
    const char *prefix = arena_printf(arena, "%s:", peer->principal);
    const struct node first = { .id = (char *)(uintptr_t)prefix };
    const struct node *other = NULL;
    struct node *node;
    uint32_t count = 0;

    if (m->config.nodes_per_certificate == 0 || strncmp(node_id, prefix, strlen(prefix)) != 0)
        return NULL; /* the shared certificate */
    for (node = RB_NFIND(rm_node_tree, &m->nodes, (struct node *)(uintptr_t)&first);
         node != NULL && strncmp(node->id, prefix, strlen(prefix)) == 0;
         node = RB_NEXT(rm_node_tree, &m->nodes, node)) {
        if (strcmp(node->id, node_id) == 0 || node->sched == NULL || node->silent)
            continue;
        other = node;
        count++;
    }
    if (count < m->config.nodes_per_certificate)
        return NULL;
    return arena_printf(
        arena,
        "node %s: the certificate agents/%s is in use by node %s, and is for %u node%s at a time: "
        "stop that agent, or raise creel.resourcemanager.nodes-per-certificate",
        node_id, peer->principal, other->id, m->config.nodes_per_certificate,
        m->config.nodes_per_certificate == 1 ? "" : "s");
}

/* Returns the reason for which a node cannot have the id of BODY; NULL: it can. */
static const char *refuse_identity(struct master *m, const struct master_peer *peer, const struct node *node,
                                   const Creel__RegisterNode *body)
{
    if (rm_text_is_empty(body->node_id) || strlen(body->node_id) > 255)
        return "a node needs an id of 1 to 255 bytes";
    if (!rm_text_is_empty(body->rack) && !text_is_rack(body->rack))
        return arena_printf(m->out->arena,
                            "node %s: \"%s\" is not a rack: expected \"/\" and letters, digits, _ . -, as "
                            "\"/default-rack\" or \"/dc1/r1\": correct creel.nodemanager.rack on that host",
                            body->node_id, body->rack);
    if (node && node->state != NODE_STATE_LOST && node->principal &&
        strcmp(node->principal, peer->principal) != 0)
        return arena_printf(m->out->arena,
                            "node %s: is registered by agent %s already; give "
                            "each agent a node id of its own",
                            body->node_id, node->principal);
    return NULL;
}

static const char *refuse_amounts(struct master *m, const Creel__RegisterNode *body)
{
    struct resource total = rm_resource_from(m, body->total);
    struct resource needed =
        resource_of(m->minimum.value[RESOURCE_MEMORY_MB], m->minimum.value[RESOURCE_VCORES]);
    char has[RESOURCE_TYPES_TEXT_MAX], least[RESOURCE_TYPES_TEXT_MAX];

    /* A node may have none of the further resource types, whatever the minimum allocation is. */
    if (!resource_fits(&needed, &total))
        return arena_printf(m->out->arena,
                            "node %s: offers %s, less than the minimum allocation "
                            "%s: raise yarn.nodemanager.resource.memory-mb and .cpu-vcores on that host, or "
                            "lower yarn.scheduler.minimum-allocation-mb and -vcores",
                            body->node_id, resource_types_format(&m->types, &total, has),
                            resource_types_format(&m->types, &needed, least));
    if (is_above(&total, &m->config.node_maximum, RESOURCE_MEMORY_MB) ||
        is_above(&total, &m->config.node_maximum, RESOURCE_VCORES))
        return arena_printf(m->out->arena,
                            "node %s: offers %s, more than a node of this cluster may have (%s): correct "
                            "yarn.nodemanager.resource.memory-mb and .cpu-vcores on that host, or raise "
                            "creel.resourcemanager.node-maximum-mb and -vcores",
                            body->node_id, resource_types_format(&m->types, &total, has),
                            resource_types_format(&m->types, &m->config.node_maximum, least));
    return NULL;
}

/* A node that an administrator has retired is refused as retired, whatever its amounts are. */
static struct refusal judge_node(struct master *m, const struct master_peer *peer, const struct node *node,
                                 const Creel__RegisterNode *body)
{
    const char *text = refuse_identity(m, peer, node, body);

    if (text != NULL)
        return (struct refusal){ text, .retired = false };
    text = refuse_retired(m, node, body);
    if (text != NULL)
        return (struct refusal){ text, .retired = true };
    return (struct refusal){ refuse_amounts(m, body), .retired = false };
}

static void update_node(struct master *m, struct node *node, const struct master_peer *peer,
                        const Creel__Envelope *in)
{
    const Creel__RegisterNode *body = in->register_node;

    node->incarnation = body->incarnation;
    node->register_request = in->request_id;
    node->heartbeat_request = 0;
    node->connection = peer->connection;
    node->session = ((uint64_t)m->epoch + 1) << 32 | ++m->last_session;
    node->seq = 0;
    rm_contacts_heard(m, node);
    node->offered = node->grown = node->grown_sent = rm_resource_from(m, body->total);
    rm_node_total_resize(m, node);
    rm_text_set(&node->principal, peer->principal);
    rm_node_take_registration(node, body);
    rm_text_set(&node->own_label, body->label);
    rm_node_update_label(m, node);
    rm_text_set(&node->health_report, NULL);
    node->faulty.crashes = body->crashes;
    rm_node_faults_update(m, node);
    rm_node_forget_history(node);
    node->history_sent = 0;
}

struct listed { /* set of the ids in the message */
    UT_hash_handle hh;
    const char *id;
};

static struct listed *list_ids(struct arena *arena, Creel__ContainerStatus **statuses, size_t count)
{
    struct listed *all = NULL, *entry;

    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(all, statuses[i]->container_id, entry);
        if (entry)
            continue;
        entry = arena_new0(arena, struct listed);
        entry->id = statuses[i]->container_id;
        HASH_ADD_KEYPTR(hh, all, entry->id, strlen(entry->id), entry);
    }
    return all;
}

/* Handles the containers that the agent does not list: an agent lists all of its containers. A container that
 * was reported before and is missing is lost. A container that was never reported may yet be started, and a
 * stop order is repeated until the agent reports the end. */
static void settle_unlisted(struct master *m, struct node *node, struct listed *listed, bool agent_restarted)
{
    const char **ids = arena_array0(m->out->arena, node->container_count, sizeof(*ids));
    struct container *container;
    struct listed *entry;
    size_t count = 0;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        HASH_FIND_STR(listed, container->text, entry);
        if (entry == NULL)
            ids[count++] = arena_strdup(m->out->arena, container->text);
    }
    for (size_t i = 0; i < count; i++) {
        container = rm_container_find(m, ids[i]);
        if (container == NULL || container->state == CONTAINER_COMPLETED)
            continue; /* the loss of another one, the first of its attempt, has ended it */
        if (container->seen) {
            rm_container_lost(m, container, agent_restarted ? CONTAINER_EXIT_LOST : CONTAINER_EXIT_ABORTED,
                              agent_restarted ? "its agent was restarted and does not have it any more"
                                              : "its agent does not have it any more");
            rm_events_run(m);
        } else {
            rm_container_unseen(m, container);
        }
    }
}

static void forget_unlisted_orphans(struct master *m, struct node *node, struct listed *listed)
{
    struct orphan *orphan, *next;
    struct listed *entry;

    HASH_ITER(hh, node->orphans, orphan, next) {
        HASH_FIND_STR(listed, orphan->container_id, entry);
        if (entry == NULL && !orphan->unseen)
            rm_node_orphan_gone(m, node, orphan->container_id);
    }
}

static void register_node(struct master *m, const struct master_peer *peer, struct node *node,
                          const Creel__Envelope *in)
{
    const Creel__RegisterNode *body = in->register_node;
    struct listed *listed = list_ids(m->out->arena, body->containers, body->n_containers);
    bool restarted = node->incarnation != body->incarnation;

    rm_node_forget_acks(node);
    update_node(m, node, peer, in);
    rm_node_event(m, node, NODE_EVENT_REGISTER);
    rm_hosts_watch(m, node);
    reply_register(m, peer, in->request_id, node, body->history, accepted);
    rm_node_report_containers(m, node, body->containers, body->n_containers);
    settle_unlisted(m, node, listed, restarted);
    forget_unlisted_orphans(m, node, listed);
    rm_node_resend(m, node);
    rm_node_update_open(m, node);
    rm_node_total_update(m, node);
    rm_evict_check(m, node);
    rm_node_mark_for_check(m, node);
    HASH_CLEAR(hh, listed);
}

void rm_on_register_node(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    struct node *node = rm_node_find(m, in->register_node->node_id);
    const Creel__RegisterNode *body;
    struct protocol_range protocol;
    struct refusal refusal;

    in = rm_register_list_complete(m, peer, in);
    if (in == NULL)
        return;
    body = in->register_node;
    protocol = (struct protocol_range){ body->protocol_oldest, body->protocol_newest };
    if (!protocol_ranges_meet(protocol, m->config.protocol)) {
        reply_mismatch(m, peer, in, protocol);
        return;
    }
    if (rm_history_waits(m, peer, in, node))
        return;
    refusal = judge_node(m, peer, node, body);
    if (refusal.text != NULL) {
        reply_register(m, peer, in->request_id, node, body->history, refusal);
        return;
    }
    refusal.text = refuse_further_node(m, peer, body->node_id);
    if (refusal.text != NULL) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "%s", refusal.text);
        return;
    }
    if (node && is_past_incarnation(node, body->incarnation))
        return; /* a late message of a previous agent process */
    if (node && is_overtaken(node, body->incarnation, in->request_id))
        return;
    if (node && node->session != 0 && node->incarnation == body->incarnation &&
        in->request_id <= node->register_request) {
        node->connection = peer->connection;
        /* a repeated or late registration */
        reply_register(m, peer, in->request_id, node, body->history, accepted);
        return;
    }
    if (node == NULL)
        node = rm_node_new(m, body->node_id);
    register_node(m, peer, node, in);
}

/* Applies the total of the last heartbeat reply. This heartbeat shows that the agent has received that reply,
 * and accepts containers up to that total. */
static void apply_grown(struct master *m, struct node *node)
{
    if (resource_equal(&node->grown, &node->grown_sent))
        return;
    node->grown = node->grown_sent;
    rm_node_total_update(m, node);
}

static void reply_retired(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          const struct node *node)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
    Creel__HeartbeatReply *reply = arena_new0(m->out->arena, Creel__HeartbeatReply);

    creel__heartbeat_reply__init(reply);
    reply->action = CREEL__NODE_ACTION__NODE_SHUTDOWN;
    reply->diagnostics = arena_printf(m->out->arena, "node %s %s", node->id, rm_format_admin_state(m, node));
    envelope->heartbeat_reply = reply;
    rm_reply_to(m, peer, envelope);
}

/* --- heartbeats ------------------------------------------------------------ */

/* Sets the health of NODE. If the agent reports the node as unhealthy, its report takes precedence over the
 * reason for which the node is avoided (avoid.h). */
static void update_health(struct master *m, struct node *node, const Creel__Heartbeat *body)
{
    const char *avoided = rm_avoid_reason(m, node);
    const char *report = avoided && !body->unhealthy ? avoided : body->health_report;

    if (rm_text_set_brief(&node->health_report, report))
        rm_changes_node(m, node);
    rm_node_event(m, node, body->unhealthy || avoided ? NODE_EVENT_UNHEALTHY : NODE_EVENT_HEALTHY);
    rm_node_faults_update(m, node);
}

void rm_on_heartbeat(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__Heartbeat *body = in->heartbeat;
    struct node *node = rm_node_find(m, body->node_id);

    if (node && node->admin.state == ADMIN_DECOMMISSIONED && text_equal(node->principal, peer->principal)) {
        reply_retired(m, peer, in->request_id, node);
        return;
    }
    if (node == NULL || node->session == 0 || body->session != node->session ||
        !text_equal(node->principal, peer->principal)) {
        reply_heartbeat(m, peer, in->request_id, NULL);
        return;
    }
    if (body->seq > node->seq)
        rm_measure_heartbeat(m, node);
    rm_contacts_heard(m, node);
    node->connection = peer->connection;
    if (in->request_id > node->heartbeat_request)
        node->heartbeat_request = in->request_id;
    if (body->seq > node->seq) {
        node->seq = body->seq;
        node->used_memory_bytes = body->used_memory_bytes;
        node->node_memory_bytes = body->node_memory_bytes;
        node->cpu_millicores = body->cpu_millicores;
        node->node_cpu_millicores = body->node_cpu_millicores;
        node->log_level = body->log_level;
        node->certificate_expires_ms = body->certificate_expires_ms;
        node->faulty.crashes = body->crashes;
        if (node->log_level == node->log_level_wanted)
            node->log_level_wanted = CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
        m->counters.heartbeats++;
        rm_clock_update(m, node, body);
        if (node->keys_sent) /* this heartbeat shows that the agent has received the last reply */
            node->keys_due = node->keys_sent = false;
        apply_grown(m, node);
        rm_node_report_figures(m, node, body->figures, body->n_figures);
        rm_node_report_containers(m, node, body->containers, body->n_containers);
        for (size_t i = 0; i < body->n_finished_apps; i++)
            rm_node_app_cleaned(m, node, body->finished_apps[i]);
        rm_app_logs_take(m, node, body->log_reports, body->n_log_reports);
        update_health(m, node, body);
        rm_hosts_watch(m, node);
        rm_queues_on_heartbeat(m, node->sched);
        remember_ack(m, node);
    }
    reply_heartbeat(m, peer, in->request_id, node);
}
