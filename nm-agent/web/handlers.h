/* SPDX-License-Identifier: Apache-2.0 */
/* handlers.h - declares the routes of creel-nm-web, and what its handlers share */
#ifndef CREEL_NM_WEB_HANDLERS_H
#define CREEL_NM_WEB_HANDLERS_H

#include "nm-agent/web/view.h"
#include "web/http/exchange.h"
#include "web/http/route.h"

extern const struct route node_routes[];

/* state.c: returns the agent's state. NULL: the function answered with 503. */
const Creel__AgentSnapshot *node_state(struct exchange *exchange);
/* Returns the id of the container that the first `*` of the route names, as it is written canonically. NULL:
 * it is no id. The container need not be on this node. */
const char *node_container_id(struct exchange *exchange);
/* Returns container ID; NULL: it is not on this node, or no longer. */
const Creel__AgentContainer *node_container_of(const Creel__AgentSnapshot *node, const char *id);
/* Returns the container that the first `*` of the route names. NULL: the function answered with 400, 404 or
 * 503. */
const Creel__AgentContainer *node_find_container(struct exchange *exchange);

/* moved_logs.c: lead a request for the log FILE (NULL: the list) to the log server. Return false, and do not
 * answer, if the configuration names none. */
bool node_redirect_page(struct exchange *exchange, const char *container_id, const char *user,
                        const char *file);
bool node_redirect_rest(struct exchange *exchange, const char *container_id, const char *file);

/* info.c */
exchange_fn node_info;
/* node_page.c */
exchange_fn node_page, node_root, node_container_page;
/* apps.c */
exchange_fn node_apps, node_app;
/* containers.c */
exchange_fn node_containers, node_container;
/* logs.c */
exchange_fn node_logs, node_log;
/* log_page.c, page.c */
exchange_fn node_log_page, node_asset;
/* metrics.c, jmx.c */
exchange_fn node_metrics, node_jmx;
/* unsupported.c */
exchange_fn node_auxiliary_services, node_resources;

#endif
