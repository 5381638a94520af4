/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activities.c - /scheduler/activities, bulk-activities and app-activities: why applications wait
 *
 * Differs: YARN records what its scheduler does with one offer of a node, after it was asked to. creel
 * knows at any time why an application waits: that is the diagnostic of the application here.
 */
#include <string.h>
#include <strings.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "web/rest/apps/app_document.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/reply.h"
#include "yarn/app.h"

#define APPS_MAX 100 /* waiting applications in one answer */
#define BULK_MAX 500 /* YARN's maximum of activitiesCount */
#define AFTER_THE_END "fail to get application activities after finished"

static void add_moment(struct document *document, struct arena *arena, int64_t now_ms)
{
    document_int(document, "timestamp", now_ms);
    document_text(document, "dateTime", rest_date_text(arena, now_ms));
}

/* --- of the cluster -------------------------------------------------------------- */

static void send_diagnostic(struct exchange *exchange, const char *node_id, const char *diagnostic)
{
    struct document *document = rest_begin(exchange, "activities", REST_NATURAL);

    if (document == NULL)
        return;
    if (node_id != NULL)
        document_text(document, "nodeId", node_id);
    document_text(document, "diagnostic", diagnostic);
    rest_send(exchange, 200, document);
}

/* Returns why the request has no activities; NULL: it has some. As in YARN, the reason is sent with status
 * 200. */
static const char *trouble_of(struct exchange *exchange, const char *node_id)
{
    const struct web_model *model = rest_model(exchange);
    const Creel__ClusterInfo *cluster = web_model_cluster(model);
    const char *group = exchange_parameter(exchange, "groupBy", 0);
    struct web_node_filter filter = { .text = node_id };
    size_t total = 0;

    if (!text_equal(cluster->queue_model, "capacity"))
        return "Not Capacity Scheduler";
    if (group != NULL && strcasecmp(group, "diagnostic") != 0)
        return arena_printf(exchange_arena(exchange),
                            "Got invalid groupBy: %s, valid groupBy types: [DIAGNOSTIC]", group);
    if (cluster->nodes_running == 0)
        return "No node manager running in the cluster";
    if (node_id != NULL)
        web_model_list_nodes(model, &filter, WEB_NODE_BY_ID, &(struct web_page){ .limit = 0 }, NULL, &total);
    return node_id != NULL && total == 0 ? "Cannot find node manager with given node id" : NULL;
}

static void add_waiting(struct document *document, const Creel__AppReport *app)
{
    document_begin(document, NULL);
    document_text(document, "name", app->app_id);
    document_int(document, "appPriority", app->priority);
    document_text(document, "allocationState", "REJECTED");
    document_text(document, "diagnostic",
                  *app->reason != '\0' ? app->reason : "waits for the next offer of a node");
    document_end(document);
}

static size_t list_waiting(struct exchange *exchange, const Creel__AppReport **ret)
{
    const Creel__AppReport **apps;
    size_t count = rest_list_active_apps(rest_model(exchange), exchange_arena(exchange), &apps), kept = 0;

    for (size_t i = 0; i < count && kept < APPS_MAX; i++)
        if (apps[i]->pending_containers > 0)
            ret[kept++] = apps[i];
    return kept;
}

/* Writes the members of "activities": all waiting applications, and the id of the node unless NODE_ID is
 * NULL. */
static void add_activities(struct exchange *exchange, struct document *document, const char *node_id)
{
    const Creel__AppReport *waiting[APPS_MAX];
    size_t count = list_waiting(exchange, waiting);

    if (node_id != NULL)
        document_text(document, "nodeId", node_id);
    add_moment(document, exchange_arena(exchange), web_model_cluster(rest_model(exchange))->now_ms);
    document_begin_list(document, "allocations", 1);
    document_begin(document, NULL);
    document_text(document, "partition", "");
    document_text(document, "finalAllocationState", "SKIPPED");
    document_begin(document, "root");
    document_text(document, "name", "root");
    document_text(document, "allocationState", "SKIPPED");
    if (count == 0)
        document_text(document, "diagnostic", "Queue does not need more resource");
    document_begin_list(document, "children", count);
    for (size_t i = 0; i < count; i++)
        add_waiting(document, waiting[i]);
    document_end_list(document);
    document_end(document);
    document_end(document);
    document_end_list(document);
}

