/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authz.h - access control
 *
 * A user has rights: the user owns the application, is an administrator, administers the queue, and so on.
 * A process with a job token acts as its user, but has the rights of an owner alone (struct master_peer.job).
 * The table in authz.c lists, for each operation, the rights of which one is sufficient. All requests are
 * checked by the functions of this file. The configuration keys are yarn.acl.enable, yarn.admin.acl and
 * creel.proxy-users. The scheduler keeps the access lists of queues.
 */
#ifndef CREEL_RM_MASTER_AUTHZ_H
#define CREEL_RM_MASTER_AUTHZ_H

#include "rm/master/state.h"

enum authz_operation {
    /* On the cluster: nodes, labels, refreshes, the admin port. */
    AUTHZ_CHANGE_CLUSTER,
    AUTHZ_FOLLOW_CHANGES, /* GetChanges: changes of all applications and nodes */
    AUTHZ_FIND_TOKENS,    /* FindAccessToken: the user of an access token */
    AUTHZ_EXCEED_LIMITS,  /* keep more than the limits of a user allow (user_limits.h) */
    /* On a queue. */
    AUTHZ_CHANGE_QUEUE,  /* stop and start it */
    AUTHZ_MOVE_TO_QUEUE, /* move an application there */
    /* On an application. */
    AUTHZ_SEE_APP, /* all fields: without this right some are left out */
    AUTHZ_LIST_CONTAINERS,
    AUTHZ_EXPLAIN_APP,
    AUTHZ_READ_LOGS,
    AUTHZ_CHANGE_APP,
    AUTHZ_KILL_APP,
    AUTHZ_HOLD_AS_ADMINISTRATOR, /* and release a hold set by an administrator */
    AUTHZ_CONTROL_CONTAINERS,    /* signal them, run a command in them */
    AUTHZ_BE_MASTER,             /* be its unmanaged application master */
    AUTHZ_RERUN_APP,             /* get its submission, with all variables, to submit it again */
    AUTHZ_OPERATIONS
};

/* Returns the user for whom PEER acts: PEER itself, or the as_user of ENVELOPE if PEER is one of
 * creel.proxy-users. NULL: PEER may not act for that user, and ERR has the reason. */
const char *rm_authz_acting_user(struct master *m, const struct master_peer *peer,
                                 const Creel__Envelope *envelope, struct err *err);

bool rm_authz_cluster(struct master *m, const char *user, enum authz_operation operation);
/* As rm_authz_cluster, for a USER who need not be the one who has sent the request that is handled: a job
 * token with which it was sent takes no rights away. */
bool rm_authz_any_user(struct master *m, const char *user, enum authz_operation operation);
bool rm_authz_queue(struct master *m, const char *user, enum authz_operation operation, const char *path);
bool rm_authz_app(struct master *m, const char *user, enum authz_operation operation, const struct app *app);
/* As rm_authz_app, for an application of OWNER in QUEUE that may be forgotten. */
bool rm_authz_owned(struct master *m, const char *user, enum authz_operation operation, const char *owner,
                    const char *queue);

/* As the functions above; -EPERM if USER has none of the rights, and ERR has a sentence for the user. */
int rm_authz_check_cluster(struct master *m, const char *user, enum authz_operation operation,
                           struct err *err);
int rm_authz_check_queue(struct master *m, const char *user, enum authz_operation operation, const char *path,
                         struct err *err);
int rm_authz_check_app(struct master *m, const char *user, enum authz_operation operation,
                       const struct app *app, struct err *err);

#endif
