/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - checks which users may submit to a queue or administer it (yarn-behaviour 5.9)
 *
 * The access lists acl_submit_applications and acl_administer_queue of a queue apply to all queues below it,
 * too: a user named by the list of any queue on the path to root has access. A user who may administer a
 * queue may also submit to it. rm/identity/access.h handles yarn.acl.enable and yarn.admin.acl.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_ACCESS_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/access.h"
#include "rm/sched/capacity/config/config.h"

enum capacity_permission { CAPACITY_SUBMIT, CAPACITY_ADMINISTER };

enum capacity_access_reason {
    CAPACITY_ACCESS_REFUSED,         /* no list on the path to root names the user */
    CAPACITY_ACCESS_OFF,             /* yarn.acl.enable is false */
    CAPACITY_ACCESS_CLUSTER_ADMIN,   /* yarn.admin.acl */
    CAPACITY_ACCESS_SUBMIT_LIST,     /* acl_submit_applications of QUEUE */
    CAPACITY_ACCESS_ADMINISTER_LIST, /* acl_administer_queue of QUEUE */
};

struct capacity_access_answer {
    bool allowed;
    enum capacity_access_reason reason;
    const struct capacity_queue *queue; /* the queue whose list allowed the access; NULL: none */
};

struct capacity_access;

/* Creates an access checker. Lists are taken from the queues passed to the functions below, and each list is
 * parsed at its first use. CONF (yarn.acl.enable, yarn.admin.acl) is not stored. A refresh creates a new
 * checker. */
struct capacity_access *capacity_access_new(const struct conf *conf);
void capacity_access_free(struct capacity_access *access); /* NULL is fine */

/* Returns true if PERSON may use every queue: lists are disabled, or PERSON administers the cluster. */
bool capacity_access_is_exempt(const struct capacity_access *access, const struct acl_person *person);

/* Warns once of each suspicious list in CONFIG (acl_complaint()), with its key. */
void capacity_access_check_lists(struct capacity_access *access, const struct capacity_config *config,
                                 capacity_warn_fn *warn, void *context);

struct capacity_access_answer capacity_access_ask(struct capacity_access *access,
                                                  const struct capacity_queue *queue,
                                                  const struct acl_person *person,
                                                  enum capacity_permission permission);

/* Returns 0, or -EACCES with ERR like
 *   user bob cannot submit to root.dev (acl_submit_applications: "alice dev", root: nobody;
 *   acl_administer_queue: nobody, root: nobody) */
int capacity_access_require(struct capacity_access *access, const struct capacity_queue *queue,
                            const struct acl_person *person, enum capacity_permission permission,
                            struct err *err);

/* Writes the reason of ANSWER, allowed or refused, into TEXT for `creel queue access`:
 * "acl_submit_applications of root.dev: \"alice dev\"". Returns TEXT. */
const char *capacity_access_explain(struct capacity_access *access,
                                    const struct capacity_access_answer *answer, char *text, size_t size);

#endif