void rest_activities(struct exchange *exchange)
{
    const char *node_id = exchange_parameter(exchange, "nodeId", 0), *trouble;
    struct document *document;

    if (!rest_model_is_recent(exchange))
        return;
    trouble = trouble_of(exchange, node_id);
    if (trouble != NULL) {
        send_diagnostic(exchange, node_id, trouble);
        return;
    }
    document = rest_begin(exchange, "activities", REST_NATURAL);
    if (document == NULL)
        return;
    add_activities(exchange, document, node_id);
    rest_send(exchange, 200, document);
}

/* Returns whether activitiesCount is valid; if not, answers with 400. */
static bool check_count(struct exchange *exchange)
{
    const char *text = exchange_parameter(exchange, "activitiesCount", 0);
    int64_t count;

    if (text == NULL || (text_parse_int64(text, &count) && count > 0 && count <= BULK_MAX))
        return true;
    rest_bad_request(exchange, arena_printf(exchange_arena(exchange),
                                            "activitiesCount %s: must be a number "
                                            "from 1 to %d",
                                            text, BULK_MAX));
    return false;
}

/* Differs: YARN waits for the heartbeats of activitiesCount nodes. The state of all nodes is one entry
 * here. */
void rest_bulk_activities(struct exchange *exchange)
{
    struct document *document;
    const char *trouble;

    if (!rest_model_is_recent(exchange))
        return;
    trouble = trouble_of(exchange, NULL);
    if (trouble != NULL) {
        rest_bad_request(exchange, trouble);
        return;
    }
    if (!check_count(exchange))
        return;
    document = rest_begin(exchange, "bulkActivities", REST_NATURAL);
    if (document == NULL)
        return;
    document_begin_list(document, "activities", 1);
    document_begin(document, NULL);
    add_activities(exchange, document, NULL);
    document_end(document);
    document_end_list(document);
    rest_send(exchange, 200, document);
}

/* --- of one application ----------------------------------------------------------- */

static void add_item(struct document *document, const Creel__WhyItem *item)
{
    document_begin(document, NULL);
    document_int(document, "requestPriority", 0);
    document_int(document, "allocationRequestId", 0);
    document_text(document, "allocationState", item->blocking ? "REJECTED" : "ACCEPTED");
    document_text(document, "diagnostic", item->text);
    document_end(document);
}

static void add_explanation(struct exchange *exchange, struct document *document,
                            const Creel__AppExplanation *why)
{
    document_begin_list(document, "allocations", 1);
    document_begin(document, NULL);
    add_moment(document, exchange_arena(exchange), web_model_cluster(rest_model(exchange))->now_ms);
    document_text(document, "queueName", why->app->queue);
    document_int(document, "appPriority", why->app->priority);
    document_text(document, "allocationState", "SKIPPED");
    document_text(document, "diagnostic", why->summary);
    document_begin_list(document, "children", why->n_items);
    for (size_t i = 0; i < why->n_items; i++)
        add_item(document, why->items[i]);
    document_end_list(document);
    document_end(document);
    document_end_list(document);
}

/* Answers with the reason why the application APP_ID has no activities. As in YARN, the status is 200. */
static void send_app_diagnostic(struct exchange *exchange, const char *app_id, const char *diagnostic)
{
    struct document *document = rest_begin(exchange, "appActivities", REST_NATURAL);

    if (document == NULL)
        return;
    document_text(document, "applicationId", app_id);
    document_text(document, "diagnostic", diagnostic);
    add_moment(document, exchange_arena(exchange), web_model_cluster(rest_model(exchange))->now_ms);
    rest_send(exchange, 200, document);
}

static void send_app_activities(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const char *app_id = context;
    const Creel__AppExplanation *why = reply->app_explanation;
    struct document *document;

    if (reply->body_case != CREEL__ENVELOPE__BODY_APP_EXPLANATION) {
        rest_upstream_error(exchange, reply->error);
    } else if (yarn_app_is_over(why->app->state)) {
        send_app_diagnostic(exchange, app_id,
                            arena_printf(exchange_arena(exchange), AFTER_THE_END ": %s", why->summary));
    } else if (why->n_items == 0) {
        send_app_diagnostic(exchange, app_id, why->summary);
    } else if ((document = rest_begin(exchange, "appActivities", REST_NATURAL)) != NULL) {
        document_text(document, "applicationId", app_id);
        add_explanation(exchange, document, why);
        rest_send(exchange, 200, document);
    }
}

