/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - access lists of the capacity scheduler: acl_submit_applications, acl_administer_queue
 *
 * rm/identity/access.h has the rules. This file finds the lists of a queue.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_ACCESS_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/access.h"
#include "rm/sched/capacity/config/config.h"

struct capacity_access;

/* Creates an access checker. Lists are taken from the queues passed to the functions below, and each list is
 * parsed at its first use. CONF (yarn.acl.enable, yarn.admin.acl) is not stored. A refresh creates a new
 * checker. */
struct capacity_access *capacity_access_new(const struct conf *conf);
/* Reads the two keys again. */
void capacity_access_read(struct capacity_access *access, const struct conf *conf);
void capacity_access_free(struct capacity_access *access); /* NULL is fine */

/* Returns true if PERSON may use every queue: lists are disabled, or PERSON administers the cluster. */
bool capacity_access_is_exempt(const struct capacity_access *access, const struct acl_person *person);

/* Warns once of each suspicious list in CONFIG (acl_complaint()), with its key. */
void capacity_access_check_lists(struct capacity_access *access, const struct capacity_config *config,
                                 conf_warn_fn *warn, void *context);

struct access_answer capacity_access_ask(struct capacity_access *access, const struct capacity_queue *queue,
                                         const struct acl_person *person, enum access_permission permission);

/* Returns 0, or -EACCES with ERR like
 *   user bob cannot submit to root.dev (acl_submit_applications: root.dev: "alice dev", root: nobody;
 *   acl_administer_queue: root.dev: nobody, root: nobody) */
int capacity_access_require(struct capacity_access *access, const struct capacity_queue *queue,
                            const struct acl_person *person, enum access_permission permission,
                            struct err *err);

/* As access_explain(). */
const char *capacity_access_explain(struct capacity_access *access, const struct access_answer *answer,
                                    char *text, size_t size);

#endif
