/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - writes the log lines of the resource manager */
#include "rm/net/report.h"

#include <inttypes.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/log.h"
#include "common/proto/value_name.h"

struct node {
    char *id;
    int64_t last_heartbeat_ms;
    bool silent; /* was logged as lost */
    bool unhealthy;
    bool skewed; /* was logged with a clock that differs */
    UT_hash_handle hh;
};

struct app {
    char *id;
    Creel__AppState state; /* state that was logged last */
    UT_hash_handle hh;
};

struct report {
    int64_t node_expiry_ms, clock_skew_ms;
    struct node *nodes;
    struct app *apps;
    size_t nodes_live, apps_live;
    struct log_limit ignored;
    struct audit audit;
};

struct report *report_new(int64_t node_expiry_ms, int64_t clock_skew_ms)
{
    struct report *report = mem_new0(struct report);

    report->node_expiry_ms = node_expiry_ms;
    report->clock_skew_ms = clock_skew_ms;
    return report;
}

static void remove_app(struct report *report, struct app *app)
{
    HASH_DEL(report->apps, app);
    free(app->id);
    free(app);
}

void report_free(struct report *report)
{
    struct node *node, *next_node;
    struct app *app, *next_app;

    if (report == NULL)
        return;
    HASH_ITER(hh, report->nodes, node, next_node) {
        HASH_DEL(report->nodes, node);
        free(node->id);
        free(node);
    }
    HASH_ITER(hh, report->apps, app, next_app)
        remove_app(report, app);
    audit_done(&report->audit);
    free(report);
}

/* --- applications ---------------------------------------------------------- */

static bool is_over(Creel__AppState state)
{
    return state == CREEL__APP_STATE__APP_FINISHED || state == CREEL__APP_STATE__APP_FAILED ||
           state == CREEL__APP_STATE__APP_KILLED;
}

static void log_app(const Creel__StoredApp *row, bool is_new)
{
    struct log_about about = { .app_id = row->app_id };

    if (!is_over(row->state)) {
        if (is_new)
            log_about(&about, LOG_LEVEL_INFO, "%s: submitted by %s to queue %s: %s", row->app_id, row->user,
                      row->queue, row->job != NULL ? row->job->name : "");
        else
            log_about(&about, LOG_LEVEL_DEBUG, "%s: %s", row->app_id,
                      value_name(&creel__app_state__descriptor, (int)row->state));
        return;
    }
    log_about(&about, LOG_LEVEL_INFO, "%s: %s: result %s, exit status %d%s%s", row->app_id,
              value_name(&creel__app_state__descriptor, (int)row->state),
              value_name(&creel__final_status__descriptor, (int)row->final_status), (int)row->exit_status,
              row->diagnostics[0] != '\0' ? ": " : "", row->diagnostics);
}

static struct app *find_app(struct report *report, const char *id)
{
    struct app *app;

    HASH_FIND_STR(report->apps, id, app);
    return app;
}

/* Records the state in ROW. Returns true if the state has changed. Sets *IS_NEW if the application was
 * unknown. */
static bool note_app(struct report *report, const Creel__StoredApp *row, bool *is_new)
{
    struct app *app = find_app(report, row->app_id);
    bool changed;

    *is_new = app == NULL;
    if (app == NULL) {
        app = mem_new0(struct app);
        app->id = mem_strdup(row->app_id);
        app->state = CREEL__APP_STATE__APP_STATE_ANY;
        HASH_ADD_KEYPTR(hh, report->apps, app->id, strlen(app->id), app);
        report->apps_live++;
    }
    changed = app->state != row->state;
    if (is_over(row->state) && !is_over(app->state))
        report->apps_live--;
    app->state = row->state;
    return changed;
}

void report_recovered(struct report *report, const Creel__StoredApp *row)
{
    bool is_new;

    (void)note_app(report, row, &is_new);
}

void report_written(struct report *report, const Creel__StoredApp *row)
{
    bool is_new;

    if (note_app(report, row, &is_new))
        log_app(row, is_new);
}

void report_forgotten(struct report *report, const char *app_id)
{
    struct app *app = find_app(report, app_id);

    if (app == NULL)
        return;
    if (!is_over(app->state))
        report->apps_live--;
    remove_app(report, app);
}

/* --- nodes ----------------------------------------------------------------- */

static struct node *note_node(struct report *report, int64_t now_ms, const char *id)
{
    struct node *node;

