/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the addresses of YARN's REST interface */
#include "web/rest/handlers.h"

#define CLUSTER "/ws/v1/cluster"
#define APP CLUSTER "/apps/*"
#define ATTEMPT APP "/appattempts/*"

const struct route rest_routes[] = {
    { "GET", CLUSTER, rest_cluster_info },
    { "GET", CLUSTER "/info", rest_cluster_info },
    { "GET", CLUSTER "/userinfo", rest_user_info },
    { "GET", CLUSTER "/metrics", rest_metrics },
    { "GET", CLUSTER "/scheduler", rest_scheduler },
    { "GET", CLUSTER "/scheduler-overview", rest_scheduler_overview },
    { "GET", CLUSTER "/apps", rest_apps },
    { "GET", CLUSTER "/appstatistics", rest_app_statistics },
    { "GET", APP, rest_app },
    { "GET", APP "/state", rest_app_get_state },
    { "GET", APP "/queue", rest_app_get_queue },
    { "GET", APP "/priority", rest_app_get_priority },
    { "GET", APP "/timeouts", rest_app_timeouts },
    { "GET", APP "/timeouts/*", rest_app_timeout },
    { "GET", APP "/appattempts", rest_attempts },
    { "GET", ATTEMPT, rest_attempt },
    { "GET", ATTEMPT "/containers", rest_containers },
    { "GET", ATTEMPT "/containers/*", rest_container },
    { "GET", CLUSTER "/nodes", rest_nodes },
    { "GET", CLUSTER "/nodes/*", rest_node },
    { "GET", CLUSTER "/nodes/*/get-labels", rest_node_labels },
    { "GET", CLUSTER "/get-node-labels", rest_labels },
    { "GET", CLUSTER "/get-rm-node-labels", rest_rm_labels },
    { "GET", CLUSTER "/get-node-to-labels", rest_node_to_labels },
    { "GET", CLUSTER "/label-mappings", rest_label_mappings },
    { "POST", CLUSTER "/apps", rest_submit },
    { "POST", CLUSTER "/apps/new-application", rest_new_application },
    { "PUT", APP "/state", rest_app_put_state },
    { "PUT", APP "/queue", rest_app_put_queue },
    { "PUT", APP "/priority", rest_app_put_priority },
    { "PUT", APP "/timeout", rest_app_put_timeout },
    { "POST", CLUSTER "/nodes/*/resource", rest_node_resource },
    { "POST", CLUSTER "/nodes/*/replace-labels", rest_replace_node_labels },
    { "POST", CLUSTER "/add-node-labels", rest_add_labels },
    { "POST", CLUSTER "/remove-node-labels", rest_remove_labels },
    { "POST", CLUSTER "/replace-node-to-labels", rest_replace_labels },
    { "GET", CLUSTER "/scheduler/activities", rest_activities },
    { "GET", CLUSTER "/scheduler/app-activities/*", rest_app_activities },
    { "GET", CLUSTER "/queues/*/access", rest_queue_access },
    { "GET", CLUSTER "/reservation/list", rest_reservations },
    { "POST", CLUSTER "/reservation/*", rest_reservation },
    { NULL, NULL, NULL },
};
