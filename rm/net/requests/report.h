/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - writes the log lines of the resource manager
 *
 * The master does not log. These functions log what an operator wants to read: events of applications and
 * nodes, and registrations, kills and refusals, which are in the messages that pass through the daemon.
 */
#ifndef CREEL_RM_REPORT_H
#define CREEL_RM_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "rm/master/master.h"
#include "rm/net/requests/audit.h"

struct report; /* opaque */

struct report *report_new(void);
void report_free(struct report *report); /* NULL is fine */

/* Logs an event of an application or a node. */
void report_event(struct report *report, const Creel__Event *event);
void report_node_forgotten(const char *node_id);

/* Logs what a request changed that the master has handled, and writes its audit line (audit.h). */
void report_answer(struct report *report, const struct audit_request *request);
/* The rows of all requests are stored; or they are not, because of REASON, and submissions are refused. */
void report_stored(struct report *report);
void report_store_failed(struct report *report, const char *reason);

#endif
