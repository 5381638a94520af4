/* SPDX-License-Identifier: Apache-2.0 */
/* handlers.h - declares the handlers of the REST interface, which routes.c maps to paths */
#ifndef CREEL_WEB_REST_HANDLERS_H
#define CREEL_WEB_REST_HANDLERS_H

#include "web/http/exchange.h"
#include "web/http/route.h"

extern const struct route rest_routes[]; /* /ws/v1/cluster */
extern const struct route
    servlet_routes[]; /* /conf, /isActive, /jmx, /logLevel, /metrics, /prometheus, /proxy, /stacks */

/* cluster.c, scheduler.c, servlets.c, configuration.c, stacks.c */
exchange_fn rest_cluster_info, rest_user_info, rest_metrics, rest_scheduler_overview, rest_scheduler;
exchange_fn servlet_targets;                          /* targets.c */
exchange_fn servlet_log_level, servlet_set_log_level; /* log_level.c */
exchange_fn servlet_jmx, servlet_conf, servlet_stacks;
/* apps.c, app.c, attempts.c */
exchange_fn rest_apps, rest_app_statistics;
exchange_fn rest_app, rest_app_get_state, rest_app_get_queue, rest_app_get_priority, rest_app_timeouts,
    rest_app_timeout;
exchange_fn rest_attempts, rest_attempt, rest_containers, rest_container;
/* write_submit.c, write_app.c, write_node.c */
exchange_fn rest_new_application, rest_submit;
exchange_fn rest_app_put_state, rest_app_put_queue, rest_app_put_priority, rest_app_put_timeout;
exchange_fn rest_node_resource, rest_add_labels, rest_remove_labels, rest_replace_node_labels,
    rest_replace_labels;
/* nodes.c, labels.c */
exchange_fn rest_nodes, rest_node;
exchange_fn rest_labels, rest_rm_labels, rest_node_labels, rest_node_to_labels, rest_label_mappings;
/* activities.c, queue_access.c */
exchange_fn rest_activities, rest_bulk_activities, rest_app_activities, rest_queue_access;
/* signal.c, unsupported.c */
exchange_fn rest_signal, rest_delegation_token, rest_scheduler_logs;
/* scheduler_conf.c */
exchange_fn rest_scheduler_conf, rest_scheduler_conf_version, rest_change_scheduler_conf,
    rest_validate_scheduler_conf, rest_format_scheduler_conf;
/* reservations.c */
exchange_fn rest_reservation, rest_reservations;

#endif
