/* SPDX-License-Identifier: Apache-2.0 */
/* queue_access.c - /queues/QUEUE/access: may a user submit to a queue, or administer it? */
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"

struct access_query {
    const char *user;
    bool administer;
};

/* Reads the parameter "queue-acl-type", and sets *ADMINISTER. Returns false after answering 400. */
static bool read_type(struct exchange *exchange, bool *administer)
{
    const char *type = exchange_parameter(exchange, "queue-acl-type", 0);

    *administer = text_equal(type, "ADMINISTER_QUEUE");
    if (type == NULL || *administer || text_equal(type, "SUBMIT_APPLICATIONS"))
        return true;
    rest_bad_request(exchange,
                     arena_printf(exchange_arena(exchange),
                                  "Specified queueAclType=%s is not a valid "
                                  "type, valid queue acl types={SUBMIT_APPLICATIONS/ADMINISTER_QUEUE}",
                                  type));
    return false;
}

static void send_access(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct access_query *query = context;
    struct document *document;
    const Creel__QueueAccess *access;
    bool allowed;

    if (reply->body_case != CREEL__ENVELOPE__BODY_QUEUE_ACCESS) {
        /* As in YARN, a queue that does not exist gets the same status as a queue without access. */
        rest_forbidden(exchange, arena_printf(exchange_arena(exchange), "java.lang.Exception: %s",
                                              reply->error->message));
        return;
    }
    document = rest_begin(exchange, "queueAclInfo", REST_MAPPED);
    if (document == NULL)
        return;
    access = reply->queue_access;
    allowed = query->administer ? access->may_administer : access->may_submit;
    document_bool(document, "allowed", allowed);
    document_text(document, "user", query->user);
    document_text(document, "diagnostics",
                  allowed             ? ""
                  : query->administer ? access->administer_reason
                                      : access->submit_reason);
    rest_send(exchange, 200, document);
}

static void ask_access(struct exchange *exchange, const char *user, exchange_reply_fn *then,
                       struct access_query *query)
{
    Creel__GetQueueAccess body = CREEL__GET_QUEUE_ACCESS__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    body.queue = (char *)(uintptr_t)exchange_capture(exchange, 0);
    body.user = (char *)(uintptr_t)user;
    envelope.body_case = CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS;
    envelope.get_queue_access = &body;
    exchange_ask(exchange, &envelope, then, query);
}

/* REPLY has the access of the user of the request. Only administrators of the queue may ask about other
 * users. */
static void check_own(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct access_query *query = context;

    if (reply->body_case != CREEL__ENVELOPE__BODY_QUEUE_ACCESS)
        send_access(exchange, context, reply);
    else if (!reply->queue_access->may_administer)
        rest_forbidden(exchange,
                       arena_printf(exchange_arena(exchange),
                                    "java.lang.Exception: User=%s "
                                    "doesn't "
                                    "haven access to queue=%s so it cannot check ACLs for other users.",
                                    exchange_user(exchange), reply->queue_access->queue));
    else
        ask_access(exchange, query->user, send_access, query);
}

void rest_queue_access(struct exchange *exchange)
{
    struct access_query *query = arena_new0(exchange_arena(exchange), struct access_query);
    bool is_own;

    query->user = exchange_parameter(exchange, "user", 0);
    if (!read_type(exchange, &query->administer))
        return;
    if (query->user == NULL || *query->user == '\0') {
        rest_error(exchange, 400, "java.lang.IllegalArgumentException", "Null user");
        return;
    }
    if (!rest_model_is_recent(exchange))
        return;
    is_own = text_equal(query->user, exchange_user(exchange));
    if (is_own || !web_model_cluster(rest_model(exchange))->acl_enabled)
        ask_access(exchange, query->user, send_access, query);
    else
        ask_access(exchange, exchange_user(exchange), check_own, query);
}
