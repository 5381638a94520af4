/* SPDX-License-Identifier: Apache-2.0 */
/* audit.c - one log line for each request that changes something */
#include "rm/net/requests/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"
#include "rm/net/requests/audit_change.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name
#define TARGET_BYTES 256
#define DESCRIPTION_BYTES 512

/* The object of an operation: an application, or a text. */
struct object {
    const char *app_id;
    char text[TARGET_BYTES]; /* the application, queue, node, label or token; "": the cluster */
};

typedef void describe_fn(const Creel__Envelope *request, struct object *object);

static void set_text(struct object *object, const char *text)
{
    snprintf(object->text, sizeof(object->text), "%s", text);
}

/* "n1 and 3 more" */
static void set_list(struct object *object, char *const *texts, size_t count)
{
    if (count > 1)
        snprintf(object->text, sizeof(object->text), "%.200s and %zu more", texts[0], count - 1);
    else if (count == 1)
        set_text(object, texts[0]);
}

#define OF_APP(name, body) \
    static void describe_##name(const Creel__Envelope *request, struct object *object) \
    { \
        object->app_id = request->body->app_id; \
    }

OF_APP(kill, kill_app)
OF_APP(move, move_app)
OF_APP(priority, set_priority)
OF_APP(lifetime, set_lifetime)
OF_APP(name, set_name)
OF_APP(change, change_app)
OF_APP(hold, hold_app)
OF_APP(release, release_app)
OF_APP(requeue, requeue_app)
OF_APP(kill_tasks, kill_tasks)
OF_APP(array, set_array)
OF_APP(am_access, get_am_access)

static void describe_resize(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->resize_container->container_id);
}

static void describe_submit(const Creel__Envelope *request, struct object *object)
{
    if (request->submit_app->job != NULL)
        set_text(object, request->submit_app->job->name);
}

static void describe_queue(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->set_queue_state->queue);
}

/* Sets OBJECT to the queue of the first edit, or to the version of a rollback. */
static void describe_scheduler_conf(const Creel__Envelope *request, struct object *object)
{
    const Creel__ChangeSchedulerConf *change = request->change_scheduler_conf;

    if (change->rollback_to > 0)
        snprintf(object->text, sizeof(object->text), "version %llu", (unsigned long long)change->rollback_to);
    else if (change->n_edits > 0)
        set_list(object, &change->edits[0]->queue, 1);
}

static void describe_labels(const Creel__Envelope *request, struct object *object)
{
    const Creel__ChangeLabels *body = request->change_labels;

    if (body->n_labels > 0)
        set_list(object, &body->labels[0]->name, 1);
}

static void describe_node_label(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->set_node_label->node);
}

static void describe_nodes(const Creel__Envelope *request, struct object *object)
{
    set_list(object, request->change_nodes->nodes, request->change_nodes->n_nodes);
}

static void describe_resources(const Creel__Envelope *request, struct object *object)
{
    set_list(object, request->set_node_resources->nodes, request->set_node_resources->n_nodes);
}

static void describe_log_level(const Creel__Envelope *request, struct object *object)
{
    const Creel__SetLogLevel *set = request->set_log_level;

    if (set->n_nodes > 0)
        set_list(object, set->nodes, set->n_nodes);
    else
        set_text(object, set->rm ? "rm" : set->all_nodes ? "nodes" : "all");
}

static void describe_access(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->revoke_access_token->id);
}

static void describe_token(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->create_join_token->id);
}

static void describe_revoke(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->revoke_join->name);
}

static void describe_join(const Creel__Envelope *request, struct object *object)
{
    set_text(object, request->join_node->host);
}

