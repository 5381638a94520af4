/* SPDX-License-Identifier: Apache-2.0 */
/* jmx.c - /jmx?qry=BEAN and /jmx?get=BEAN::ATTRIBUTE of the resource manager */
#include "web/rest/beans.h"
#include "web/rest/handlers.h"
#include "web/rest/reply.h"

/* Continues after the request for what the resource manager measures; without a reply the beans have what was
 * measured last. */
static void measured(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    (void)context;
    (void)reply;
    rest_send_beans(exchange, beans_of(exchange_application(exchange), exchange_arena(exchange)));
}

void servlet_jmx(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetMetrics body = CREEL__GET_METRICS__INIT;

    if (!rest_model_is_complete(exchange))
        return;
    if (view->metrics == NULL) {
        measured(exchange, NULL, NULL);
        return;
    }
    query.body_case = CREEL__ENVELOPE__BODY_GET_METRICS;
    query.get_metrics = &body;
    exchange_ask(exchange, &query, measured, NULL);
}
