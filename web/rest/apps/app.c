/* SPDX-License-Identifier: Apache-2.0 */
/* app.c - /ws/v1/cluster/apps/ID: one application, its state, queue, priority and timeouts */
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/apps/app_document.h"
#include "web/rest/apps/app_find.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"
#include "yarn/app.h"

static void send_app(struct exchange *exchange, const Creel__AppReport *app)
{
    struct rest_app_writer to = rest_app_writer_of(exchange);

    if (!rest_read_deselects(exchange, &to.deselects))
        return;
    to.document = rest_begin(exchange, "app", REST_NATURAL);
    if (to.document == NULL)
        return;
    rest_app_members(&to, app);
    rest_send(exchange, 200, to.document);
}

static void send_reply(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    (void)context;
    if (reply->body_case == CREEL__ENVELOPE__BODY_APP_LIST && reply->app_list->n_apps == 1)
        send_app(exchange, reply->app_list->apps[0]);
    else if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        rest_upstream_error(exchange, reply->error);
    else
        rest_find_app(exchange); /* the application was removed: answers 404 */
}

/* Sends the resource manager's report of the application: unlike the model's, it has the pending requests,
 * and all that this user may see. The model's report suffices if the application is over and there are no
 * access lists. */
/* The model does not have the indexes of failed tasks. */
static bool has_failed_tasks(const Creel__AppReport *app)
{
    return *app->array != '\0' && app->tasks != NULL && app->tasks->failed > 0;
}

void rest_app(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    if (app == NULL)
        return;
    if (yarn_app_is_over(app->state) && !has_failed_tasks(app) &&
        !web_model_cluster(rest_model(exchange))->acl_enabled) {
        send_app(exchange, app);
        return;
    }
    body.app_id = app->app_id;
    body.requests = true;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    query.list_apps = &body;
    exchange_ask(exchange, &query, send_reply, NULL);
}

void rest_app_get_state(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct document *document = app != NULL ? rest_begin(exchange, "appstate", REST_BARE) : NULL;

    if (document == NULL)
        return;
    document_text(document, "state", yarn_app_inner_state(app->state, app->kill_requested));
    rest_send(exchange, 200, document);
}

void rest_app_get_queue(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct document *document = app != NULL ? rest_begin(exchange, "appqueue", REST_BARE) : NULL;

    if (document == NULL)
        return;
    document_text(document, "queue", app->queue);
    rest_send(exchange, 200, document);
}

void rest_app_get_priority(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct document *document = app != NULL ? rest_begin(exchange, "applicationpriority", REST_BARE) : NULL;

    if (document == NULL)
        return;
    document_int(document, "priority", app->priority);
    rest_send(exchange, 200, document);
}

static void add_timeout(struct exchange *exchange, struct document *document, const Creel__AppReport *app)
{
    rest_timeout_members(document, exchange_arena(exchange), app,
                         web_model_cluster(rest_model(exchange))->now_ms);
}

void rest_app_timeouts(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    struct document *document = app != NULL ? rest_begin(exchange, "timeouts", REST_NATURAL) : NULL;

    if (document == NULL)
        return;
    document_begin_list(document, "timeout", 1);
    document_begin(document, NULL);
    add_timeout(exchange, document, app);
    document_end(document);
    document_end_list(document);
    rest_send(exchange, 200, document);
}

void rest_app_timeout(struct exchange *exchange)
{
    const Creel__AppReport *app = rest_find_app(exchange);
    const char *type = exchange_capture(exchange, 1);
    struct document *document;

    if (app == NULL)
        return;
    if (strcasecmp(type, "LIFETIME") != 0) {
        rest_bad_request(exchange, arena_printf(exchange_arena(exchange),
                                                "Invalid application-state %s "
                                                "specified. It should be one of [LIFETIME]",
                                                type));
        return;
    }
    document = rest_begin(exchange, "timeout", REST_NATURAL);
    if (document == NULL)
        return;
    add_timeout(exchange, document, app);
    rest_send(exchange, 200, document);
}