static const struct operation {
    Creel__Envelope__BodyCase body;
    const char *name;
    describe_fn *describe; /* NULL: it acts on the cluster */
    bool later;            /* its outcome is known only after the master has handled it */
} operations[] = {
    { BODY(SUBMIT_APP), "Submit Application Request", describe_submit, false },
    { BODY(KILL_APP), "Kill Application Request", describe_kill, false },
    { BODY(MOVE_APP), "Move Application Request", describe_move, false },
    { BODY(SET_PRIORITY), "Update Application Priority", describe_priority, false },
    { BODY(SET_LIFETIME), "Update Application Timeouts", describe_lifetime, false },
    { BODY(SET_NAME), "Update Application Name", describe_name, false },
    { BODY(CHANGE_APP), "Update Application", describe_change, false },
    { BODY(HOLD_APP), "Hold Application Request", describe_hold, false },
    { BODY(RELEASE_APP), "Release Application Request", describe_release, false },
    { BODY(REQUEUE_APP), "Requeue Application Request", describe_requeue, false },
    { BODY(RESIZE_CONTAINER), "Update Container Request", describe_resize, false },
    { BODY(KILL_TASKS), "Kill Array Tasks Request", describe_kill_tasks, false },
    { BODY(SET_ARRAY), "Update Array Request", describe_array, false },
    { BODY(SET_QUEUE_STATE), "updateQueueState", describe_queue, false },
    { BODY(REFRESH_QUEUES), "refreshQueues", NULL, true },
    { BODY(REFRESH_NODES), "refreshNodes", NULL, true },
    { BODY(CHANGE_SCHEDULER_CONF), "updateSchedulerConfiguration", describe_scheduler_conf, true },
    { BODY(CHANGE_LABELS), "updateClusterNodeLabels", describe_labels, false },
    { BODY(SET_NODE_LABEL), "replaceLabelsOnNode", describe_node_label, false },
    { BODY(CHANGE_NODES), "updateNodeState", describe_nodes, false },
    { BODY(SET_NODE_RESOURCES), "updateNodeResource", describe_resources, false },
    { BODY(ACCEPT_STATE), "acceptState", NULL, false },
    { BODY(REFRESH_ACCESS), "refreshAdminAcls", NULL, true },
    { BODY(GET_AM_ACCESS), "Get Application Master Access Request", describe_am_access, false },
    { BODY(SET_LOG_LEVEL), "setLogLevel", describe_log_level, false },
    { BODY(CREATE_ACCESS_TOKEN), "createAccessToken", NULL, false },
    { BODY(REVOKE_ACCESS_TOKEN), "revokeAccessToken", describe_access, false },
    { BODY(CREATE_JOIN_TOKEN), "createJoinToken", describe_token, false },
    { BODY(REVOKE_JOIN), "revokeJoin", describe_revoke, false },
    { BODY(JOIN_NODE), "joinNode", describe_join, false },
};

static const struct operation *find(Creel__Envelope__BodyCase body)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (operations[i].body == body)
            return &operations[i];
    return NULL;
}

/* Returns NULL if the request is not refused. While the store fails, the answer to one that has changed
 * something is an error, too: its rows are stored later. */
