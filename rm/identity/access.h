/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - checks which users may submit to a queue or administer it (yarn-behaviour 5.9)
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
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/identity/acl.h"

struct access_gate {
    bool enabled;
    struct acl *administrators; /* owned */
};

void access_gate_open(struct access_gate *gate, const struct conf *conf); /* CONF may be freed afterwards */
void access_gate_close(struct access_gate *gate);
/* Returns true if PERSON passes every check: access lists are ignored, or PERSON is an administrator of the
 * cluster. */
bool access_gate_is_exempt(const struct access_gate *gate, const struct acl_person *person);

/* --- access lists of queues ------------------------------------------------------ */

enum access_permission { ACCESS_SUBMIT, ACCESS_ADMINISTER };

enum access_reason {
    ACCESS_REFUSED,         /* no list on the path to root names the user */
    ACCESS_OFF,             /* yarn.acl.enable is false */
    ACCESS_CLUSTER_ADMIN,   /* yarn.admin.acl */
    ACCESS_SUBMIT_LIST,     /* the list of ACCESS_SUBMIT of QUEUE */
    ACCESS_ADMINISTER_LIST, /* the list of ACCESS_ADMINISTER of QUEUE */
};

/* The lists of one queue, borrowed from its scheduler. */
struct access_queue {
    const char *path;
    const struct acl *lists[2]; /* by permission */
};

/* How a scheduler stores its lists. */
struct access_source {
    const char *names[2]; /* names of the two lists in its configuration */
    /* Sets RET to the lists of QUEUE. Returns the queue above it, NULL for root. */
    const void *(*lists)(void *context, const void *queue, struct access_queue *ret);
    void *context;
};

struct access_answer {
    bool allowed;
    enum access_reason reason;
    struct access_queue queue; /* the queue whose list allowed the access, if one did */
};

/* Checks whether PERSON has PERMISSION for QUEUE. The lists of a queue apply to all queues below it, too: a
 * list of any queue on the path to root gives access. A user who may administer a queue may also submit to
 * it. */
struct access_answer access_ask(const struct access_gate *gate, const struct access_source *source,
                                const void *queue, const struct acl_person *person,
                                enum access_permission permission);

/* Returns -EACCES with "user bob cannot submit to PATH (LISTS; LISTS)" in ERR. LISTS are those on the path
 * from QUEUE to root: "aclSubmitApps: root.dev: \"alice\", root: nobody". */
int access_refuse(const struct access_source *source, const void *queue, const char *path,
                  const struct acl_person *person, enum access_permission permission, struct err *err);

/* Writes the reason of ANSWER, allowed or refused, into TEXT for `creel queue access`:
 * "aclSubmitApps of root.dev: \"alice dev\"". Returns TEXT. */
const char *access_explain(const struct access_gate *gate, const struct access_source *source,
                           const struct access_answer *answer, char *text, size_t size);

#endif
