/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - access lists of the fair scheduler: aclSubmitApps, aclAdministerApps
 *
 * rm/identity/access.h has the rules. The default of root is all users, of other queues no user. A queue that
 * the file does not name has no lists of its own.
 */
#ifndef CREEL_RM_SCHED_FAIR_ACCESS_H
#define CREEL_RM_SCHED_FAIR_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/access.h"
#include "rm/sched/fair/allocations.h"

struct fair_access;

/* Reads yarn.acl.enable and yarn.admin.acl from CONF. CONF is not used after the call. */
struct fair_access *fair_access_new(const struct conf *conf);
/* Reads the two keys again. */
void fair_access_read(struct fair_access *access, const struct conf *conf);
void fair_access_free(struct fair_access *access); /* NULL is fine */

/* Checks whether PERSON has PERMISSION for the queue PATH. PATH need not exist, nor be in the file. */
struct access_answer fair_access_ask(const struct fair_access *access,
                                     const struct fair_allocations *allocations, const char *path,
                                     const struct acl_person *person, enum access_permission permission);

/* Returns 0, or -EACCES with ERR like
 *   user bob cannot submit to root.dev (aclSubmitApps: root.dev: "alice", root: nobody;
 *   aclAdministerApps: root.dev: nobody, root: "boss") */
int fair_access_require(const struct fair_access *access, const struct fair_allocations *allocations,
                        const char *path, const struct acl_person *person, enum access_permission permission,
                        struct err *err);

/* As access_explain(). */
const char *fair_access_explain(const struct fair_access *access, const struct access_answer *answer,
                                char *text, size_t size);

#endif
