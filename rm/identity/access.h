/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - the parts of access checks that the capacity and the fair scheduler share
 *
 * If yarn.acl.enable is false, access lists are ignored. Administrators of the cluster (yarn.admin.acl) pass
 * every check.
 * Differs: with yarn.admin.acl at "*", its default, every user would pass and no queue's list would have an
 * effect. YARN's check at submission does not consider administrators at all, so that lists have an effect
 * with that default; in creel "*" makes no user pass as an administrator.
 */
#ifndef CREEL_RM_IDENTITY_ACCESS_H
#define CREEL_RM_IDENTITY_ACCESS_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/acl.h"

struct access_gate {
    bool enabled;
    struct acl *administrators; /* owned */
};

void access_gate_open(struct access_gate *gate, const struct conf *conf); /* CONF may be freed afterwards */
void access_gate_close(struct access_gate *gate);
bool access_gate_is_administrator(const struct access_gate *gate, const struct acl_person *person);
/* Returns true if PERSON passes every check: access lists are ignored, or PERSON is an administrator of the
 * cluster. */
bool access_gate_is_exempt(const struct access_gate *gate, const struct acl_person *person);

/* Returns -EACCES with "user bob cannot submit to PATH (SUBMIT; ADMINISTER)" in ERR; SUBMIT and ADMINISTER
 * are the texts of the lists. SUBMIT NULL: the refused operation is administering the queue. */
int access_refuse(const struct acl_person *person, const char *path, const char *submit,
                  const char *administer, struct err *err);

/* Text for a refused PERSON that no list of a queue names. */
#define ACCESS_REFUSED_TEXT "named by no list of the queue or of a queue above it"
#define ACCESS_OFF_TEXT "yarn.acl.enable is false: access lists are not checked"

#endif
