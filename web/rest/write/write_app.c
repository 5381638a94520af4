/* SPDX-License-Identifier: Apache-2.0 */
/* write_app.c - kills or moves an application, changes its priority or its lifetime */
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/apps/app_document.h"
#include "web/rest/apps/app_find.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/reply.h"
#include "web/rest/write/write.h"
#include "yarn/app.h"

/* Returns the application in the path. Returns NULL after answering with an error, if there is none or the
 * user may not send changes. */
static const Creel__AppReport *begin(struct exchange *exchange)
{
    return rest_may_write(exchange) ? rest_find_app(exchange) : NULL;
}

static const char *forbidden_text(struct exchange *exchange, const char *what)
{
    return arena_printf(exchange_arena(exchange), "Unauthorized attempt to %s %s by remote user %s", what,
                        exchange_capture(exchange, 0), exchange_user(exchange));
}

/* Returns the application in REPLY; NULL: none. */
static const Creel__AppReport *app_of(const Creel__Envelope *reply)
{
    return reply->body_case == CREEL__ENVELOPE__BODY_APP_LIST && reply->app_list->n_apps == 1
               ? reply->app_list->apps[0]
               : NULL;
}

/* --- kill ------------------------------------------------------------------------- */

static void send_state(struct exchange *exchange, int status, const char *state)
{
    struct document *document = rest_begin(exchange, "appstate", REST_BARE);

    if (document == NULL)
        return;
    document_text(document, "state", state);
    if (status == 202)
        exchange_add_header(exchange, "Location",
                            arena_printf(exchange_arena(exchange), "%s%s", rest_base_url(exchange),
                                         exchange_target(exchange)));
    rest_send(exchange, status, document);
}

static void killed(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__AppReport *app;

    (void)context;
    if (rest_write_failed(exchange, reply, forbidden_text(exchange, "kill appid")))
        return;
    app = rest_find_app(exchange);
    if (app == NULL)
        return;
    if (yarn_app_is_over(app->state))
        send_state(exchange, 200, yarn_app_state(app->state));
    else
        send_state(exchange, 202, yarn_app_inner_state(app->state, true));
}

static const char *kill_reason(struct exchange *exchange, const struct tree *body)
{
    const char *given = tree_text(body, "diagnostics");
    struct arena *arena = exchange_arena(exchange);

    return arena_printf(arena, "was killed by user %s%s%s", exchange_user(exchange),
                        given && *given != '\0' ? " with diagnostic message: " : "", given ? given : "");
}

void rest_app_put_state(struct exchange *exchange)
{
    const Creel__AppReport *app = begin(exchange);
    const struct tree *body = app != NULL ? rest_read_body(exchange, "appstate") : NULL;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__KillApp kill = CREEL__KILL_APP__INIT;
    const char *state, *killed_name = yarn_app_state(CREEL__APP_STATE__APP_KILLED);

    if (body == NULL)
        return;
    state = tree_text(body, "state");
    if (yarn_app_is_over(app->state) && text_equal(state, killed_name)) {
        send_state(exchange, 200, yarn_app_state(app->state));
    } else if (text_equal(state, yarn_app_state(app->state))) {
        send_state(exchange, 200, state);
    } else if (!text_equal(state, killed_name)) {
        rest_bad_request(exchange, "Only 'KILLED' is allowed as a target state.");
    } else {
        kill.app_id = app->app_id;
        kill.reason = (char *)(uintptr_t)kill_reason(exchange, body);
        query.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
        query.kill_app = &kill;
        exchange_ask(exchange, &query, killed, NULL);
    }
}

/* --- move ------------------------------------------------------------------------- */

static void moved(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct document *document;

    (void)context;
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
        reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND) { /* no such queue */
        rest_bad_request(exchange, reply->error->message);
        return;
    }
    if (rest_write_failed(exchange, reply, forbidden_text(exchange, "move appid")))
        return;
    document = rest_begin(exchange, "appqueue", REST_BARE);
    if (document == NULL)
        return;
    document_text(document, "queue", app_of(reply) != NULL ? app_of(reply)->queue : "");
    rest_send(exchange, 200, document);
}

void rest_app_put_queue(struct exchange *exchange)
{
    const Creel__AppReport *app = begin(exchange);
    const struct tree *body = app != NULL ? rest_read_body(exchange, "appqueue") : NULL;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__MoveApp move = CREEL__MOVE_APP__INIT;
    const char *queue;

    if (body == NULL)
        return;
    queue = tree_text(body, "queue");
    if (queue == NULL || *queue == '\0') {
        rest_bad_request(exchange, "the body names no queue");
        return;
    }
    if (yarn_app_is_over(app->state)) {
        rest_send_text(exchange, 400,
                       arena_printf(exchange_arena(exchange), "App in %s state cannot be moved.",
                                    yarn_app_state(app->state)));
        return;
    }
    move.app_id = app->app_id;
    move.queue = (char *)(uintptr_t)queue;
    query.body_case = CREEL__ENVELOPE__BODY_MOVE_APP;
    query.move_app = &move;
    exchange_ask(exchange, &query, moved, NULL);
}

