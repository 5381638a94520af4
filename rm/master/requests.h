/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.h - one function for each request, by family
 *
 * Each gets a checked message and its sender, and adds its reply to the step's effects.
 */
#ifndef CREEL_RM_MASTER_REQUESTS_H
#define CREEL_RM_MASTER_REQUESTS_H

#include "rm/master/state.h"

typedef void rm_request_fn(struct master *m, const struct master_peer *peer,
                           const Creel__Envelope *in);

/* reload.c */
rm_request_fn rm_on_accept_state;
/* request_agent.c */
rm_request_fn rm_on_register_node, rm_on_heartbeat;
/* request_am.c */
rm_request_fn rm_on_register_am, rm_on_allocate, rm_on_finish_am;
/* request_app.c */
rm_request_fn rm_on_kill_app, rm_on_get_log_access, rm_on_move_app, rm_on_set_priority,
    rm_on_set_lifetime;
/* request_labels.c */
rm_request_fn rm_on_list_labels, rm_on_change_labels, rm_on_set_node_label;
/* request_nodes.c */
rm_request_fn rm_on_change_nodes, rm_on_set_node_resources, rm_on_refresh_nodes;
/* request_query.c */
rm_request_fn rm_on_list_apps, rm_on_list_containers, rm_on_list_nodes, rm_on_get_cluster_info,
    rm_on_explain_app;
/* request_queues.c */
rm_request_fn rm_on_list_queues, rm_on_list_queue_users, rm_on_get_queue_access,
    rm_on_set_queue_state, rm_on_refresh_queues;
/* request_submit.c */
rm_request_fn rm_on_submit_app;
/* request_test.c */
rm_request_fn rm_on_test_app;
/* request_wait.c */
rm_request_fn rm_on_wait_app, rm_on_wait_nodes;

#endif
