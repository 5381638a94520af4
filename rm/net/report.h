/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - the log lines of the resource manager
 *
 * The master does not log. What an operator wants to read (nodes that came and
 * went, applications that came and ended, who killed what, what was refused) is
 * seen here from the messages and rows that pass by. A line each time
 * something changes, none for its repetition.
 */
#ifndef CREEL_RM_REPORT_H
#define CREEL_RM_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "rm/master/master.h"

struct report;                          /* opaque */

/* A node silent for NODE_EXPIRY_MS is reported as lost; one whose clock differs by more than CLOCK_SKEW_MS
 * is warned of once, and when it agrees again that is reported too. */
struct report *report_new(int64_t node_expiry_ms, int64_t clock_skew_ms);
void report_free(struct report *report);                /* NULL is fine */

/* An app known from before the start: no line. */
void report_recovered(struct report *report, const Creel__StoredApp *row);

/* A row is on disk. REPORT is a struct report: this is pending_write's callback. */
void report_written(void *report, const Creel__StoredApp *row);
void report_forgotten(struct report *report, const char *app_id);
void report_node_forgotten(struct report *report, const char *node_id);

/* PEER asked REQUEST; REPLY is the answer, NULL if it comes later. */
void report_answer(struct report *report, int64_t now_ms, const struct master_peer *peer,
                   const Creel__Envelope *request, const Creel__Envelope *reply);

/* Look for nodes that fell silent; once in a while. */
void report_tick(struct report *report, int64_t now_ms);

size_t report_nodes(const struct report *report);       /* heard of lately */
size_t report_live_apps(const struct report *report);   /* not over */

#endif
