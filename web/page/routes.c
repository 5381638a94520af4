/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the URLs of the pages, including YARN's */
#include <string.h>

#include "common/base/id.h"
#include "web/page/actions.h"
#include "web/page/assets.h"
#include "web/page/frame.h"
#include "web/page/pages.h"

static void to_overview(struct exchange *exchange)
{
    page_redirect(exchange, "/cluster");
}

/* Redirects YARN's /cluster/apps/RUNNING and /cluster/nodes/lost to the list with that state. */
static void to_state(struct exchange *exchange)
{
    const char *state = html_url(exchange_arena(exchange), exchange_capture(exchange, 0));
    const char *list = strncmp(exchange_path(exchange), "/cluster/apps/", 14) == 0 ? "apps" : "nodes";

    page_redirect(exchange, arena_printf(exchange_arena(exchange), "/cluster/%s?state=%s", list, state));
}

/* Redirects the page of an attempt or a container to the page of its application. */
static void to_app(struct exchange *exchange)
{
    const char *id = exchange_capture(exchange, 0);
    struct attempt_id attempt;
    struct container_id container;
    char text[ID_TEXT_MAX];

    if (container_id_parse(id, &container))
        attempt = container.attempt;
    else if (!attempt_id_parse(id, &attempt)) {
        exchange_refuse(exchange, 404, "This is no id of an attempt or of a container.");
        return;
    }
    page_redirect(exchange, arena_printf(exchange_arena(exchange), "/cluster/app/%s",
                                         app_id_format(&attempt.app, text)));
}

const struct route page_routes[] = {
    { "GET", "/", to_overview },
    { "GET", "/cluster", page_overview },
    { "GET", "/cluster/cluster", page_about },
    { "GET", "/cluster/apps", page_apps },
    { "GET", "/cluster/apps/*", to_state },
    { "GET", "/cluster/app/*", page_app },
    { "GET", "/cluster/app/*/logs/*/*", page_log },
    { "GET", "/cluster/appattempt/*", to_app },
    { "GET", "/cluster/container/*", to_app },
    { "GET", "/cluster/scheduler", page_scheduler },
    { "GET", "/cluster/queue/*", page_queue },
    { "GET", "/cluster/nodes", page_nodes },
    { "GET", "/cluster/nodes.bin", page_nodes_map },
    { "GET", "/cluster/nodes/*", to_state },
    { "GET", "/cluster/node/*", page_node },
    { "GET", "/cluster/nodelabels", page_labels },
    { "GET", "/cluster/events", page_events },
    { "GET", "/cluster/changes", page_changes },
    { "GET", "/cluster/history", page_history },
    { "GET", "/cluster/history/usage", page_usage },
    { "GET", "/cluster/conf", page_conf },
    { "GET", "/cluster/search", page_search },
    { "GET", "/cluster/login", page_sign_in },
    { "POST", "/cluster/login", action_sign_in },
    { "POST", "/cluster/logout", action_sign_out },
    { "POST", "/cluster/app/*/kill", action_kill },
    { "POST", "/cluster/app/*/move", action_move },
    { "POST", "/cluster/node/*/drain", action_drain },
    { "POST", "/cluster/node/*/undrain", action_undrain },
    { "GET", "/static/*/*", asset_serve },
    { NULL, NULL, NULL },
};
