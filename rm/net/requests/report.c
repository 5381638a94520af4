/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - writes the log lines of the resource manager */
#include "rm/net/requests/report.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/log.h"
#include "common/proto/event_kind.h"

#define NODE_LIMITS 64 /* a node has one of these limits, by the hash of its id */

struct report {
    struct log_limit ills[NODE_LIMITS], recoveries[NODE_LIMITS]; /* lines about the health of nodes */
    struct log_limit ignored;
    struct audit audit;
};

struct report *report_new(void)
{
    return mem_new0(struct report);
}

void report_free(struct report *report)
{
    if (report == NULL)
        return;
    audit_done(&report->audit);
    free(report);
}

/* --- events ----------------------------------------------------------------- */

static void log_app(const Creel__Event *event)
{
    struct log_about about = { .app_id = event->app_id };
    const char *name = event_name(event->kind);

    if (event->kind == CREEL__EVENT_KIND__EVENT_APP_SUBMITTED)
        log_about(&about, LOG_LEVEL_INFO, "%s: submitted by %s to queue %s: %s", event->app_id, event->user,
                  event->queue, event->text);
    else if (event_is_end_of_app(event->kind))
        log_about(&about, LOG_LEVEL_INFO, "%s: %s: result %s, exit status %d%s%s", event->app_id, name,
                  value_name(&creel__final_status__descriptor, (int)event->final_status),
                  (int)event->exit_status, *event->text != '\0' ? ": " : "", event->text);
    else
        log_about(&about, LOG_LEVEL_DEBUG, "%s: %s%s%s", event->app_id, name,
                  *event->text != '\0' ? ": " : "", event->text);
}

static struct log_limit *limit_of(struct log_limit *limits, const char *node_id)
{
    return &limits[text_hash(node_id) % NODE_LIMITS];
}

#define HEALTH_TEXT_MAX 1000 /* bytes of a health report that are logged */

static void log_node(struct report *report, const Creel__Event *event)
{
    struct log_about about = { .node = event->node_id };
    char more[LOG_MORE_MAX];

    switch (event->kind) {
    case CREEL__EVENT_KIND__EVENT_NODE_REGISTERED: /* answer_register_node logs also later ones */
        break;
    case CREEL__EVENT_KIND__EVENT_NODE_LOST:
        log_about(&about, LOG_LEVEL_WARN, "node %s: lost: %s", event->node_id, event->text);
        break;
    case CREEL__EVENT_KIND__EVENT_NODE_UNHEALTHY:
        if (log_limit_pass(limit_of(report->ills, event->node_id), more))
            log_about(&about, LOG_LEVEL_WARN, "node %s: unhealthy: %.*s%s", event->node_id, HEALTH_TEXT_MAX,
                      event->text, more);
        break;
    case CREEL__EVENT_KIND__EVENT_NODE_RUNNING:
        if (log_limit_pass(limit_of(report->recoveries, event->node_id), more))
            log_about(&about, LOG_LEVEL_INFO, "node %s: runs again%s", event->node_id, more);
        break;
    case CREEL__EVENT_KIND__EVENT_NODE_CLOCK_DIFFERS:
        log_about(&about, LOG_LEVEL_WARN, "node %s: %s", event->node_id, event->text);
        break;
    case CREEL__EVENT_KIND__EVENT_NODE_CLOCK_AGREES:
        log_about(&about, LOG_LEVEL_INFO, "node %s: its clock agrees with the resource manager's again",
                  event->node_id);
        break;
    default:
        log_about(&about, LOG_LEVEL_DEBUG, "node %s: %s%s%s", event->node_id, event_name(event->kind),
                  *event->text != '\0' ? ": " : "", event->text);
        break;
    }
}

void report_event(struct report *report, const Creel__Event *event)
{
    if (event_object(event->kind) == EVENT_OF_APP)
        log_app(event);
    else if (event_object(event->kind) == EVENT_OF_NODE)
        log_node(report, event);
}

/* --- nodes ----------------------------------------------------------------- */

static void answer_register_node(const Creel__RegisterNode *request, const Creel__Envelope *reply)
{
    struct log_about about = { .node = request->node_id };
    const Creel__Resource *total = request->total;
    const Creel__RegisterNodeReply *body;

    if (reply != NULL && reply->body_case == CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS_REPLY)
        return; /* not registered yet: the agent has to send its containers again */
    if (reply != NULL && reply->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY) {
        body = reply->register_node_reply;
        if (body->action != CREEL__NODE_ACTION__NODE_NORMAL) {
            log_about(&about, LOG_LEVEL_WARN, "node %s: not registered: %s", request->node_id,
                      body->diagnostics);
            return;
        }
    }
    log_about(&about, LOG_LEVEL_INFO,
              "node %s: registered: %" PRId64 " MiB, %" PRId64 " vcores, %zu containers, rack %s",
              request->node_id, total != NULL ? total->memory_mb : 0, total != NULL ? total->vcores : 0,
              request->before + request->n_containers,
              request->rack[0] != '\0' ? request->rack : "/default-rack");
    for (size_t i = 0; total != NULL && i < total->n_others; i++)
        log_about(&about, LOG_LEVEL_INFO,
                  "node %s: offers %" PRId64 "%s of %s (counted if "
                  "yarn.resource-types names it)",
                  request->node_id, total->others[i]->amount, total->others[i]->unit, total->others[i]->name);
}

