/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - checks which users may submit to a queue of the fair scheduler or administer it
 *
 * aclSubmitApps and aclAdministerApps work like the access lists of the capacity scheduler
 * (capacity/placement/access.h), and so do yarn.acl.enable and yarn.admin.acl: a user has the permissions
 * that the list of the queue, or of any queue above it, gives, and administrators may submit. The default of
 * root is all users, of other queues no user. A queue that the file does not name has no lists of its own.
 */
#ifndef CREEL_RM_SCHED_FAIR_ACCESS_H
#define CREEL_RM_SCHED_FAIR_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/access.h"
#include "rm/sched/fair/allocations.h"

enum fair_permission { FAIR_SUBMIT, FAIR_ADMINISTER };

enum fair_access_reason {
    FAIR_ACCESS_REFUSED,         /* no list of the queue or a queue above names the user */
    FAIR_ACCESS_OFF,             /* yarn.acl.enable is false */
    FAIR_ACCESS_CLUSTER_ADMIN,   /* yarn.admin.acl */
    FAIR_ACCESS_SUBMIT_LIST,     /* aclSubmitApps of QUEUE */
    FAIR_ACCESS_ADMINISTER_LIST, /* aclAdministerApps of QUEUE */
};

struct fair_access_answer {
    bool allowed;
    enum fair_access_reason reason;
    const struct fair_settings *queue; /* the queue whose list allowed the access; NULL: none */
};

struct fair_access;

/* Reads yarn.acl.enable and yarn.admin.acl from CONF. CONF is not used after the call. */
struct fair_access *fair_access_new(const struct conf *conf);
void fair_access_free(struct fair_access *access); /* NULL is fine */

/* Checks whether PERSON has PERMISSION for the queue PATH. PATH need not exist, nor be in the file. */
struct fair_access_answer fair_access_ask(const struct fair_access *access,
                                          const struct fair_allocations *allocations, const char *path,
                                          const struct acl_person *person, enum fair_permission permission);

/* Returns 0, or -EACCES with ERR like
 *   user bob cannot submit to root.dev (aclSubmitApps: root.dev: "alice", root: nobody;
 *   aclAdministerApps: root.dev: nobody, root: "boss") */
int fair_access_require(const struct fair_access *access, const struct fair_allocations *allocations,
                        const char *path, const struct acl_person *person, enum fair_permission permission,
                        struct err *err);

/* Writes the reason into TEXT, for `creel queue access`. Returns TEXT. */
const char *fair_access_explain(const struct fair_access *access, const struct fair_access_answer *answer,
                                char *text, size_t size);

#endif
