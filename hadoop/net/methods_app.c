/* SPDX-License-Identifier: Apache-2.0 */
/* methods_app.c - applications: list, report, kill */
#include <string.h>

#include "hadoop/map/reports.h"
#include "hadoop/net/methods.h"
#include "yarn/app.h"

#define APPS_FIELD 1 /* of Apps */

/* --- the list ---------------------------------------------------------------------- */

struct app_list { /* in the arena of the exchange */
    const Hadoop__GetApps *query;
    const Creel__ClusterInfo *cluster;
    int64_t left; /* applications that the answer may still have */
    Creel__ListApps ask;
};

static void on_apps(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask_apps(struct hadoop_exchange *exchange, struct app_list *list)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    query.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    query.list_apps = &list->ask;
    exchange_ask(exchange, &query, on_apps, list);
}

static void add_app(struct hadoop_exchange *exchange, struct app_list *list, const Creel__AppReport *app)
{
    struct arena *arena = arena_new(); /* of this one report: there may be many */

    hadoop_bytes_add_element(exchange_body(exchange), APPS_FIELD,
                             &hadoop_app_report(arena, list->cluster, app)->base);
    arena_free(arena);
    list->left--;
}

static void on_apps(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_APP_LIST);
    struct app_list *list = context;

    if (error != NULL) {
        methods_fail(exchange, error);
        return;
    }
    for (size_t i = 0; i < reply->app_list->n_apps && list->left > 0; i++)
        if (hadoop_app_passes(list->query, exchange_user(exchange), reply->app_list->apps[i]))
            add_app(exchange, list, reply->app_list->apps[i]);
    if (*reply->app_list->next == '\0' || list->left <= 0) {
        exchange_send(exchange);
        return;
    }
    list->ask.after = arena_strdup(exchange_arena(exchange), reply->app_list->next);
    ask_apps(exchange, list);
}

static void on_cluster(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    struct app_list *list = context;

    list->cluster = cluster;
    ask_apps(exchange, list);
}

void method_applications(struct hadoop_exchange *exchange)
{
    const Hadoop__GetApps *query = exchange_message(exchange, &hadoop__get_apps__descriptor);
    struct app_list *list;

    if (query == NULL)
        return;
    list = arena_new0(exchange_arena(exchange), struct app_list);
    list->query = query;
    list->left = query->has_limit && query->limit >= 0 ? query->limit : INT64_MAX;
    creel__list_apps__init(&list->ask);
    list->ask.states = arena_array0(exchange_arena(exchange), query->n_states + 1, sizeof(*list->ask.states));
    for (size_t i = 0; i < query->n_states; i++) /* the numbers are the same: hadoop/map/app_report.c */
        list->ask.states[list->ask.n_states++] = (Creel__AppState)query->states[i];
    list->ask.users = query->users;
    list->ask.n_users = query->n_users;
    list->ask.queues = query->queues;
    list->ask.n_queues = query->n_queues;
    methods_ask_cluster(exchange, on_cluster, list);
}

/* --- one application ------------------------------------------------------------------ */

/* Returns the application in REPLY; NULL: there is none, and the call was answered. */
static const Creel__AppReport *app_of(struct hadoop_exchange *exchange, const char *app_id,
                                      const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_APP_LIST);

    if (error == NULL && reply->app_list->n_apps > 0)
        return reply->app_list->apps[0];
    if (error == NULL || error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND)
        methods_no_app(exchange, app_id);
    else
        methods_fail(exchange, error);
    return NULL;
}

struct app_query { /* in the arena of the exchange */
    char app_id[ID_TEXT_MAX];
    const Creel__ClusterInfo *cluster;
    const char *reason;
};

static void on_app(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct app_query *query = context;
    const Creel__AppReport *app = app_of(exchange, query->app_id, reply);
    Hadoop__App answer = HADOOP__APP__INIT;

    if (app == NULL)
        return;
    answer.app = hadoop_app_report(exchange_arena(exchange), query->cluster, app);
    exchange_send_message(exchange, &answer.base);
}

static void on_app_cluster(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    struct app_query *query = context;

    query->cluster = cluster;
    methods_ask_app(exchange, query->app_id, on_app, query);
}

void method_application(struct hadoop_exchange *exchange)
{
    const Hadoop__GetApp *message = exchange_message(exchange, &hadoop__get_app__descriptor);
    struct app_query *query;

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct app_query);
    if (hadoop_app_id_text(message->app, query->app_id))
        methods_ask_cluster(exchange, on_app_cluster, query);
    else
        methods_no_app(exchange, "null");
}

/* --- kill ------------------------------------------------------------------------- */

static void answer_kill(struct hadoop_exchange *exchange, bool completed)
{
    Hadoop__KillAppReply answer = HADOOP__KILL_APP_REPLY__INIT;

    HADOOP_SET(&answer, completed, completed);
    exchange_send_message(exchange, &answer.base);
}

static void on_killed(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct app_query *query = context;

    if (reply->body_case != CREEL__ENVELOPE__BODY_ERROR)
        answer_kill(exchange, false);
    else if (reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND)
        methods_no_app(exchange, query->app_id);
    else
        methods_fail(exchange, reply->error);
}

/* As YARN, answers that it is not completed until the application has ended. A client asks again until
 * then, which repeats the request to the resource manager only if it has not been accepted. */
static void on_app_to_kill(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct app_query *query = context;
    const Creel__AppReport *app = app_of(exchange, query->app_id, reply);
    Creel__Envelope kill = CREEL__ENVELOPE__INIT;
    Creel__KillApp body = CREEL__KILL_APP__INIT;

    if (app == NULL)
        return;
    if (yarn_app_is_over(app->state) || (app->kill_requested && app->may_change)) {
        answer_kill(exchange, yarn_app_is_over(app->state));
        return;
    }
    body.app_id = query->app_id;
    body.reason = hadoop_text(query->reason);
    kill.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    kill.kill_app = &body;
    exchange_ask(exchange, &kill, on_killed, query);
}

void method_kill(struct hadoop_exchange *exchange)
{
    const Hadoop__KillAppRequest *message = exchange_message(exchange, &hadoop__kill_app_request__descriptor);
    struct app_query *query;

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct app_query);
    query->reason = message->diagnostics != NULL ? message->diagnostics : "";
    if (hadoop_app_id_text(message->app, query->app_id))
        methods_ask_app(exchange, query->app_id, on_app_to_kill, query);
    else
        methods_no_app(exchange, "null");
}
