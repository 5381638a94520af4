/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.h - one log line for each request that changes something: its user, address, operation,
 *           target and result
 *
 * The fields and the names of operations are those of YARN's RMAuditLogger (RMAuditLogger.AuditConstants,
 * AdminService); operations that YARN does not have have names of the same kind. log.h describes the line.
 */
#ifndef CREEL_RM_AUDIT_H
#define CREEL_RM_AUDIT_H

#include "common/io/log.h"
#include "rm/master/master.h"

#define AUDIT_PEERS 64            /* users are assigned to so many counters by a hash */
#define AUDIT_REFUSALS_AT_ONCE 20 /* then one a second */

/* Limits lines about refused requests for each user, so that no user can hide those of another. Zero before
 * the first call. */
struct audit {
    struct audit_peer {
        int64_t at_ms, written; /* WRITTEN decreases by 1 each second */
        struct log_limit limit;
    } peers[AUDIT_PEERS];
};

/* A request that the master has handled. */
struct audit_request {
    const struct master_peer *peer;
    const char *address; /* IP address of the peer */
    const char *method;  /* how its user is identified; NULL or "": not known, or there is no user */
    const Creel__Envelope *request;
    const Creel__Envelope *reply; /* NULL: the request is accepted, and the reply is sent later */
    const char *const *app_ids;   /* applications whose rows the master stores because of the request */
    size_t app_count;
};

/* Writes the line of HANDLED, if the request changes something. For a request whose outcome is known only
 * after the master has handled it (a refresh, ChangeSchedulerConf) a call without a reply writes nothing: a
 * later call has the reply. Of each user 20 refused requests are written at once, then one a second, since
 * any host can send such requests at any rate. */
void audit_write(struct audit *audit, const struct audit_request *handled);

#endif
