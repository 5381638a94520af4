/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - what the access lists of capacity's queues and of fair's have in common
 *
 * yarn.acl.enable false: lists are not looked at. Administrators of the cluster (yarn.admin.acl) pass
 * every check.
 * Differs: with yarn.admin.acl at "*", its default, everybody would pass and no queue's list
 * would ever count. YARN's check at submission does not look at administrators at all, so
 * there lists work with that default; here "*" makes nobody pass for being an administrator.
 */
#ifndef CREEL_RM_IDENTITY_ACCESS_H
#define CREEL_RM_IDENTITY_ACCESS_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/acl.h"

struct access_gate {
    bool enabled;
    struct acl *administrators;         /* owned */
};

void access_gate_open(struct access_gate *gate, const struct conf *conf);       /* not kept */
void access_gate_close(struct access_gate *gate);
bool access_gate_is_administrator(const struct access_gate *gate, const struct acl_person *person);
/* Is PERSON let in everywhere: lists are not looked at, or they administer the cluster? */
bool access_gate_is_exempt(const struct access_gate *gate, const struct acl_person *person);

/* -EACCES, with "user bob cannot submit to PATH (SUBMIT; ADMINISTER)", which say the lists; SUBMIT NULL:
 * it was about administering. */
int access_refuse(const struct acl_person *person, const char *path, const char *submit,
                  const char *administer, struct err *err);

/* Words for PERSON refused, or let in by no list of a queue. */
#define ACCESS_REFUSED_TEXT "named by no list of the queue or of a queue above it"
#define ACCESS_OFF_TEXT "yarn.acl.enable is false: lists are not looked at"

#endif
