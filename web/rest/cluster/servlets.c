/* SPDX-License-Identifier: Apache-2.0 */
/* servlets.c - YARN's paths outside of its REST interface: /isActive, /proxy */
#include <string.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/metrics/metrics.h"
#include "web/rest/parts/reply.h"

/* Answers the health check of load balancers. While the resource manager does not answer, the answer is that
 * of a standby resource manager of YARN. */
static void servlet_is_active(struct exchange *exchange)
{
    bool active = rest_rm_answers(exchange);
    const char *text = active ? "I am Active!\n" : "I am not Active!\n";

    exchange_answer(exchange, active ? 200 : 405, "text/plain;charset=utf-8", text, strlen(text));
}

/* Redirects to the tracking URL of the application, if it has one; else to the application's page. */
static void servlet_proxy(struct exchange *exchange)
{
    const struct web_model *model = rest_model(exchange);
    const char *text = exchange_capture(exchange, 0), *target;
    const Creel__AppReport *app;
    char canonical[ID_TEXT_MAX];
    struct app_id id;

    if (!app_id_parse(text, &id)) {
        rest_not_found(exchange, "this is no id of an application");
        return;
    }
    app = web_model_app(model, app_id_format(&id, canonical));
    target = arena_printf(exchange_arena(exchange), "%s/cluster/app/%s", rest_base_url(exchange), canonical);
    if (app != NULL && text_is_web_address(app->tracking_url))
        target = app->tracking_url;
    exchange_add_header(exchange, "Location", target);
    exchange_answer(exchange, 302, NULL, NULL, 0);
}

const struct route servlet_routes[] = {
    { "GET", "/conf", servlet_conf },
    { "GET", "/isActive", servlet_is_active },
    { "GET", "/jmx", servlet_jmx },
    { "GET", "/logLevel", servlet_log_level },
    { "POST", "/logLevel", servlet_set_log_level },
    { "GET", "/metrics", metrics_serve },
    { "GET", "/prometheus/sd", servlet_targets },
    { "GET", "/proxy/*", servlet_proxy },
    { "GET", "/stacks", servlet_stacks },
    { NULL, NULL, NULL },
};
