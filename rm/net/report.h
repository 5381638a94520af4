/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - writes the log lines of the resource manager
 *
 * The master does not log. These functions derive the events that an operator wants to read (nodes and
 * applications that appear or end, kills, refusals) from the messages and rows that pass through the daemon.
 * Each change is logged once, repetitions are not.
 */
#ifndef CREEL_RM_REPORT_H
#define CREEL_RM_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "rm/master/master.h"
#include "rm/net/audit.h"

struct report; /* opaque */

/* A node silent for NODE_EXPIRY_MS is logged as lost. A node whose clock differs by more than CLOCK_SKEW_MS
 * is logged once as a warning, and once when its clock agrees again. */
struct report *report_new(int64_t node_expiry_ms, int64_t clock_skew_ms);
void report_free(struct report *report); /* NULL is fine */

/* Records the state of an application recovered at the start, without a log line. */
void report_recovered(struct report *report, const Creel__StoredApp *row);

/* Logs the change of state that a row on disk shows, if any. */
void report_written(struct report *report, const Creel__StoredApp *row);
void report_forgotten(struct report *report, const char *app_id);
void report_node_forgotten(struct report *report, const char *node_id);

/* Logs what a request changed that the master has handled, and writes its audit line (audit.h). */
void report_answer(struct report *report, int64_t now_ms, const struct audit_request *request);
/* The rows of all requests are stored; or they are not, because of REASON, and submissions are refused. */
void report_stored(struct report *report);
void report_store_failed(struct report *report, const char *reason);

/* Logs nodes that have become silent; called periodically. */
void report_tick(struct report *report, int64_t now_ms);

size_t report_nodes(const struct report *report);     /* nodes with recent heartbeats */
size_t report_live_apps(const struct report *report); /* applications that have not ended */

#endif