/* --- priority ---------------------------------------------------------------------- */

static void send_priority(struct exchange *exchange, int32_t priority)
{
    struct document *document = rest_begin(exchange, "applicationpriority", REST_BARE);

    if (document == NULL)
        return;
    document_int(document, "priority", priority);
    rest_send(exchange, 200, document);
}

static void priority_set(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    (void)context;
    if (!rest_write_failed(exchange, reply, forbidden_text(exchange, "change priority of appid")))
        send_priority(exchange, app_of(reply) != NULL ? app_of(reply)->priority : 0);
}

void rest_app_put_priority(struct exchange *exchange)
{
    const Creel__AppReport *app = begin(exchange);
    const struct tree *body = app != NULL ? rest_read_body(exchange, "applicationpriority") : NULL;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__SetPriority set = CREEL__SET_PRIORITY__INIT;
    int64_t priority;

    if (body == NULL)
        return;
    if (!rest_tree_int(body, "priority", &priority) || priority < INT32_MIN || priority > INT32_MAX) {
        rest_bad_request(exchange, "the body has no priority, a whole number");
        return;
    }
    if (yarn_app_is_over(app->state)) { /* as in YARN */
        send_priority(exchange, app->priority);
        return;
    }
    set.app_id = app->app_id;
    set.priority = (int32_t)priority;
    query.body_case = CREEL__ENVELOPE__BODY_SET_PRIORITY;
    query.set_priority = &set;
    exchange_ask(exchange, &query, priority_set, NULL);
}

/* --- timeout ----------------------------------------------------------------------- */

static void send_timeout(struct exchange *exchange, const Creel__AppReport *app)
{
    struct document *document = rest_begin(exchange, "timeout", REST_NATURAL);

    if (document == NULL)
        return;
    rest_timeout_members(document, exchange_arena(exchange), app,
                         web_model_cluster(rest_model(exchange))->now_ms);
    rest_send(exchange, 200, document);
}

static void timeout_set(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    (void)context;
    if (rest_write_failed(exchange, reply, forbidden_text(exchange, "change timeout of app")))
        return;
    if (app_of(reply) != NULL)
        send_timeout(exchange, app_of(reply));
    else
        rest_find_app(exchange); /* the application was removed: answers 404 */
}

/* Reads the expiry time in BODY. Returns false after answering 400. */
static bool read_expiry(struct exchange *exchange, const struct tree *body, int64_t *expires_ms)
{
    const char *type = tree_text(body, "type"), *expiry = tree_text(body, "expiryTime");
    struct arena *arena = exchange_arena(exchange);

    if (type == NULL || expiry == NULL || *expiry == '\0') {
        rest_send_text(exchange, 400, "Timeout type or ExpiryTime is null.");
    } else if (strcasecmp(type, "LIFETIME") != 0) {
        rest_bad_request(exchange, arena_printf(arena,
                                                "Invalid application-state %s specified. It should be "
                                                "one of [LIFETIME]",
                                                type));
    } else if (!rest_expiry_parse(expiry, expires_ms)) {
        rest_bad_request(exchange, arena_printf(arena,
                                                "expiryTime %s: is no time as "
                                                "2031-01-01T00:00:00.000+0000",
                                                expiry));
    } else if (*expires_ms <= web_model_cluster(rest_model(exchange))->now_ms) {
        rest_bad_request(exchange, arena_printf(arena, "expiryTime %s: is in the past", expiry));
    } else {
        return true;
    }
    return false;
}

void rest_app_put_timeout(struct exchange *exchange)
{
    const Creel__AppReport *app = begin(exchange);
    const struct tree *body = app != NULL ? rest_read_body(exchange, "timeout") : NULL;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__SetLifetime set = CREEL__SET_LIFETIME__INIT;

    if (body == NULL || !read_expiry(exchange, body, &set.expires_ms))
        return;
    if (yarn_app_is_over(app->state)) { /* as in YARN */
        send_timeout(exchange, app);
        return;
    }
    set.app_id = app->app_id;
    query.body_case = CREEL__ENVELOPE__BODY_SET_LIFETIME;
    query.set_lifetime = &set;
    exchange_ask(exchange, &query, timeout_set, NULL);
}
