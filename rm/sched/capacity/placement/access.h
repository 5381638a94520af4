/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - who may submit to a queue, and who may administer it (yarn-behaviour 5.9)
 *
 * acl_submit_applications and acl_administer_queue of a queue count for all queues below it,
 * too: who is let in by any queue on the way up to root is in. Who may administer may submit.
 * What yarn.acl.enable and yarn.admin.acl do is in rm/identity/access.h.
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
    CAPACITY_ACCESS_REFUSED,            /* no list on the way up names them */
    CAPACITY_ACCESS_OFF,                /* yarn.acl.enable is false */
    CAPACITY_ACCESS_CLUSTER_ADMIN,      /* yarn.admin.acl */
    CAPACITY_ACCESS_SUBMIT_LIST,        /* acl_submit_applications of QUEUE */
    CAPACITY_ACCESS_ADMINISTER_LIST,    /* acl_administer_queue of QUEUE */
};

struct capacity_access_answer {
    bool allowed;
    enum capacity_access_reason reason;
    const struct capacity_queue *queue; /* whose list let them in; NULL: no list did */
};

struct capacity_access;

/* The lists are those of the queues that are asked about, each parsed at its first use; CONF
 * (yarn.acl.enable, yarn.admin.acl) is not kept. A refresh makes a new one. */
struct capacity_access *capacity_access_new(const struct conf *conf);
void capacity_access_free(struct capacity_access *access);      /* NULL is fine */

/* Is PERSON let in everywhere: lists are not looked at, or they administer the cluster? */
bool capacity_access_is_exempt(const struct capacity_access *access,
                               const struct acl_person *person);

/* Warn once of each list in CONFIG that is strange (acl_complaint), with its key. */
void capacity_access_check_lists(struct capacity_access *access,
                                 const struct capacity_config *config, capacity_warn_fn *warn,
                                 void *context);

struct capacity_access_answer capacity_access_ask(struct capacity_access *access,
                                                  const struct capacity_queue *queue,
                                                  const struct acl_person *person,
                                                  enum capacity_permission permission);

/* 0, or -EACCES with
 *   user bob cannot submit to root.dev (acl_submit_applications: "alice dev", root: nobody;
 *   acl_administer_queue: nobody, root: nobody) */
int capacity_access_require(struct capacity_access *access, const struct capacity_queue *queue,
                            const struct acl_person *person, enum capacity_permission permission,
                            struct err *err);

/* The reason in words, whichever it is, for `creel queue access`: "acl_submit_applications of
 * root.dev: \"alice dev\"". Returns TEXT. */
const char *capacity_access_explain(struct capacity_access *access,
                                    const struct capacity_access_answer *answer, char *text,
                                    size_t size);

#endif