/* Returns the first element of the lists in parameter NAME, "1,2" or repeated, that is no whole number; NULL:
 * there is none. */
static const char *find_no_number(struct exchange *exchange, const char *name)
{
    const char *value;
    int64_t number;

    for (size_t i = 0; (value = exchange_parameter(exchange, name, i)) != NULL; i++) {
        char *rest = arena_strdup(exchange_arena(exchange), value);

        for (char *word; (word = strsep(&rest, ",")) != NULL;)
            if (*word != '\0' && !text_parse_int64(word, &number))
                return word;
    }
    return NULL;
}

/* Returns whether parameter actions has ACTION, in any case, or has no action at all. Sets *INVALID to an
 * unknown action. */
static bool has_action(struct exchange *exchange, const char *action, const char **invalid)
{
    const char *value;
    bool found = false, any = false;

    for (size_t i = 0; (value = exchange_parameter(exchange, "actions", i)) != NULL; i++) {
        char *rest = arena_strdup(exchange_arena(exchange), value);

        for (char *word; (word = strsep(&rest, ",")) != NULL;) {
            any = true;
            found = found || strcasecmp(word, action) == 0;
            if (strcasecmp(word, "get") != 0 && strcasecmp(word, "refresh") != 0)
                *invalid = word;
        }
    }
    return found || !any;
}

/* Returns what is wrong with the parameters of the request; NULL: nothing. */
static const char *parameter_trouble(struct exchange *exchange)
{
    struct arena *arena = exchange_arena(exchange);
    const char *group = exchange_parameter(exchange, "groupBy", 0), *invalid = NULL;
    const char *limit = exchange_parameter(exchange, "limit", 0);
    int64_t number;

    if (group != NULL && strcasecmp(group, "diagnostic") != 0)
        return arena_printf(arena, "Got invalid groupBy: %s, valid groupBy types: [DIAGNOSTIC]", group);
    has_action(exchange, "get", &invalid);
    if (invalid != NULL)
        return arena_printf(arena, "Got invalid action: %s, valid actions: [REFRESH, GET]", invalid);
    if (find_no_number(exchange, "requestPriorities") != NULL)
        return "request priorities must be integers!";
    if (find_no_number(exchange, "allocationRequestIds") != NULL)
        return "allocation request Ids must be integers!";
    if (limit == NULL)
        return NULL;
    if (!text_parse_int64(limit, &number))
        return "limit must be integer!";
    return number <= 0 ? "limit must be greater than 0!" : NULL;
}

/* Returns whether parameter maxTime is a number or absent; else answers with 400. */
static bool check_time(struct exchange *exchange)
{
    const char *text = exchange_parameter(exchange, "maxTime", 0);
    double seconds;

    if (text == NULL || text_parse_double(text, &seconds))
        return true;
    rest_error(exchange, 400, "java.lang.NumberFormatException",
               arena_printf(exchange_arena(exchange), "For input string: \"%s\"", text));
    return false;
}

void rest_app_activities(struct exchange *exchange)
{
    const char *id = exchange_capture(exchange, 0), *trouble, *invalid = NULL;
    const Creel__AppReport *app;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    char canonical[ID_TEXT_MAX];
    struct app_id parsed;

    if (!rest_model_is_recent(exchange))
        return;
    trouble = parameter_trouble(exchange);
    if (trouble == NULL && !check_time(exchange))
        return;
    if (trouble == NULL && !app_id_parse(id, &parsed))
        trouble = "Cannot find application with given appId";
    app = trouble == NULL ? web_model_app(rest_model(exchange), app_id_format(&parsed, canonical)) : NULL;
    if (trouble == NULL && !has_action(exchange, "get", &invalid))
        trouble = "Successfully received action: refresh";
    if (trouble == NULL && app == NULL)
        trouble = AFTER_THE_END;
    if (trouble != NULL) {
        send_app_diagnostic(exchange, id, trouble);
        return;
    }
    body.app_id = app->app_id;
    query.body_case = CREEL__ENVELOPE__BODY_EXPLAIN_APP;
    query.explain_app = &body;
    exchange_ask(exchange, &query, send_app_activities, arena_strdup(exchange_arena(exchange), app->app_id));
}
