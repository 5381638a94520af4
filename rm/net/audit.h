/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.h - one log line for each request that changes something: its user, operation, target and result
 *
 * The fields and the names of operations are those of YARN's RMAuditLogger (RMAuditLogger.AuditConstants,
 * AdminService); operations that YARN does not have have names of the same kind. log.h describes the line.
 */
#ifndef CREEL_RM_AUDIT_H
#define CREEL_RM_AUDIT_H

#include "common/io/log.h"
#include "rm/master/master.h"

struct audit {
    struct log_limit refusals; /* zero before the first call */
};

/* Writes the line of REQUEST, if it changes something. REPLY is the reply; NULL if it is sent later, which
 * holds for accepted requests only. The line of ChangeSchedulerConf is written by a call with its reply.
 * Refused requests are written at most once a second, since anybody can send them at any rate. */
void audit_request(struct audit *audit, const struct master_peer *peer, const Creel__Envelope *request,
                   const Creel__Envelope *reply);

#endif