    HASH_FIND_STR(report->nodes, id, node);
    if (node == NULL) {
        node = mem_new0(struct node);
        node->id = mem_strdup(id);
        HASH_ADD_KEYPTR(hh, report->nodes, node->id, strlen(node->id), node);
        report->nodes_live++;
    } else if (node->silent) {
        report->nodes_live++;
    }
    node->silent = false;
    node->last_heartbeat_ms = now_ms;
    return node;
}

static void answer_register_node(struct report *report, int64_t now_ms, const Creel__RegisterNode *request,
                                 const Creel__Envelope *reply)
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
    note_node(report, now_ms, request->node_id)->unhealthy = false;
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

/* Logs when a node's clock begins or ceases to differ. It ceases below half of the limit, so that a clock
 * near the limit is not logged with each heartbeat. */
static void answer_clock(const struct report *report, struct node *node, const Creel__Heartbeat *request)
{
    int64_t skew_ms = request->clock_skew_ms, error_ms = request->clock_error_ms;
    struct log_about about = { .node = node->id };
    int64_t limit_ms = node->skewed ? report->clock_skew_ms / 2 : report->clock_skew_ms;
    bool skewed = request->clock_measured && master_clock_differs(skew_ms, error_ms, limit_ms);

    if (skewed == node->skewed || !request->clock_measured)
        return;
    node->skewed = skewed;
    if (skewed)
        log_about(&about, LOG_LEVEL_WARN,
                  "node %s: its clock is %.1f s %s the resource manager's: set "
                  "both by NTP",
                  node->id, (double)(skew_ms < 0 ? -skew_ms : skew_ms) / 1000,
                  skew_ms < 0 ? "behind" : "ahead of");
    else
        log_about(&about, LOG_LEVEL_INFO, "node %s: its clock agrees with the resource manager's again",
                  node->id);
}

/* Logs that the resource manager has ignored a part of the reports of a node: TEXT, or "". */
static void answer_ignored(struct report *report, const char *node_id, const char *text)
{
    struct log_about about = { .node = node_id };
    char more[LOG_MORE_MAX];

    if (text[0] != '\0' && log_limit_pass(&report->ignored, more))
        log_about(&about, LOG_LEVEL_WARN, "node %s: %s%s", node_id, text, more);
}

static void answer_heartbeat(struct report *report, int64_t now_ms, const Creel__Heartbeat *request,
                             const Creel__Envelope *reply)
{
    struct log_about about = { .node = request->node_id };
    const Creel__HeartbeatReply *body;
    struct node *node;

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
    node = note_node(report, now_ms, request->node_id);
    if (request->unhealthy && !node->unhealthy)
        log_about(&about, LOG_LEVEL_WARN, "node %s: unhealthy: %s", request->node_id, request->health_report);
    else if (!request->unhealthy && node->unhealthy)
        log_about(&about, LOG_LEVEL_INFO, "node %s: healthy again", request->node_id);
    node->unhealthy = request->unhealthy;
    answer_clock(report, node, request);
}

void report_tick(struct report *report, int64_t now_ms)
{
    struct node *node, *next;

    HASH_ITER(hh, report->nodes, node, next) {
        struct log_about about = { .node = node->id };

        if (node->silent || now_ms - node->last_heartbeat_ms < report->node_expiry_ms)
            continue;
        node->silent = true;
        report->nodes_live--;
        log_about(&about, LOG_LEVEL_WARN, "node %s: lost: no heartbeat for %" PRId64 " s", node->id,
                  (now_ms - node->last_heartbeat_ms) / 1000);
    }
}

void report_node_forgotten(struct report *report, const char *node_id)
{
    struct log_about about = { .node = node_id };
    struct node *node;

    log_about(&about, LOG_LEVEL_INFO, "node %s: forgotten: it is gone, and no list of hosts names it",
              node_id);
    HASH_FIND_STR(report->nodes, node_id, node);
    if (node == NULL)
        return;
    report->nodes_live -= node->silent ? 0 : 1;
    HASH_DEL(report->nodes, node);
    free(node->id);
    free(node);
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

void report_answer(struct report *report, int64_t now_ms, const struct audit_request *handled)
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
            answer_register_node(report, now_ms, request->register_node, reply);
        break;
    case CREEL__ENVELOPE__BODY_HEARTBEAT:
        if (refused == NULL)
            answer_heartbeat(report, now_ms, request->heartbeat, reply);
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

size_t report_nodes(const struct report *report)
{
    return report->nodes_live;
}

size_t report_live_apps(const struct report *report)
{
    return report->apps_live;
}
