/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the addresses of the REST interface of YARN's node manager */
#include "nm-agent/web/handlers.h"

#define NODE "/ws/v1/node"

const struct route node_routes[] = {
    { "GET", "/", node_root },
    { "GET", "/node", node_page },
    { "GET", "/node/node", node_root },
    { "GET", "/node/allApplications", node_root },
    { "GET", "/node/allContainers", node_root },
    { "GET", "/node/application/*", node_root },
    { "GET", "/node/container/*", node_container_page },
    { "GET", "/metrics", node_metrics },
    { "GET", "/jmx", node_jmx },
    { "GET", NODE, node_info },
    { "GET", NODE "/info", node_info },
    { "GET", NODE "/apps", node_apps },
    { "GET", NODE "/apps/*", node_app },
    { "GET", NODE "/containers", node_containers },
    { "GET", NODE "/containers/*", node_container },
    { "GET", NODE "/containers/*/logs", node_logs },
    { "GET", NODE "/containers/*/logs/*", node_log },
    { "GET", NODE "/containerlogs/*/*", node_log },
    { "GET", "/node/containerlogs/*/*", node_log_page },
    { "GET", "/node/containerlogs/*/*/*", node_log_page },
    { "GET", "/static/*/*", node_asset },
    { "GET", NODE "/auxiliaryservices", node_auxiliary_services },
    { "GET", NODE "/resources/*", node_resources },
    { NULL, NULL, NULL },
};
