/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.h - the handlers of all requests: one function for each
 *
 * A request is a message that common/io/wire/wire.h has checked. dispatch.c determines the user for whom a
 * client's request acts, and checks requests that only administrators may send. Each handler checks the
 * rights that depend on the application or queue (authz.h).
 */
#ifndef CREEL_RM_MASTER_REQUESTS_H
#define CREEL_RM_MASTER_REQUESTS_H

#include "rm/master/state.h"

/* Handles IN, or refuses it with a reply. */
void rm_dispatch(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);

/* --- agents and AMs: the peer acts for itself ----------------------------------- */

typedef void rm_peer_fn(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);

rm_peer_fn rm_on_register_node, rm_on_heartbeat; /* request_agent.c */
rm_peer_fn rm_on_register_containers;            /* register_list.c */
rm_peer_fn rm_on_register_am;                    /* request_am_register.c */
rm_peer_fn rm_on_allocate, rm_on_finish_am;      /* request_am.c */

/* Handles JoinNode of a peer with a join token (request_join.c). */
void rm_on_join_node(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
/* Answers GetIdentity of a peer with the key of a join token: the token is valid. No use is counted. */
void rm_on_join_identity(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);

/* --- clients: requests that change something, or are answered later --------------- */

/* Returns true if a hold of USER is an administrator's hold. The owner's hold on an own application is a
 * user's hold even if the owner is an administrator. */
bool rm_holds_as_administrator(struct master *m, const char *user, const struct app *app);

typedef void rm_request_fn(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                           const char *user);

rm_request_fn rm_on_new_app, rm_on_submit_app; /* request_submit.c */
rm_request_fn rm_on_kill_app, rm_on_move_app, rm_on_set_priority, rm_on_set_lifetime;
rm_request_fn rm_on_set_name, rm_on_set_array, rm_on_hold_app, rm_on_release_app;
rm_request_fn rm_on_change_app;                            /* request_app.c, as those before */
rm_request_fn rm_on_get_log_access;                        /* request_log_access.c */
rm_request_fn rm_on_get_am_access;                         /* request_am_access.c */
rm_request_fn rm_on_requeue_app;                           /* request_requeue.c */
rm_request_fn rm_on_resize_container;                      /* request_resize.c */
rm_request_fn rm_on_kill_tasks;                            /* request_array.c */
rm_request_fn rm_on_wait_app, rm_on_wait_nodes;            /* request_wait.c */
rm_request_fn rm_on_set_queue_state, rm_on_refresh_queues; /* request_queues.c */
rm_request_fn rm_on_get_scheduler_conf, rm_on_change_scheduler_conf;
rm_request_fn rm_on_change_labels, rm_on_set_node_label;                          /* request_labels.c */
rm_request_fn rm_on_create_join_token, rm_on_list_join_tokens, rm_on_revoke_join; /* request_join.c */
rm_request_fn rm_on_change_nodes, rm_on_set_node_resources, rm_on_refresh_nodes, rm_on_accept_state,
    rm_on_set_log_level, rm_on_refresh_access;
/* request_nodes.c */
rm_request_fn rm_on_create_access_token, rm_on_revoke_access_token; /* request_access_token.c */

/* Makes the changes of BODY, or none, and replies as rm_reply_changed, or with the error of the first part
 * that is refused (change_app.c). */
void rm_change_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                   const Creel__ChangeApp *body, const char *user);
/* Checks that APP is an array that has not ended (change_app.c). */
int rm_judge_array(const struct app *app, struct err *err);
/* Stores the present state of APP, and replies with its report when the row is on disk (change_app.c). */
void rm_reply_changed(struct master *m, const struct master_peer *peer, uint64_t request_id, struct app *app,
                      const char *user);

/* --- clients: queries, which only read -------------------------------------------- */

/* Return the reply, or an Error, in the arena of M's step, without effects. */
typedef Creel__Envelope *rm_query_fn(struct master *m, const char *user, const Creel__Envelope *in);

rm_query_fn rm_query_apps, rm_query_containers, rm_query_nodes, rm_query_cluster, rm_query_why;
rm_query_fn rm_query_labels; /* query.c */
rm_query_fn rm_query_queues, rm_query_queue_users, rm_query_queue_access;
/* query_queues.c */
rm_query_fn rm_query_changes;                              /* query_changes.c */
rm_query_fn rm_query_events;                               /* query_events.c */
rm_query_fn rm_query_metrics;                              /* query_metrics.c */
rm_query_fn rm_query_test;                                 /* query_test.c */
rm_query_fn rm_query_rerun;                                /* query_rerun.c */
rm_query_fn rm_query_access_tokens, rm_query_access_token; /* request_access_token.c */

#endif