/* Logs that the resource manager has ignored a part of the reports of a node: TEXT, or "". */
static void answer_ignored(struct report *report, const char *node_id, const char *text)
{
    struct log_about about = { .node = node_id };
    char more[LOG_MORE_MAX];

    if (text[0] != '\0' && log_limit_pass(&report->ignored, more))
        log_about(&about, LOG_LEVEL_WARN, "node %s: %s%s", node_id, text, more);
}

static void answer_heartbeat(struct report *report, const Creel__Heartbeat *request,
                             const Creel__Envelope *reply)
{
    struct log_about about = { .node = request->node_id };
    const Creel__HeartbeatReply *body;

    if (reply != NULL && reply->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY) {
        body = reply->heartbeat_reply;
        if (body->action != CREEL__NODE_ACTION__NODE_NORMAL) {
            log_about(&about, LOG_LEVEL_INFO, "node %s: ordered to %s: %s", request->node_id,
                      body->action == CREEL__NODE_ACTION__NODE_RESYNC ? "register again" : "shut down",
                      body->diagnostics);
            return;
        }
    }
    if (reply != NULL && reply->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY)
        answer_ignored(report, request->node_id, reply->heartbeat_reply->diagnostics);
}

void report_node_forgotten(const char *node_id)
{
    struct log_about about = { .node = node_id };

    log_about(&about, LOG_LEVEL_INFO, "node %s: forgotten: it is gone, and no list of hosts names it",
              node_id);
}

/* --- requests -------------------------------------------------------- */

static const char *refusal(const Creel__Envelope *reply)
{
    if (reply == NULL || reply->body_case != CREEL__ENVELOPE__BODY_ERROR)
        return NULL;
    return reply->error->message;
}

static void answer_kill(const struct master_peer *peer, const Creel__Envelope *request, const char *refused)
{
    const Creel__KillApp *kill = request->kill_app;
    struct log_about about = { .app_id = kill->app_id };
    const char *as_user = request->as_user;

    log_about(&about, LOG_LEVEL_INFO, "%s: to be killed, requested by %s%s%s%s%s%s%s", kill->app_id,
              peer->principal, as_user[0] != '\0' ? " as " : "", as_user, kill->reason[0] != '\0' ? ": " : "",
              kill->reason, refused != NULL ? ": refused: " : "", refused != NULL ? refused : "");
}

void report_stored(struct report *report)
{
    audit_stored(&report->audit);
}

void report_store_failed(struct report *report, const char *reason)
{
    audit_store_failed(&report->audit, reason);
}

void report_answer(struct report *report, const struct audit_request *handled)
{
    const struct master_peer *peer = handled->peer;
    const Creel__Envelope *request = handled->request, *reply = handled->reply;
    const char *refused = refusal(reply);
    struct log_about about = { 0 };

    if (peer->channel == MASTER_CLIENT || peer->channel == MASTER_ADMIN)
        audit_write(&report->audit, handled);
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_REGISTER_NODE:
        if (refused == NULL)
            answer_register_node(request->register_node, reply);
        break;
    case CREEL__ENVELOPE__BODY_HEARTBEAT:
        if (refused == NULL)
            answer_heartbeat(report, request->heartbeat, reply);
        break;
    case CREEL__ENVELOPE__BODY_KILL_APP:
        answer_kill(peer, request, refused);
        return;
    case CREEL__ENVELOPE__BODY_REGISTER_AM:
        if (refused == NULL && reply->register_am_reply->next[0] == '\0')
            log_line(LOG_LEVEL_INFO, "%s: application master registered", peer->principal);
        break;
    default:
        break;
    }
    if (refused == NULL)
        return;
    if (peer->channel == MASTER_AGENT)
        about.node = peer->principal;
    /* Any client may send invalid requests at any rate: these must not fill the log. */
    log_about(
        &about, request->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG,
        "%s: refused %s%s: %s", peer->principal, peer->channel == MASTER_AGENT ? "agent's " : "",
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, (unsigned)request->body_case)
            ->name,
        refused);
}