static const char *refusal(const struct audit_request *handled)
{
    const Creel__Envelope *reply = handled->reply;

    if (reply == NULL || reply->body_case != BODY(ERROR) ||
        (handled->stores && reply->error->code == CREEL__ERROR_CODE__ERROR_STORE))
        return NULL;
    return reply->error->message;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* Returns the full id of the application, from the rows of the request: a submission does not contain the id,
 * and other requests may contain only its last part (APP_ID). Returns APP_ID if no row has the id. */
static const char *whole_id(const struct audit_request *handled, const char *app_id)
{
    bool is_new = handled->request->body_case == BODY(SUBMIT_APP);
    struct app_id id;

    if (is_new ? handled->app_count > 0 : app_id != NULL && !app_id_parse(app_id, &id))
        for (size_t i = 0; i < handled->app_count; i++)
            if (is_new || ends_with(handled->app_ids[i], app_id))
                return handled->app_ids[i];
    return app_id;
}

/* Returns false for requests that only read. */
static bool changes_something(const Creel__Envelope *request)
{
    return request->body_case != BODY(SET_LOG_LEVEL) ||
           request->set_log_level->level != CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
}

static const char *name_of(const struct operation *operation, const Creel__Envelope *request)
{
    if (request->body_case == BODY(REFRESH_ACCESS) &&
        request->refresh_access->part == CREEL__ACCESS_PART__ACCESS_PART_GROUPS)
        return "refreshUserToGroupsMappings";
    return operation->name;
}

/* Returns whether a refusal of PRINCIPAL may be written. MORE is as for log_limit_pass. */
static bool may_write(struct audit *audit, const char *principal, char more[LOG_MORE_MAX])
{
    struct audit_peer *peer;
    int64_t now_ms = loop_monotonic_ms(), passed_s;

    peer = &audit->peers[text_hash(principal) % AUDIT_PEERS];
    passed_s = (now_ms - peer->at_ms) / 1000;
    if (passed_s > 0) {
        peer->at_ms += passed_s * 1000;
        peer->written = peer->written > passed_s ? peer->written - passed_s : 0;
    }
    if (peer->written >= AUDIT_REFUSALS_AT_ONCE)
        return log_limit_pass(&peer->limit, more);
    peer->written++;
    more[0] = '\0';
    return true;
}

/* --- lines that wait for the store -------------------------------------------------- */

struct audit_line {
    struct audit_line *next;
    bool submission;
    const char *operation;                                             /* in the table above */
    char *user, *address, *method, *target, *caller, *app_id, *change; /* owned; some may be NULL */
};

static void hold(struct audit *audit, const struct log_audit *line, bool submission)
{
    struct audit_line *held = mem_new0(struct audit_line);

    *held = (struct audit_line){
        .submission = submission,
        .operation = line->operation,
        .user = mem_strdup(line->user),
        .address = line->ip != NULL ? mem_strdup(line->ip) : NULL,
        .method = line->method != NULL ? mem_strdup(line->method) : NULL,
        .target = mem_strdup(line->target),
        .caller = line->caller != NULL ? mem_strdup(line->caller) : NULL,
        .app_id = line->app_id != NULL ? mem_strdup(line->app_id) : NULL,
        .change = mem_strdup(line->description),
    };
    if (audit->held == NULL)
        audit->held_end = &audit->held;
    *audit->held_end = held;
    audit->held_end = &held->next;
    audit->held_count++;
}

/* Writes LINE, as a failure if REASON is not NULL, and frees it. A refused submission has no id. */
static void line_write(struct audit_line *line, const char *reason)
{
    log_audit(&(struct log_audit){
        .user = line->user,
        .ip = line->address,
        .method = line->method,
        .operation = line->operation,
        .target = line->target,
        .caller = line->caller,
        .success = reason == NULL,
        .app_id = reason == NULL ? line->app_id : NULL,
        .description = reason != NULL ? reason : line->change,
    });
    free(line->user);
    free(line->address);
    free(line->method);
    free(line->target);
    free(line->caller);
    free(line->app_id);
    free(line->change);
    free(line);
}

void audit_stored(struct audit *audit)
{
    struct audit_line *line;

    while ((line = audit->held) != NULL) {
        audit->held = line->next;
        line_write(line, NULL);
    }
    audit->held_count = 0;
}

void audit_store_failed(struct audit *audit, const char *reason)
{
    struct audit_line *lines = audit->held, *next;

    audit->held = NULL;
    audit->held_end = &audit->held;
    for (struct audit_line *line = lines; line != NULL; line = next) {
        next = line->next;
        line->next = NULL;
        if (line->submission) {
            line_write(line, reason);
            audit->held_count--;
            continue;
        }
        *audit->held_end = line;
        audit->held_end = &line->next;
    }
}

void audit_done(struct audit *audit)
{
    struct audit_line *line;

    while ((line = audit->held) != NULL) {
        audit->held = line->next;
        line_write(line, "the resource manager ended before the change was stored");
    }
}

/* --- requests ------------------------------------------------------------------------ */

void audit_write(struct audit *audit, const struct audit_request *handled)
{
    const Creel__Envelope *request = handled->request;
    const struct operation *operation = find(request->body_case);
    const char *refused = refusal(handled), *as_user = request->as_user;
    struct object object = { .app_id = NULL };
    struct log_audit line;
    char more[LOG_MORE_MAX] = "", description[DESCRIPTION_BYTES], user[TARGET_BYTES];

    if (operation == NULL || !changes_something(request) || (operation->later && handled->reply == NULL) ||
        (refused != NULL && !may_write(audit, handled->peer->principal, more)))
        return;
    if (operation->describe != NULL)
        operation->describe(request, &object);
    if (refused != NULL)
        snprintf(description, sizeof(description), "%.400s%s", refused, more);
    else
        audit_change_describe(request, description, sizeof(description));
    /* A host that joins has no user: its principal names the token. */
    snprintf(user, sizeof(user), "%s%s%s%s", request->body_case == BODY(JOIN_NODE) ? "token " : "",
             handled->peer->principal, as_user[0] != '\0' ? " as " : "", as_user);
    line = (struct log_audit){
        .user = user,
        .ip = handled->address,
        .method = handled->method,
        .operation = name_of(operation, request),
        .target = object.text,
        .caller = handled->peer->job,
        .success = refused == NULL,
        .app_id = whole_id(handled, object.app_id),
        .description = description,
    };
    if (handled->stores && refused == NULL && audit->held_count < AUDIT_HELD_MAX)
        hold(audit, &line, request->body_case == BODY(SUBMIT_APP));
    else
        log_audit(&line);
}
