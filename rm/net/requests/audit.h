/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.h - one log line for each request that changes something: its user, address, operation,
 *           target and result, with the change or the reason of a failure
 *
 * The fields and the names of operations are those of YARN's RMAuditLogger (RMAuditLogger.AuditConstants,
 * AdminService); operations that YARN does not have have names of the same kind. log.h describes the line.
 *
 * A line is not an event (rm/master/state/event_log.h): it records a request with its sender, address and
 * method,
 * also one that was refused, or that changes what has no events, such as tokens.
 */
#ifndef CREEL_RM_AUDIT_H
#define CREEL_RM_AUDIT_H

#include "common/io/loop/log.h"
#include "rm/master/master.h"

#define AUDIT_PEERS 64            /* users are assigned to so many counters by a hash */
#define AUDIT_REFUSALS_AT_ONCE 20 /* then one a second */
#define AUDIT_HELD_MAX 100000     /* held lines; further ones are written at once */

/* A line of a change that is not stored yet. */
struct audit_line;

/* Limits lines about refused requests for each user, so that no user can hide those of another. Zero before
 * the first call. */
struct audit {
    struct audit_line *held, **held_end; /* owned: lines of changes that are not stored yet, oldest first */
    size_t held_count;
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
    bool stores; /* the change counts when its rows are stored */
};

/* Writes the line of HANDLED, if the request changes something. For a request whose outcome is known only
 * after the master has handled it (a refresh, ChangeSchedulerConf) a call without a reply writes nothing: a
 * later call has the reply. Of each user 20 refused requests are written at once, then one a second, since
 * any host can send such requests at any rate. The line of a request that stores rows is held until
 * audit_stored or audit_store_failed, also if the answer is that they are stored later. */
void audit_write(struct audit *audit, const struct audit_request *handled);

/* Writes the lines that are held: the rows of their requests are stored. */
void audit_stored(struct audit *audit);
/* Writes the lines of held submissions as failures: the rows could not be stored because of REASON, so the
 * submissions are refused. Other lines stay held: their rows are written later. */
void audit_store_failed(struct audit *audit, const char *reason);
/* Writes the lines that are still held as failures. */
void audit_done(struct audit *audit);

#endif
