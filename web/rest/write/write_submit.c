/* SPDX-License-Identifier: Apache-2.0 */
/* write_submit.c - assigns ids of applications, and submits applications */
#include "common/base/id.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/reply.h"
#include "web/rest/write/submission.h"
#include "web/rest/write/write.h"

#define ACCESS_CONTROL "org.apache.hadoop.security.AccessControlException"
#define ROOT "application-submission-context"

/* Returns whether the user may submit; if not, answers with an error. */
static bool begin(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);

    if (!rest_may_write(exchange))
        return false;
    if (view->refuses_submissions)
        rest_forbidden(exchange, "java.lang.Exception: App submission via REST is disabled.");
    return !view->refuses_submissions;
}

/* --- a new id -------------------------------------------------------------------------- */

static void send_id(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__ClusterInfo *cluster = web_model_cluster(rest_model(exchange));
    bool is_new = reply->body_case == CREEL__ENVELOPE__BODY_NEW_APP_REPLY;
    struct document *document;

    (void)context;
    if (rest_write_failed(exchange, reply, NULL))
        return;
    document = rest_begin(exchange, "NewApplication", REST_BARE);
    if (document == NULL)
        return;
    document_text(document, "application-id", is_new ? reply->new_app_reply->app_id : "");
    rest_resource(document, "maximum-resource-capability", cluster, cluster->maximum_allocation);
    rest_send(exchange, 200, document);
}

void rest_new_application(struct exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__NewApp body = CREEL__NEW_APP__INIT;

    if (!begin(exchange))
        return;
    query.body_case = CREEL__ENVELOPE__BODY_NEW_APP;
    query.new_app = &body;
    exchange_ask(exchange, &query, send_id, NULL);
}

/* --- submission -------------------------------------------------------------------------- */

static void submitted(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct arena *arena = exchange_arena(exchange);
    const char *id = context;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
        reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND) { /* no such queue or label */
        rest_bad_request(exchange, reply->error->message);
        return;
    }
    /* YARN answers 400 to users who may not submit. */
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
        reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED) {
        rest_bad_request(exchange, arena_printf(arena, "%s: %s", ACCESS_CONTROL, reply->error->message));
        return;
    }
    if (rest_write_failed(exchange, reply, NULL))
        return;
    exchange_add_header(exchange, "Location",
                        arena_printf(arena, "%s%s/%s", rest_base_url(exchange), exchange_path(exchange), id));
    rest_send_text(exchange, 202, "");
}

void rest_submit(struct exchange *exchange)
{
    struct arena *arena = exchange_arena(exchange);
    const struct tree *body = begin(exchange) ? rest_read_body(exchange, ROOT) : NULL;
    Creel__SubmitApp submit = CREEL__SUBMIT_APP__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    struct err err = { .code = 0 };
    struct app_id parsed;
    const char *id;
    char *copy;

    if (body == NULL)
        return;
    id = tree_text(body, "application-id");
    if (id == NULL || !app_id_parse(id, &parsed)) {
        rest_bad_request(exchange, arena_printf(arena, "Could not parse application id %s", id ? id : ""));
        return;
    }
    if (submission_read(arena, body, web_model_cluster(rest_model(exchange)), &submit.job, &err) < 0) {
        rest_bad_request(exchange, err.text);
        return;
    }
    submit.app_id = copy = arena_strdup(arena, id);
    query.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    query.submit_app = &submit;
    exchange_ask(exchange, &query, submitted, copy);
}
